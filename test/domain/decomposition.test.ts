import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decomposeGoal } from '../../src/domain/routing/decomposition.ts';
import { clauseSpans } from '../../src/lib/text/clauses.ts';
import { runsOf } from '../support/extent.ts';

const agents = [
  { name: 'echo', keywords: ['echo', 'repeat', 'say back'] },
  { name: 'summary', keywords: ['summarize', 'summarise', 'key points'] },
  { name: 'support', keywords: ['refund', 'customer', 'order', '退款'] },
  { name: 'quiet' },
];

function decomposed(goal: string, maxSubtasks = 100): [string, unknown][] {
  return decomposeGoal(goal, agents, maxSubtasks).subtasks.map(({ agentName, payload }) => [
    agentName,
    payload['text'],
  ]);
}

function clauses(goal: string): string[] {
  return clauseSpans(goal).map(({ start, end }) => goal.slice(start, end));
}

describe('the clauses of a goal', () => {
  test.each<[string, string[]]>([
    ['One thing', ['One thing']],
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    ['one; two;three', ['one', 'two', 'three']],
    ['one\ntwo\r\nthree\n\nfour', ['one', 'two', 'three', 'four']],
    ['one then two', ['one', 'two']],
    ['one and then two', ['one', 'two']],
    ['one, and then, two', ['one', 'two']],
    ['one THEN two AND Then three', ['one', 'two', 'three']],
    ['One. Then two.', ['One.', 'two.']],
    ['one; then two', ['one', 'two']],
    ['one and two', ['one and two']],
    ['strengthen the authentication', ['strengthen the authentication']],
    ['Ask Dr. Smith, e.g. today', ['Ask Dr. Smith, e.g. today']],
    ['1. one\n2. two', ['1. one', '2. two']],
    ['一。二；三', ['一。', '二', '三']],
    ['then', []],
    [' ,; then and then ,', []],
    ['and', ['and']],
    ['', []],
  ])('of %j are %j', (goal, expected) => {
    expect(clauses(goal)).toEqual(expected);
  });

  test('cover the goal except blanks, commas, semicolons, "then" and "and then"', () => {
    const piece = fc.constantFrom(
      'echo',
      'this',
      'and',
      'then',
      'Then',
      ' ',
      '  ',
      ',',
      ';',
      '.',
      '\n',
      '。',
      '!',
      'Dr.',
      '"',
      '😀',
    );
    const goal = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 40 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(goal, (text) => {
        let at = 0;
        for (const { start, end } of [...clauseSpans(text), { start: text.length, end: text.length }]) {
          expect(text.slice(at, start).replace(/and|then|[\s,;；]/giu, '')).toBe('');
          expect(start).toBeGreaterThanOrEqual(at);
          at = end;
        }
      }),
      { numRuns: runsOf(250, 1_000) },
    );
  });
});

describe('a goal that is decomposed by keywords', () => {
  test.each<[string, string, [string, string][]]>([
    ['a keyword', 'Echo this', [['echo', 'Echo this']]],
    ['a keyword in capitals', 'ECHO THIS', [['echo', 'ECHO THIS']]],
    ['a plural', 'What of my orders', [['support', 'What of my orders']]],
    ['a past tense', 'It was refunded', [['support', 'It was refunded']]],
    ['a participle', 'Try summarizing it', [['summary', 'Try summarizing it']]],
    ['a possessive', "Read the customer's note", [['support', "Read the customer's note"]]],
    ['a typographic possessive', 'Read the customer’s note', [['support', 'Read the customer’s note']]],
    ['a phrase', 'Give me the key points', [['summary', 'Give me the key points']]],
    ['an inflected phrase', 'Saying back', [['echo', 'Saying back']]],
    ['a keyword within marks', 'please (echo!)', [['echo', 'please (echo!)']]],
    ['a keyword of a script without blanks', '我要退款', [['support', '我要退款']]],
    ['a keyword between such', '请echo一下', [['echo', '请echo一下']]],
    ['a full-width keyword', 'ｅｃｈｏ', [['echo', 'ｅｃｈｏ']]],
    ['part of a word', 'Reorder the echoless funds', []],
    ['parts of a phrase apart', 'The key to these points', []],
    ['no keyword', 'Make me a sandwich', []],
    ['nothing', '', []],
  ])('goes where its keywords are, with %s', (_, goal, expected) => {
    expect(decomposed(goal)).toEqual(expected);
  });

  test('is split into clauses in order', () => {
    expect(decomposed('Summarise it. Echo it; refund it')).toEqual([
      ['summary', 'Summarise it.'],
      ['echo', 'Echo it'],
      ['support', 'refund it'],
    ]);
  });

  test('joins adjacent clauses of one agent', () => {
    expect(decomposed('Echo one; echo two and then repeat three. Refund it. Echo four.')).toEqual([
      ['echo', 'Echo one; echo two and then repeat three.'],
      ['support', 'Refund it.'],
      ['echo', 'Echo four.'],
    ]);
  });

  test('joins a clause without a match to the one before', () => {
    expect(decomposed('Echo this. It is fine. Really. Refund it. Thanks.')).toEqual([
      ['echo', 'Echo this. It is fine. Really.'],
      ['support', 'Refund it. Thanks.'],
    ]);
  });

  test('joins clauses before the first match to it', () => {
    expect(decomposed('Hello there. I am Ann. Please echo this.')).toEqual([
      ['echo', 'Hello there. I am Ann. Please echo this.'],
    ]);
  });

  test('assigns a clause to several agents in the order of their keywords', () => {
    expect(decomposed('Refund the customer and echo it and summarise it')).toEqual([
      ['support', 'Refund the customer and echo it and summarise it'],
      ['echo', 'Refund the customer and echo it and summarise it'],
      ['summary', 'Refund the customer and echo it and summarise it'],
    ]);
  });

  test('joins adjacent clauses of several agents per agent', () => {
    expect(decomposed('Echo and summarise one. Echo two. Nice. Summarise three.')).toEqual([
      ['echo', 'Echo and summarise one. Echo two. Nice.'],
      ['summary', 'Echo and summarise one.'],
      ['summary', 'Summarise three.'],
    ]);
  });

  test('gives each agent its clause as text and message, and the complete goal', () => {
    const goal = 'Echo this; refund that';
    expect(decomposeGoal(goal, agents, 100).subtasks).toEqual([
      { agentName: 'echo', payload: { text: 'Echo this', message: 'Echo this', goal }, matched: ['Echo'] },
      {
        agentName: 'support',
        payload: { text: 'refund that', message: 'refund that', goal },
        matched: ['refund'],
      },
    ]);
  });

  test('joins all clauses of an agent above the maximum', () => {
    expect(decomposed('Echo 1; refund 2; echo 3; refund 4', 3)).toEqual([
      ['echo', 'Echo 1\necho 3'],
      ['support', 'refund 2\nrefund 4'],
    ]);
    expect(decomposed('Echo 1; refund 2; echo 3; summarise 4', 2)).toEqual([
      ['echo', 'Echo 1\necho 3'],
      ['support', 'refund 2'],
    ]);
  });

  test('accepts any keywords and agent names', () => {
    const odd = [
      { name: '__proto__', keywords: ['constructor', '', ' ', '!!!', '.*'] },
      { name: 'toString', keywords: ['(a+)+$'] },
    ];
    expect(decomposeGoal('the constructor', odd, 9).subtasks.map(({ agentName }) => agentName)).toEqual([
      '__proto__',
    ]);
    expect(decomposeGoal('hasOwnProperty __proto__ !!!', odd, 9).subtasks).toEqual([]);
    expect(decomposeGoal('a a', odd, 9).subtasks.map(({ agentName }) => agentName)).toEqual(['toString']);
  });

  test('neither loses nor invents a clause', () => {
    const kinds = fc.constantFrom('echo', 'summarise', 'refund', 'echo and refund', 'nothing');
    const joint = fc.constantFrom('; ', '. ', '\n', ' then ', ' and then ', ', then ');
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, joint), { minLength: 1, maxLength: 30 }), (parts) => {
        const goal = parts.map(([kind, after], index) => `${kind} n${index}${after}`).join('');
        const texts = decomposed(goal).map(([, text]) => String(text));
        const matched = parts.some(([kind]) => kind !== 'nothing');
        expect(texts.length > 0).toBe(matched);
        let last = 0;
        for (const text of texts) {
          const at = goal.indexOf(text);
          expect(at).toBeGreaterThanOrEqual(last);
          last = at;
        }
        if (!matched) return;
        parts.forEach((_, index) => {
          expect(texts.some((text) => new RegExp(`\\bn${index}\\b`).test(text))).toBe(true);
        });
      }),
    );
  });

  test('names only registered agents, within the maximum, and never throws', () => {
    const word = fc.constantFrom(
      'echo',
      'key',
      'points',
      'say',
      'back',
      'refund',
      'then',
      ';',
      '.',
      '\n',
      '𝟘',
      '\ud800',
    );
    const goal = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(word, { maxLength: 80 }).map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(goal, fc.integer({ min: 1, max: 5 }), (text, most) => {
        const found = decomposed(text, most);
        expect(found.length).toBeLessThanOrEqual(most);
        for (const [name, part] of found) {
          expect(['echo', 'summary', 'support']).toContain(name);
          for (const line of String(part).split('\n')) expect(text).toContain(line);
        }
      }),
    );
  });

  test.each([
    ' ',
    'a',
    'then ',
    'and ',
    'echo;',
    'echo;refund;',
    'key ',
    ',',
    '!',
    '\n',
    'echo refund ',
    '退',
    '. ',
    "echo's ",
  ])('is done with 100 kB of %j', (unit) => {
    const goal = unit.repeat(Math.ceil(100_000 / unit.length));
    expect(decomposeGoal(goal, agents, 100).subtasks.length).toBeLessThanOrEqual(3);
  });
});
