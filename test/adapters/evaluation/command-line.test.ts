import { describe, expect, test } from 'vitest';
import { gatedNames, parseCommand } from '../../../src/adapters/evaluation/command-line.ts';
import { parseTicketFile } from '../../../src/adapters/evaluation/ticket-file.ts';
import { intents } from '../../../src/domain/message/message.ts';

const parseTickets = (text: string) => parseTicketFile(text, 'tickets.json', intents);

describe('the arguments of an evaluation', () => {
  test('have defaults', () => {
    expect(parseCommand([])).toEqual({
      ticketsFile: undefined,
      playbookFile: undefined,
      models: [],
      seed: 0,
      size: 1_000,
      gates: [],
      show: undefined,
      json: false,
      outFile: undefined,
    });
  });

  test('choose the tickets and the gates', () => {
    const args = ['--tickets', 'own.json', '--seed=7', '--size', '100000', '--gate', 'macro_f1=0.9'];
    expect(parseCommand([...args, '--gate=classification_accuracy=.85'])).toEqual({
      ticketsFile: 'own.json',
      playbookFile: undefined,
      models: [],
      seed: 7,
      size: 100_000,
      show: undefined,
      json: false,
      outFile: undefined,
      gates: [
        { name: 'macro_f1', limit: 0.9 },
        { name: 'classification_accuracy', limit: 0.85 },
      ],
    });
  });

  test.each(['wrong', 'needless', 'all'] as const)('choose the tickets to show: %s', (show) => {
    expect(parseCommand(['--show', show, '--json', '--out', 'mistakes.json'])).toMatchObject({
      show,
      json: true,
      outFile: 'mistakes.json',
    });
  });

  test('choose how tickets run, and where replies and finished tickets are kept', () => {
    const files = ['--resume', 'progress.jsonl', '--model-confidence', 'confidence.yaml'];
    expect(parseCommand(['--concurrency', '64', '--record', 'replies', ...files])).toMatchObject({
      concurrency: 64,
      recordDir: 'replies',
      replayDir: undefined,
      resumeFile: 'progress.jsonl',
      confidenceFile: 'confidence.yaml',
    });
    expect(parseCommand(['--replay', 'replies'])).toMatchObject({ replayDir: 'replies' });
    expect(parseCommand([]).concurrency).toBeUndefined();
  });

  test.each([
    [['--record', 'a', '--replay', 'a'], '--record must not come with --replay'],
    [['--resume', 'a', '--out', './a'], '--resume must name another file than --out'],
    [['--model-confidence', 'a', '--resume', 'a'], '--model-confidence must name another file than --resume'],
    [['--model-confidence', 'a', '--model', 'b', '--model', 'c'], '--model-confidence must come with one'],
  ])('that contradict each other are rejected with a reason: %j', (args, reason) => {
    expect(() => parseCommand(args)).toThrow(reason);
  });

  test.each(gatedNames)('accept a gate on %s from 0 to 1', (name) => {
    for (const [text, limit] of [
      ['0', 0],
      ['1', 1],
      ['1.0', 1],
      ['0.5', 0.5],
    ] as const) {
      expect(parseCommand(['--gate', `${name}=${text}`]).gates).toEqual([{ name, limit }]);
    }
  });

  test.each([
    ['--show', 'some', '--show must be one of wrong, needless, all'],
    ['--out=', undefined, '--out must name a file'],
    ['--concurrency', '0', '--concurrency must be from 1 to 64'],
    ['--concurrency', '65', '--concurrency must be from 1 to 64'],
    ['--concurrency', 'many', '--concurrency must be an integer'],
    ['--record=', undefined, '--record must name a folder'],
    ['--replay=', undefined, '--replay must name a folder'],
    ['--resume=', undefined, '--resume must name a file'],
    ['--model-confidence=', undefined, '--model-confidence must name a file'],
    ['--size', '0', '--size must be from 1 to 100000'],
    ['--size', '100001', '--size must be from 1 to 100000'],
    ['--size', '1.5', '--size must be an integer'],
    ['--size', '1e3', '--size must be an integer'],
    ['--size', '', '--size must be an integer'],
    ['--size', ' 5', '--size must be an integer'],
    ['--size=-5', undefined, '--size must be an integer'],
    ['--seed', 'x', '--seed must be an integer'],
    ['--seed', '1234567890', '--seed must be an integer'],
    ['--gate', 'speed=1', '--gate must name one of classification_accuracy, macro_f1'],
    ['--gate', 'constructor=1', '--gate must name one of'],
    ['--gate', '=0.5', '--gate must name one of'],
    ['--gate', 'macro_f1', '--gate must be NAME=NUMBER'],
    ['--gate', 'macro_f1=', '--gate must be NAME=NUMBER'],
    ['--gate', 'macro_f1= ', '--gate must be NAME=NUMBER'],
    ['--gate', 'macro_f1=1.01', '--gate must be NAME=NUMBER'],
    ['--gate', 'macro_f1=-0.1', '--gate must be NAME=NUMBER'],
    ['--gate', 'macro_f1=NaN', '--gate must be NAME=NUMBER'],
    ['--gate', 'macro_f1=0x1', '--gate must be NAME=NUMBER'],
    ['--gate', 'macro_f1=0.5=0.9', '--gate must be NAME=NUMBER'],
    ['--unknown', '1', '--unknown'],
    ['stray', undefined, 'stray'],
  ])('are rejected with a reason: %s %s', (name, value, reason) => {
    const args = value === undefined ? [name] : [name, value];
    expect(() => parseCommand(args)).toThrow(reason);
  });
});

describe('a file of tickets', () => {
  const ticket = {
    message: 'hello',
    expected_intent: 'feedback',
    expected_tools: ['search_help_center'],
    expected_escalated: false,
    expected_disposition: 'answered',
    expected_concerns: [],
  };
  const tickets = [
    {
      message: 'hello',
      expectedIntent: 'feedback',
      expectedTools: ['search_help_center'],
      expectedEscalated: false,
      expectedDisposition: 'answered',
      expectedConcerns: [],
    },
    { message: 'bye', expectedIntent: 'spam' },
    { message: 'I sue you', expectedConcerns: ['legal'] },
  ];

  test('is a list or a request body', () => {
    const list = [
      { ...ticket, note: 'ignored' },
      { message: 'bye', expected_intent: 'spam' },
      { message: 'I sue you', expected_concerns: ['legal'] },
    ];
    expect(parseTickets(JSON.stringify(list))).toEqual({ tickets });
    expect(parseTickets(JSON.stringify({ tickets: list, seed: 3 }))).toEqual({ tickets });
  });

  test.each<[string, unknown, string | RegExp]>([
    ['an empty list', [], 'the tickets are not valid'],
    ['an object without tickets', {}, 'the tickets are not valid'],
    ['a text', 'tickets', 'the tickets are not valid'],
    ['null', null, 'the tickets are not valid'],
    ['an unknown intent', [ticket, { ...ticket, expected_intent: 'unknown' }], '1.expected_intent: '],
    ['a blank message', [{ ...ticket, message: ' \n ' }], '0.message: must not be empty'],
    ['a message that is too long', [{ ...ticket, message: 'x'.repeat(32_769) }], '0.message: '],
    ['no message', [{ expected_intent: 'spam' }], '0.message: '],
    ['tools that are not a list', [{ ...ticket, expected_tools: 'a' }], '0.expected_tools: '],
    ['an escalation that is not a boolean', [{ ...ticket, expected_escalated: 1 }], '0.expected_escalated: '],
    ['an unknown disposition', [{ ...ticket, expected_disposition: 'sent' }], '0.expected_disposition: '],
    ['an unknown concern', [{ ...ticket, expected_concerns: ['weather'] }], '0.expected_concerns.0: '],
    ['nothing expected', [{ message: 'x' }], '0.expected_intent: is required without'],
    [
      'a concern that is to be answered',
      [{ ...ticket, expected_concerns: ['legal'] }],
      '0.expected_disposition: must be escalated where concerns are expected',
    ],
    ['two issues', [{ message: 1, expected_intent: 2 }], /0\.message: .*; 0\.expected_intent: /],
  ])('is rejected with a reason: %s', (_, content, reason) => {
    expect(() => parseTickets(JSON.stringify(content))).toThrow(reason);
  });

  test('has a bounded error, however many issues there are', () => {
    const many = JSON.stringify(Array.from({ length: 1_000 }, () => ({})));
    expect(() => parseTickets(many)).toThrow(/^.{1,2000}$/);
  });

  test('must be JSON', () => {
    expect(() => parseTickets('message,intent')).toThrow('the tickets are not valid');
  });
});
