import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { concerns, dispositions, intents } from '../../src/domain/message/message.ts';
import {
  MAX_REPLY_LENGTH,
  parseClassification,
  parseDecision,
  parsePlan,
  parseReply,
  parseResponse,
  parseVerdict,
  StageContractError,
} from '../../src/domain/message/stage-contract.ts';
import { JsonError } from '../../src/lib/json/copy.ts';

/** Values that no stage may return. */
const garbage: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  Number.NaN,
  1n,
  '',
  'text',
  Symbol('s'),
  () => {},
  [],
  [{}],
  {},
  new Date(0),
  new Map(),
  Promise.resolve({}),
  Object.create({ intent: 'refund', confidence: 1, escalated: true, reasons: [], toolCalls: [] }),
];

const known = new Map(intents.map((intent) => [intent, {}]));
const parseIntent = (value: unknown) => parseClassification(value, known);

const decision = { value: 'x', source: 'deterministic', summary: 'because', data: { a: [1] } };
const asText = (value: unknown) => String(value);

describe('what a stage returns', () => {
  test.each(['deterministic', 'llm', 'fallback'] as const)('is accepted with the source %s', (source) => {
    expect(parseDecision({ ...decision, source }, asText)).toEqual({ ...decision, source });
  });

  test.each(garbage.map((value) => [value]))('is rejected when it is %o', (value) => {
    expect(() => parseDecision(value, asText)).toThrow(StageContractError);
  });

  test.each<[string, object]>([
    ['no source', { source: undefined }],
    ['an unknown source', { source: 'guess' }],
    ['a source that is an inherited property', { source: 'constructor' }],
    ['no summary', { summary: undefined }],
    ['a summary that is not a string', { summary: 1 }],
    ['a summary that is too long', { summary: 'x'.repeat(2_049) }],
    ['no data', { data: undefined }],
    ['data that is a list', { data: [] }],
    ['data with a BigInt', { data: { n: 1n } }],
    ['data with NaN', { data: { n: Number.NaN } }],
    ['data with a function', { data: { f() {} } }],
    ['data that is too large', { data: { text: 'x'.repeat(64 * 1_024) } }],
    ['data that is a class instance', { data: new Date(0) }],
  ])('is rejected with %s', (_name, change) => {
    expect(() => parseDecision({ ...decision, ...change }, asText)).toThrow(
      expect.toSatisfy((error) => error instanceof StageContractError || error instanceof JsonError),
    );
  });

  test('is rejected when its value is not valid', () => {
    expect(() => parseDecision({ ...decision, value: 'bad' }, parseIntent)).toThrow(StageContractError);
  });

  test('is copied, so that later changes by the stage have no effect', () => {
    const data = { list: [1] };
    const parsed = parseDecision({ ...decision, data }, asText);
    data.list.push(2);
    expect(parsed.data).toEqual({ list: [1] });
  });

  test('loses unknown fields', () => {
    expect(parseDecision({ ...decision, surplus: 'x' }, asText)).toEqual(decision);
  });
});

describe('a classification', () => {
  test.each(intents)('may have the intent %s', (intent) => {
    expect(parseIntent({ intent, confidence: 0.5 })).toEqual({
      intent,
      confidence: 0.5,
      concerns: [],
    });
  });

  test.each([0, 1, 0.5, Number.MIN_VALUE])('may have the confidence %d', (confidence) => {
    expect(parseIntent({ intent: 'refund', confidence }).confidence).toBe(confidence);
  });

  test('may name further intents, each once, and that a model made it', () => {
    const value = { intent: 'refund', confidence: 1, otherIntents: ['billing', 'billing'], byModel: true };
    expect(parseIntent(value)).toEqual({ ...value, otherIntents: ['billing'], concerns: [] });
    for (const otherIntents of [['nothing'], [7], 'billing', {}, Array(1)]) {
      expect(() => parseIntent({ ...value, otherIntents })).toThrow(StageContractError);
    }
    expect(() => parseIntent({ ...value, byModel: 'yes' })).toThrow(StageContractError);
  });

  test('has no negative zero as its confidence', () => {
    expect(Object.is(parseIntent({ intent: 'refund', confidence: -0 }).confidence, 0)).toBe(true);
  });

  test.each<[string, unknown]>([
    ...garbage.map((value): [string, unknown] => [`garbage ${Object.prototype.toString.call(value)}`, value]),
    ['an unknown intent', { intent: 'escalation', confidence: 1 }],
    ['the intent of failed messages', { intent: 'unknown', confidence: 1 }],
    ['an intent that is an inherited property', { intent: 'constructor', confidence: 1 }],
    ['an intent in a list', { intent: ['refund'], confidence: 1 }],
    ['an intent in another case', { intent: 'REFUND', confidence: 1 }],
    ['a confidence of 7', { intent: 'refund', confidence: 7 }],
    ['a confidence just above 1', { intent: 'refund', confidence: 1 + Number.EPSILON }],
    ['a negative confidence', { intent: 'refund', confidence: -0.1 }],
    ['NaN', { intent: 'refund', confidence: Number.NaN }],
    ['Infinity', { intent: 'refund', confidence: Number.POSITIVE_INFINITY }],
    ['a confidence as text', { intent: 'refund', confidence: '0.5' }],
    ['a confidence that is null', { intent: 'refund', confidence: null }],
    ['an object with valueOf as its confidence', { intent: 'refund', confidence: { valueOf: () => 1 } }],
    ['no confidence', { intent: 'refund' }],
    ['concerns that are no list', { intent: 'refund', confidence: 1, concerns: 'legal' }],
    ['concerns that are null', { intent: 'refund', confidence: 1, concerns: null }],
    ['an unknown concern', { intent: 'refund', confidence: 1, concerns: ['legal', 'weather'] }],
    [
      'a concern that is an inherited property',
      { intent: 'refund', confidence: 1, concerns: ['constructor'] },
    ],
    ['a concern that is no text', { intent: 'refund', confidence: 1, concerns: [['legal']] }],
    ['a missing concern', { intent: 'refund', confidence: 1, concerns: new Array(1) }],
  ])('is rejected: %s', (_name, value) => {
    expect(() => parseIntent(value)).toThrow(StageContractError);
  });
});

test('the concerns of a classification are each named once, the most serious first', () => {
  const named = ['press', 'legal', 'self_harm', 'legal'];
  expect(parseIntent({ intent: 'spam', confidence: 1, concerns: named }).concerns).toEqual([
    ...['self_harm', 'legal', 'press'],
  ]);
  const all = [...concerns].reverse();
  expect(parseIntent({ intent: 'spam', confidence: 1, concerns: all }).concerns).toEqual(concerns);
});

describe('a plan', () => {
  const call = (n: number) => ({ toolName: `tool-${n}`, input: { n } });
  const calls = (count: number) => Array.from({ length: count }, (_, n) => call(n));

  test.each([0, 1, 8])('may have %i tool calls', (count) => {
    expect(parsePlan({ toolCalls: calls(count) })).toEqual({ toolCalls: calls(count) });
  });

  test.each<[string, unknown]>([
    ...garbage.map((value): [string, unknown] => [`garbage ${Object.prototype.toString.call(value)}`, value]),
    ['9 tool calls', { toolCalls: calls(9) }],
    ['a sparse array of 10,000,000 tool calls', { toolCalls: new Array(10_000_000) }],
    ['a sparse array', { toolCalls: new Array(1) }],
    ['calls that are not an array', { toolCalls: { 0: call(0), length: 1 } }],
    ['a call that is null', { toolCalls: [null] }],
    ['a call without a name', { toolCalls: [{ input: {} }] }],
    ['a call whose name is not a string', { toolCalls: [{ toolName: ['a'], input: {} }] }],
    ['a call whose name is too long', { toolCalls: [{ toolName: 'x'.repeat(65), input: {} }] }],
  ])('is rejected: %s', (_name, value) => {
    expect(() => parsePlan(value)).toThrow(StageContractError);
  });

  test.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['a list', []],
    ['a text', '{}'],
    ['a BigInt', { n: 1n }],
    ['larger than 256 KiB', { text: 'x'.repeat(256 * 1_024) }],
  ])('is rejected when the input of a call is %s', (_name, input) => {
    expect(() => parsePlan({ toolCalls: [{ toolName: 'a', input }] })).toThrow(JsonError);
  });

  test('is rejected as a whole where it names a tool that it may not', () => {
    const named = (...names: readonly string[]) => names.map((toolName) => ({ toolName, input: {} }));
    const mayName = (name: string) => name === 'a';
    expect(parsePlan({ toolCalls: named('a', 'a') }, mayName).toolCalls).toHaveLength(2);
    expect(() => parsePlan({ toolCalls: named('a', 'b') }, mayName)).toThrow(StageContractError);
  });

  test('copies the inputs of its calls', () => {
    const input = { list: [1] };
    const plan = parsePlan({ toolCalls: [{ toolName: 'a', input }] });
    input.list.push(2);
    expect(plan.toolCalls[0]?.input).toEqual({ list: [1] });
  });
});

describe('a verdict', () => {
  test.each([true, false])('may be %s, with reasons or without', (escalated) => {
    const rest = { disposition: escalated ? 'escalated' : 'answered', concerns: [] };
    expect(parseVerdict({ escalated, reasons: [] })).toEqual({ escalated, reasons: [], ...rest });
    expect(parseVerdict({ escalated, reasons: ['a', 'b'] })).toEqual({
      escalated,
      reasons: ['a', 'b'],
      ...rest,
    });
  });

  test.each([
    [true, 'escalated'],
    [false, 'answered'],
    [false, 'no_reply'],
  ])('with `escalated` %s may have the disposition %s', (escalated, disposition) => {
    expect(parseVerdict({ escalated, reasons: [], disposition }).disposition).toBe(disposition);
  });

  test.each([
    [false, 'escalated'],
    [true, 'answered'],
    [true, 'no_reply'],
  ])('with `escalated` %s cannot have the disposition %s', (escalated, disposition) => {
    expect(() => parseVerdict({ escalated, reasons: [], disposition })).toThrow(
      'the disposition must be `escalated` exactly when the message is escalated',
    );
  });

  test.each(concerns)('with the concern %s escalates', (concern) => {
    const verdict = { escalated: true, reasons: [], concerns: [concern] };
    expect(parseVerdict(verdict).concerns).toEqual([concern]);
    for (const disposition of [undefined, 'answered', 'no_reply']) {
      expect(() => parseVerdict({ ...verdict, escalated: false, disposition })).toThrow(
        'a verdict must escalate a message with a concern',
      );
    }
  });

  test.each<[string, unknown]>([
    ...garbage.map((value): [string, unknown] => [`garbage ${Object.prototype.toString.call(value)}`, value]),
    ['an unknown disposition', { escalated: true, reasons: [], disposition: 'draft' }],
    ['a disposition that is null', { escalated: true, reasons: [], disposition: null }],
    [
      'a disposition that is an inherited property',
      { escalated: false, reasons: [], disposition: 'constructor' },
    ],
    ['an unknown concern', { escalated: true, reasons: [], concerns: ['weather'] }],
    ['concerns that are no list', { escalated: true, reasons: [], concerns: { 0: 'legal', length: 1 } }],
    ['escalated as text', { escalated: 'true', reasons: [] }],
    ['escalated as a number', { escalated: 1, reasons: [] }],
    ['no reasons', { escalated: true }],
    ['reasons that are a string', { escalated: true, reasons: 'because' }],
    ['a reason that is not a string', { escalated: true, reasons: ['a', 1] }],
    ['a missing reason', { escalated: true, reasons: new Array(1) }],
    ['a reason that is too long', { escalated: true, reasons: ['x'.repeat(2_049)] }],
    ['33 reasons', { escalated: true, reasons: new Array(33).fill('a') }],
  ])('is rejected: %s', (_name, value) => {
    expect(() => parseVerdict(value)).toThrow(StageContractError);
  });

  test('copies its reasons', () => {
    const reasons = ['a'];
    const verdict = parseVerdict({ escalated: true, reasons });
    reasons.push('b');
    expect(verdict.reasons).toEqual(['a']);
  });
});

describe('a reply', () => {
  test.each(['.', ' padded ', 'x'.repeat(MAX_REPLY_LENGTH), '😀', '<b>'])('may be a text', (reply) => {
    expect(parseReply(reply)).toBe(reply);
  });

  test.each<[unknown]>([
    ...garbage.filter((value) => value !== 'text').map((value): [unknown] => [value]),
    [' '],
    ['\n\t\u00a0\u2003'],
    ['x'.repeat(MAX_REPLY_LENGTH + 1)],
    [new String('text')],
  ])('is rejected when it is empty, too long or not a string', (value) => {
    expect(() => parseReply(value)).toThrow(StageContractError);
  });
});

describe('what a responder writes', () => {
  test('is a reply, or one that hands the message over', () => {
    expect(parseResponse('Hello.')).toEqual({ reply: 'Hello.', reasons: [] });
    const handover = { reply: 'A person answers.', reasons: ['unsure'] };
    expect(parseResponse({ ...handover, more: 1 })).toEqual(handover);
  });

  test.each([
    [{ reply: 'Hello.' }],
    [{ reply: 'Hello.', reasons: [] }],
    [{ reply: 'Hello.', reasons: [7] }],
    [{ reply: ' ', reasons: ['unsure'] }],
    [{ reasons: ['unsure'] }],
    [{ reply: 'Hello.', reasons: Array(33).fill('x') }],
    [null],
    [''],
  ])('is rejected when it is %o', (value) => {
    expect(() => parseResponse(value)).toThrow(StageContractError);
  });
});

describe('parsing', () => {
  test.each<[string, (value: unknown) => unknown]>([
    ['a decision', (value) => parseDecision(value, parsePlan)],
    ['a classification', parseIntent],
    ['a plan', parsePlan],
    ['a verdict', parseVerdict],
    ['a reply', parseReply],
  ])('%s either returns plain JSON or throws an error with a reason', (_name, parse) => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
    });
    const nearly = fc.record({
      value: fc.record({ toolCalls: fc.array(fc.record({ toolName: fc.string(), input: anything })) }),
      source: fc.constantFrom('deterministic', 'llm'),
      summary: fc.string(),
      data: fc.dictionary(fc.string(), anything),
      intent: fc.constantFrom(...intents),
      confidence: fc.double(),
      toolCalls: fc.array(anything),
      escalated: fc.boolean(),
      reasons: fc.array(anything),
      disposition: fc.option(fc.constantFrom(...dispositions, 'other'), { nil: undefined }),
      concerns: fc.option(fc.array(fc.constantFrom(...concerns)), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.oneof(anything, nearly), (value) => {
        let parsed: unknown;
        try {
          parsed = parse(value);
        } catch (error) {
          expect(error instanceof StageContractError || error instanceof JsonError).toBe(true);
          return;
        }
        expect(JSON.parse(JSON.stringify(parsed))).toEqual(parsed);
      }),
    );
  });
});
