import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEqualJson } from '../../src/lib/json/equal.ts';

/** Lists its members in the opposite order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

/** JSON text whose members are in one order. */
function textOf(value: unknown): string {
  const sorted = (_: string, member: unknown): unknown =>
    typeof member !== 'object' || member === null || Array.isArray(member)
      ? member
      : Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(value, sorted);
}

describe('the comparison of JSON', () => {
  test('says that a copy is the same, whatever the order of its members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isEqualJson(value, reversed(structuredClone(value)))).toBe(true);
      }),
    );
  });

  test('finds a difference where the texts differ', () => {
    const small = fc.jsonValue({ maxDepth: 1, noUnicodeString: true });
    fc.assert(
      fc.property(small, small, (one, other) => {
        expect(isEqualJson(one, other)).toBe(textOf(one) === textOf(other));
      }),
    );
  });

  test.each([
    ['{"__proto__": {}}', '{"a": {}}'],
    ['{"__proto__": {}}', '{"toString": {}}'],
    ['{"toString": {}}', '{}'],
    ['{"a": {}}', '{"a": []}'],
    ['{"0": 1}', '[1]'],
    ['[1, 2]', '[1]'],
    ['{"a": 1, "b": 2}', '{"a": 1}'],
    ['{"a": null}', '{}'],
    ['"1"', '1'],
    ['{}', 'null'],
  ])('says that %s is not %s', (one, other) => {
    expect(isEqualJson(JSON.parse(one), JSON.parse(other))).toBe(false);
    expect(isEqualJson(JSON.parse(other), JSON.parse(one))).toBe(false);
  });

  test('counts a member that is undefined as absent', () => {
    expect(isEqualJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(isEqualJson({ a: undefined }, { b: undefined })).toBe(true);
    expect(isEqualJson({ a: undefined }, { b: 1 })).toBe(false);
  });
});
