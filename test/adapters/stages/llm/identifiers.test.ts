import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { identifiersOf, ownWordsOf } from '../../../../src/adapters/stages/llm/own-words.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { cpuTime } from '../../../support/event-loop.ts';
import { messageOf } from '../stage-inputs.ts';

const id = { type: 'string', format: 'id' };

const orders: JsonObject = {
  type: 'object',
  $defs: { order: { type: 'object', properties: { number: id, count: {} } }, tree: { $ref: '#/$defs/tree' } },
  properties: {
    a: id,
    list: { type: 'array', items: { $ref: '#/$defs/order' } },
    pair: { prefixItems: [{ type: 'string' }, id] },
    either: { anyOf: [{ type: 'number' }, { allOf: [id] }] },
    when: { if: { type: 'number' }, else: id },
    map: { additionalProperties: id, properties: { known: {} } },
    named: { patternProperties: { '^x': id } },
    any: {},
    circle: { $ref: '#/$defs/tree' },
    lost: { $ref: '#/$defs/none' },
    odd: { $ref: '#/%zz' },
  },
};

describe('the identifiers of an input', () => {
  test.each<readonly [JsonObject, readonly unknown[]]>([
    [{ a: 'A-1', any: 'x' }, ['A-1']],
    [{ list: [{ number: 1, count: 2 }, { number: 'B' }] }, [1, 'B']],
    [{ pair: ['x', 'y', 'z'] }, ['y']],
    [{ either: 'A' }, ['A']],
    [{ when: 'A' }, ['A']],
    [{ map: { known: 'x', other: 'y' } }, ['y']],
    [{ named: { x: 'A' } }, ['A']],
    [{ a: ['A', { b: 'B' }, null] }, ['A', 'B']],
    [{ circle: 'x', lost: 'x', odd: 'x', unknown: 'x' }, []],
  ])('are found by its schema: %j', (input, found) => {
    expect(identifiersOf(input, orders)).toEqual(found);
  });

  test('are found by the names of members too, in all of their values', () => {
    expect(identifiersOf({ any: ['A', { n: 7 }], b: 'x' }, orders, ['any', 'absent'])).toEqual(['A', 7]);
  });

  test('are found in the schema of zod, also in one that contains itself', () => {
    const order = z.object({
      number: z.string().meta({ format: 'id' }),
      get parts() {
        return z.array(order).optional();
      },
    });
    const schema: JsonObject = JSON.parse(JSON.stringify(z.object({ order }).toJSONSchema({ io: 'input' })));
    const input = { order: { number: 'A', parts: [{ number: 'B', parts: [{ number: 'C' }] }] } };
    expect(identifiersOf(input, schema)).toEqual(['A', 'B', 'C']);
  });
});

describe("the customer's own words", () => {
  test('have a number as they have its digits', () => {
    const words = ownWordsOf(messageOf('Order 2231, please'));
    expect(words.haveAll([2231, '2231'])).toBe(true);
    expect(words.haveAll([2231, 7])).toBe(false);
    expect(words.haveAll([])).toBe(true);
  });

  test('are asked for a bounded number of identifiers', () => {
    const numbers = Array.from({ length: 33 }, (_, at) => at);
    const words = ownWordsOf(messageOf(numbers.join(' ')));
    expect(words.haveAll(numbers.slice(1))).toBe(true);
    expect(words.haveAll(numbers)).toBe(false);
  });

  test.each([
    ['of one letter', 'a'.repeat(32_000), `${'a'.repeat(255)}b`],
    ['of spaced letters', 'a '.repeat(16_000), `${'a'.repeat(255)}b`],
    ['of spaces', ' '.repeat(32_000), 'ab'],
  ])('take time for their length only: %s', (_what, said, identifier) => {
    const words = ownWordsOf(messageOf(said));
    const { result, ms } = cpuTime(() => words.haveAll(Array.from({ length: 32 }, () => identifier)));
    expect(result).toBe(false);
    // A generous bound for a busy machine.
    expect(ms).toBeLessThan(2_000);
  });
});
