import { describe, expect, test } from 'vitest';
import {
  createUserSchema,
  UserSchemaError,
} from '../../../../src/adapters/shared/user-schema/user-schema.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json/json.ts';

const repeat = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
const members = (count: number, member: (index: number) => JsonValue): JsonObject =>
  Object.fromEntries(repeat(count, (index) => [`k${index}`, member(index)]));

/** A value in as many wrappings. */
function wrap(count: number, wrapping: (value: JsonObject) => JsonObject, value: JsonObject): JsonObject {
  let wrapped = value;
  for (let index = 0; index < count; index++) wrapped = wrapping(wrapped);
  return wrapped;
}

/** Definitions of which each applies the next twice. */
const doubling = (count: number): JsonObject => ({
  $ref: '#/$defs/k0',
  $defs: members(count, (index) => {
    const next = { $ref: `#/$defs/k${index + 1}` };
    return index + 1 < count ? { allOf: [next, next] } : { type: 'object' };
  }),
});

describe('a hostile schema is refused', () => {
  test.each<[string, JsonObject]>([
    ['of many bytes', { description: 'x'.repeat(17_000) }],
    ['of many subschemas', { properties: members(257, () => ({})) }],
    ['of many references', { properties: members(130, () => ({ $ref: '#/$defs/a' })), $defs: { a: {} } }],
    ['deep', wrap(70, (not) => ({ not }), {})],
    ['that doubles', doubling(30)],
    ['with a large pattern', { properties: { a: { pattern: '(a{1000}){1000}' } } }],
    ['with a long pattern', { properties: { a: { pattern: 'a'.repeat(2_000) } } }],
    ['with many large patterns', { properties: members(100, () => ({ pattern: 'a{900}' })) }],
    ['with patterns of many classes', { properties: members(60, () => ({ pattern: '\\pL{45}' })) }],
  ])('%s', (_name, schema) => {
    expect(() => createUserSchema(schema)).toThrow(UserSchemaError);
  });
});

describe('a hostile input', () => {
  const twice = { allOf: repeat(2, () => ({ properties: { a: { $ref: '#' } } })) };
  const list = (items: JsonValue): JsonObject => ({ properties: { l: { items } } });

  test.each<[string, JsonObject, JsonObject]>([
    [
      'many large items without a repeat',
      { properties: { l: { uniqueItems: true } } },
      { l: repeat(60_000, (id) => ({ id })) },
    ],
    ['nested data for a schema that doubles', twice, wrap(60, (a) => ({ a }), {})],
    [
      'many values for a long enumeration',
      list({ anyOf: repeat(200, (value) => ({ const: value })) }),
      { l: repeat(30_000, () => 199) },
    ],
    [
      'many objects for many names',
      list({ anyOf: [{ required: repeat(1_000, (index) => `k${index}`) }, true] }),
      { l: repeat(30_000, () => ({})) },
    ],
    [
      'a text for a pattern with many states',
      { properties: { s: { pattern: '(a|b)*a(a|b){100}[cd]' } } },
      { s: repeat(6_000, (index) => 'ab'[(index * index + (index >> 3)) % 2]).join('') },
    ],
    [
      'many members for many patterns',
      { patternProperties: Object.fromEntries(repeat(200, (index) => [`^x${index}`, true])) },
      members(5_000, (index) => index),
    ],
    ['many precise numbers', list({ multipleOf: 1e-300 }), { l: repeat(30_000, () => 1.234e300) }],
  ])('is refused when it takes too much work: %s', (_name, schema, input) => {
    expect(createUserSchema(schema).safeParse(input)).toEqual({
      success: false,
      error: { issues: [{ path: [], message: 'takes too much work to check' }] },
    });
  });

  test('that is nested very deep is refused', () => {
    const schema = createUserSchema({ properties: { a: { $ref: '#' } } });
    expect(schema.safeParse(wrap(20_000, (a) => ({ a }), {}))).toEqual({
      success: false,
      error: { issues: [{ path: [], message: 'is nested too deep' }] },
    });
    expect(schema.safeParse(wrap(60, (a) => ({ a }), {})).success).toBe(true);
  });

  test('with a text that blocks other engines is checked', () => {
    const schema = createUserSchema({ properties: { s: { pattern: '^(a+)+$' } } });
    expect(schema.safeParse({ s: `${'a'.repeat(20_000)}!` }).success).toBe(false);
    expect(schema.safeParse({ s: 'a'.repeat(20_000) }).success).toBe(true);
  });

  test.each(['email', 'uri', 'hostname', 'duration', 'json-pointer', 'date-time'])(
    'with a long text for the format %s is refused',
    (format) => {
      const schema = createUserSchema({ properties: { s: { format } } });
      for (const part of ['a', 'a.', 'a@', '/a', '1', '-', 'P1D']) {
        expect(schema.safeParse({ s: part.repeat(300_000) }).success).toBe(false);
      }
    },
  );

  test('of thousands of items is checked', () => {
    const schema = createUserSchema({
      properties: {
        list: { uniqueItems: true, items: { properties: { id: { type: 'integer' } }, required: ['id'] } },
        names: { items: { pattern: '^[a-z]+-\\d+$' } },
      },
    });
    const input = {
      list: repeat(4_000, (id) => ({ id, tag: 'x' })),
      names: repeat(4_000, (id) => `name-${id}`),
    };
    expect(schema.safeParse(input).success).toBe(true);
    const repeated = { list: [...input.list, { tag: 'x', id: 7 }] };
    expect(schema.safeParse(repeated)).toMatchObject({ error: { issues: [{ path: ['list', 4_000] }] } });
  });

  test('with problems without number tells a handful', () => {
    const result = createUserSchema({ additionalProperties: { type: 'string' } }).safeParse(
      members(20_000, () => 1),
    );
    expect(result.success ? [] : result.error.issues).toHaveLength(5);
  });
});
