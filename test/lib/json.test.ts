import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyJson, copyJsonObject, JsonError } from '../../src/lib/json/copy.ts';
import {
  getOwn,
  isJsonObject,
  isPlainObject,
  type JsonValue,
  MAX_JSON_DEPTH,
} from '../../src/lib/json/json.ts';

const MAX_BYTES = 1_000_000;

/** Any JSON value, with all of Unicode, lone surrogates and the names of inherited properties. */
const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'length', ''),
  fc.string({ unit: fc.oneof(fc.string({ unit: 'binary', maxLength: 1 }), loneSurrogate()), maxLength: 5 }),
);
const text = fc.string({ unit: fc.oneof(fc.string({ unit: 'binary', maxLength: 1 }), loneSurrogate()) });
const { json: anyJson } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json')),
    fc.array(fc.tuple(key, tie('json'))).map((entries) => Object.fromEntries(entries)),
  ),
}));

function loneSurrogate(): fc.Arbitrary<string> {
  return fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
}

function nested(levels: number, inner: unknown = 1): unknown {
  let value = inner;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const byteLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('a copy of JSON', () => {
  test('equals the parsed JSON text of its original', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const copy = copyJson(value, MAX_BYTES);
        const json = JSON.stringify(value);
        expect(isDeepStrictEqual(copy, JSON.parse(json))).toBe(true);
        expect(JSON.stringify(copy)).toBe(json);
      }),
    );
  });

  test('shares no object with its original', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const original = containersOf(value);
        expect([...containersOf(copyJson(value, MAX_BYTES))].filter((part) => original.has(part))).toEqual(
          [],
        );
      }),
    );
  });

  test('has two copies of an object that its original uses twice', () => {
    const shared = { n: 1 };
    const copy = copyJson({ a: shared, b: shared }, MAX_BYTES);
    if (!isJsonObject(copy)) throw new Error('not an object');
    expect(copy['a']).not.toBe(copy['b']);
    expect(copy).toEqual({ a: { n: 1 }, b: { n: 1 } });
  });

  test.each<[string, unknown, unknown]>([
    ['undefined members', { a: undefined, b: 1 }, { b: 1 }],
    ['undefined items', [undefined, 1, undefined], [null, 1, null]],
    ['missing items', new Array(2), [null, null]],
    ['dates', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['objects with toJSON', { toJSON: () => ({ a: [1] }) }, { a: [1] }],
    ['a string member called toJSON', { toJSON: 'text' }, { toJSON: 'text' }],
    ['objects without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['members with symbols as keys', { [Symbol('a')]: 1, b: 2 }, { b: 2 }],
    ['minus zero', [-0], [0]],
    ['the largest numbers', [Number.MAX_VALUE, -5e-324], [Number.MAX_VALUE, -5e-324]],
  ])('follows JSON.stringify for %s', (_name, value, copy) => {
    expect(copyJson(value, MAX_BYTES)).toStrictEqual(copy);
  });

  test('keeps __proto__ as an own member and changes no prototype', () => {
    const copy = copyJson(JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'), MAX_BYTES);
    expect(Object.keys(copy ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
  });

  const cycle: unknown[] = [];
  cycle.push({ cycle });
  test.each<[string, unknown, RegExp]>([
    ['undefined', undefined, /contains a undefined/],
    ['a function', () => {}, /contains a function/],
    ['a function within', { a: [() => {}] }, /contains a function/],
    ['a symbol', Symbol('a'), /contains a symbol/],
    ['a BigInt', 1n, /contains a bigint/],
    ['a BigInt within', { a: [1n] }, /contains a bigint/],
    ['NaN', { a: Number.NaN }, /not finite/],
    ['Infinity', [Number.POSITIVE_INFINITY], /not finite/],
    ['minus Infinity', Number.NEGATIVE_INFINITY, /not finite/],
    ['a cycle', cycle, /nested deeper than 64 levels or contains a cycle/],
    ['an object whose toJSON returns undefined', { a: { toJSON: () => undefined } }, /contains a undefined/],
    ['an object whose toJSON returns itself', endless(), /nested deeper/],
  ])('is rejected for %s', (_name, value, reason) => {
    expect(() => copyJson(value, MAX_BYTES)).toThrow(reason);
    expect(() => copyJson(value, MAX_BYTES)).toThrow(JsonError);
  });

  test('is nested at most 64 levels deep', () => {
    expect(copyJson(nested(MAX_JSON_DEPTH), MAX_BYTES)).toEqual(nested(64));
    expect(() => copyJson(nested(MAX_JSON_DEPTH + 1), MAX_BYTES)).toThrow(JsonError);
    expect(() => copyJson(nested(100_000), MAX_BYTES)).toThrow(JsonError);
  });
});

describe('the size limit of a copy', () => {
  test.each<[string, unknown]>([
    ['plain text', 'abc'],
    ['an empty text', ''],
    ['text of two, three and four bytes a character', 'é€😀'],
    ['long text with escapes, and a long key', { ['é"'.repeat(20)]: '\u0007€'.repeat(20) }],
    ['text with escapes', '"\\\n\t\u0000\u001f'],
    ['control characters only', '\u0001'.repeat(100)],
    ['lone surrogates', '\ud800a\udc00\ud83d'],
    ['a surrogate pair at the end', 'aaa😀'],
    ['a long number', -1.2345678901234567e-100],
    ['the longest number', -0.0000012345678901234567],
    ['many short texts', new Array(20_000).fill('\u0001'.repeat(8))],
    ['many short and some long texts', new Array(200).fill(['é', '"'.repeat(64), '\u0001'.repeat(65)])],
    ['many long numbers', new Array(50).fill(-1.2345678901234567e-100)],
    ['true and false', [true, false]],
    ['nulls and gaps', [null, undefined, null]],
    ['an empty object', {}],
    ['an empty array', []],
    ['one member', { a: 1 }],
    ['members', { a: 1, b: 'two', c: undefined, '€"': [] }],
    ['nested containers', [[[]], { a: { b: {} } }]],
    ['a date', new Date(0)],
  ])('is exact for %s', (_name, value) => {
    const bytes = byteLength(value);
    expect(copyJson(value, bytes)).toStrictEqual(JSON.parse(JSON.stringify(value)));
    expect(() => copyJson(value, bytes - 1)).toThrow(`is larger than ${bytes - 1} bytes of JSON`);
  });

  test('is exact for every value', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const bytes = byteLength(value);
        expect(() => copyJson(value, bytes)).not.toThrow();
        expect(() => copyJson(value, bytes - 1)).toThrow(JsonError);
      }),
    );
  });

  test('stops copying a value that is far larger', () => {
    let read = 0;
    const spy = () => {
      read += 1;
      return 'x';
    };
    const wide = Array.from({ length: 100_000 }, () => ({ toJSON: spy }));
    expect(() => copyJson(wide, 1_000)).toThrow(JsonError);
    const members = Object.fromEntries(wide.map((item, index) => [`k${index}`, item]));
    expect(() => copyJson(members, 1_000)).toThrow(JsonError);
    expect(read).toBeLessThan(1_000);
  });

  test('stops copying an object that is used very often', () => {
    let value: unknown = 'x'.repeat(100);
    for (let level = 0; level < 60; level++) value = [value, value];
    expect(() => copyJson(value, MAX_BYTES)).toThrow(JsonError);
  });
});

describe('a copy of a JSON object', () => {
  test.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['an array', []],
    ['a text', 'text'],
    ['a number', 1],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['an instance', new (class Thing {})()],
    ['a function', () => {}],
    ['an object whose toJSON returns a string', { toJSON: () => 'text' }],
  ])('is rejected for %s', (_name, value) => {
    expect(() => copyJsonObject(value, MAX_BYTES)).toThrow(new JsonError('is not an object'));
  });

  test('is made from plain objects, with or without a prototype', () => {
    expect(copyJsonObject({ a: 1 }, MAX_BYTES)).toEqual({ a: 1 });
    expect(copyJsonObject(Object.assign(Object.create(null), { a: 1 }), MAX_BYTES)).toEqual({ a: 1 });
  });
});

describe('an object', () => {
  test.each<[string, unknown, boolean]>([
    ['{}', {}, true],
    ['one without a prototype', Object.create(null), true],
    ['an array', [], false],
    ['null', null, false],
    ['a date', new Date(), false],
    ['an error', new Error('x'), false],
    ['a promise', Promise.resolve(), false],
    ['a function', () => {}, false],
    ['a text', 'x', false],
  ])('may be plain or not: %s', (_name, value, plain) => {
    expect(isPlainObject(value)).toBe(plain);
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('does not own %s', (name) => {
    expect(getOwn({}, name)).toBeUndefined();
    expect(getOwn(JSON.parse(`{"${name}": 1}`), name)).toBe(1);
  });
});

function containersOf(value: JsonValue): Set<unknown> {
  const found = new Set<unknown>();
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    found.add(next);
    for (const part of Object.values(next)) waiting.push(part);
  }
  return found;
}

function endless(): object {
  const self = { toJSON: (): object => self };
  return self;
}
