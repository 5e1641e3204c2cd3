import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/lib/json/canonical.ts';

test('canonical JSON does not depend on the order of members, at any depth', () => {
  const one = { b: [{ d: 1, c: null }, 'x'], a: { f: true, e: 2 } };
  const other = { a: { e: 2, f: true }, b: [{ c: null, d: 1 }, 'x'] };
  expect(canonicalJson(one)).toBe('{"a":{"e":2,"f":true},"b":[{"c":null,"d":1},"x"]}');
  expect(canonicalJson(other)).toBe(canonicalJson(one));
});

test('canonical JSON keeps the order of lists, and members that are named like those of a prototype', () => {
  expect(canonicalJson([2, 1])).toBe('[2,1]');
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"z":1,"y":2}}'))).toBe(
    '{"__proto__":{"y":2,"z":1},"b":1}',
  );
});
