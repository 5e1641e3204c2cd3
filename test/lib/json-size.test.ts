import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/lib/json/json.ts';
import { jsonByteLength, memoryBytes } from '../../src/lib/json/size.ts';
import { runsOf } from '../support/extent.ts';
import { heldBytes } from '../support/heap.ts';

function exactBytes(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}

describe('the size of JSON', () => {
  test('is exactly that of its text', () => {
    const value: fc.Arbitrary<JsonValue> = fc
      .jsonValue({ stringUnit: 'binary', maxDepth: 5 })
      .map((made) => JSON.parse(JSON.stringify(made)));
    fc.assert(
      fc.property(value, (made) => {
        const bytes = exactBytes(made);
        expect(jsonByteLength(made, bytes)).toBe(bytes);
        expect(jsonByteLength(made, bytes - 1)).toBe(Number.POSITIVE_INFINITY);
      }),
      { numRuns: runsOf(500, 3_000) },
    );
  });

  test.each<[string, JsonValue]>([
    ['integers', [0, -0, 9, 10, -10, 99, 100, 999_999_999, -999_999_999, 1e9, -1e9, 1e21]],
    ['other numbers', [0.1, -1.7976931348623157e308, 5e-324, 2 ** 53 + 1, 1 / 3]],
    ['control characters', Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('')],
    ['escaped characters', '"\\/\u007f\u2028\u2029'],
    ['surrogates', ['\ud83c\udf89', '\ud83c', '\udf89\ud83c', '\ud83c\ud83c\udf89', 'x\udfff']],
    ['empty values', [[], {}, '', [[]], { '': {} }]],
    ['literals', [true, false, null]],
  ])('is exact for %s', (_, value) => {
    expect(jsonByteLength(value)).toBe(exactBytes(value));
  });

  test('counts an own key called __proto__', () => {
    const value: JsonValue = JSON.parse('{"__proto__": {"a": 1}}');
    expect(jsonByteLength(value, 100)).toBe(exactBytes(value));
  });

  test('is infinite for values that are nested too deep', () => {
    const nest = (levels: number): JsonValue => (levels === 1 ? [] : [nest(levels - 1)]);
    expect(jsonByteLength(nest(64), 1_000)).toBe(128);
    expect(jsonByteLength(nest(65), 1_000)).toBe(Number.POSITIVE_INFINITY);
  });

  test('is measured only up to the limit', () => {
    const million = new Array<JsonValue>(1_000_000).fill('x');
    const huge = new Array<JsonValue>(1_000_000).fill(million);
    expect(jsonByteLength(huge, 100_000_000)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the memory of JSON', () => {
  test.each([
    ['empty objects', `[${new Array<string>(200_000).fill('{}').join()}]`],
    ['empty lists', `[${new Array<string>(200_000).fill('[]').join()}]`],
    [
      'members',
      JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, 1]))),
    ],
    ['texts', JSON.stringify(Array.from({ length: 60_000 }, (_, index) => `ä text ${index}`))],
  ])('is at least what %s take, and at most four times as much', (_name, text) => {
    const before = heldBytes();
    const value: JsonValue = JSON.parse(text);
    const held = heldBytes() - before;
    expect(memoryBytes(value)).toBeGreaterThan(0.8 * held);
    expect(memoryBytes(value)).toBeLessThan(4 * held);
  });
});
