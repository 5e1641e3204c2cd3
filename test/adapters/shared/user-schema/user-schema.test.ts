import { describe, expect, test } from 'vitest';
import {
  createUserSchema,
  UserSchemaError,
} from '../../../../src/adapters/shared/user-schema/user-schema.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json/json.ts';

/** The issues of an input, each as `path: message`. */
function issuesOf(schema: JsonObject, input: unknown): readonly string[] {
  const result = createUserSchema(schema).safeParse(input);
  return result.success
    ? []
    : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** The issues of a value by a schema for it alone. */
const issues = (schema: JsonValue, value: JsonValue) =>
  issuesOf({ properties: { v: schema } }, { v: value }).map((issue) => issue.replace(/^v\.?/, ''));

const order: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shop.example/order',
  type: 'object',
  properties: {
    id: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
    amount: { type: 'number', exclusiveMinimum: 0, maximum: 500 },
    lines: { type: 'array', items: { $ref: '#/$defs/line' }, minItems: 1, uniqueItems: true },
    note: { type: ['string', 'null'], maxLength: 5, default: null },
  },
  required: ['id', 'amount'],
  additionalProperties: false,
  $defs: { line: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } },
};

describe('a schema of a user', () => {
  test('accepts an input that fits, and gives it as it is', () => {
    const input = { id: 'AB-1', amount: 3.5, lines: [{ sku: 'x' }, { sku: 'y', extra: 1 }], note: null };
    const result = createUserSchema(order).safeParse(input);
    expect(result).toEqual({ success: true, data: input });
  });

  test('names each problem with its path, in plain words', () => {
    expect(issuesOf(order, { id: 'x', lines: [{ sku: 1 }, {}], note: 'too long', extra: 1 })).toEqual([
      'amount: is missing',
      'id: must match the pattern ^[A-Z]{2}-\\d+$',
      'lines.0.sku: must be text',
      'lines.1.sku: is missing',
      'note: must have at most 5 characters',
    ]);
  });

  test.each([null, [], 'text', 1, undefined])('takes objects only, not %j', (input) => {
    expect(issuesOf({}, input)).toEqual([': must be an object']);
  });

  test('is told as it was stated, whatever becomes of what was given', () => {
    const given = { type: 'object', properties: { a: { type: 'string' } } };
    const schema = createUserSchema(given);
    given.properties.a.type = 'number';
    expect(schema.toJSONSchema()).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
    expect(schema.safeParse({ a: 'x' }).success).toBe(true);
  });

  test.each<[JsonValue, JsonValue, string]>([
    [{ type: 'integer' }, 1.5, ': must be an integer'],
    [{ type: ['string', 'number'] }, true, ': must be text or a number'],
    [{ type: 'array' }, {}, ': must be a list'],
    [{ enum: ['a', 1, null] }, 'b', ': must be one of "a", 1, null'],
    [{ enum: [{ a: [1, 2] }] }, { a: [2, 1] }, ': must be {"a":[1,2]}'],
    [{ const: 'x' }, 'y', ': must be "x"'],
    [{ minimum: 2 }, 1, ': must be at least 2'],
    [{ exclusiveMaximum: 2 }, 2, ': must be below 2'],
    [{ multipleOf: 0.1 }, 0.35, ': must be a multiple of 0.1'],
    [{ minLength: 2 }, '😀', ': must have at least 2 characters'],
    [{ format: 'email' }, 'a@', ': must be a valid email'],
    [{ minItems: 1 }, [], ': must have at least 1 item'],
    [{ maxItems: 1 }, [1, 2], ': must have at most 1 item'],
    [{ uniqueItems: true }, [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }], '2: must not repeat an item'],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], '1: is not expected'],
    [{ contains: { type: 'string' } }, [1], ': must contain at least 1 item of the wanted form'],
    [{ contains: {}, maxContains: 1 }, [1, 2], ': must contain at most 1 item of the wanted form'],
    [{ minProperties: 1 }, {}, ': must have at least 1 member'],
    [
      { patternProperties: { '^x': { type: 'string' } }, additionalProperties: false },
      { x1: 1 },
      'x1: must be text',
    ],
    [{ patternProperties: { '^x': true }, additionalProperties: false }, { y: 1 }, 'y: is not expected'],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, 'ab: has a name that is not allowed'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'b: is missing, which "a" needs'],
    [{ dependentSchemas: { a: { required: ['c'] } } }, { a: 1 }, 'c: is missing'],
    [{ allOf: [{ minimum: 2 }, { maximum: 0 }] }, 1, ': must be at least 2'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, ': must be text or null'],
    [{ anyOf: [{ minimum: 2 }, { maximum: 0 }] }, 1, ': fits none of the allowed forms'],
    [{ oneOf: [{ minimum: 0 }, { maximum: 9 }] }, 1, ': fits more than one of the allowed forms'],
    [{ not: { type: 'string' } }, 'a', ': has a form that is not allowed'],
    [
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 2 } },
      'a',
      ': must have at least 2 characters',
    ],
    [{ if: { type: 'string' }, else: { minimum: 2 } }, 1, ': must be at least 2'],
    [
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1, b: 2 },
      'b: is not expected',
    ],
    [{ prefixItems: [true], unevaluatedItems: { type: 'string' } }, [1, 2], '1: must be text'],
    [false, 1, ': is not expected'],
  ])('%j on %j tells %j', (schema, value, message) => {
    expect(issues(schema, value)[0]).toBe(message);
  });

  test.each<[JsonValue, JsonValue]>([
    [{ type: 'integer' }, 3.0],
    [{ type: 'number' }, 3],
    [{ multipleOf: 0.01 }, 4.35],
    [{ multipleOf: 1e-300 }, 1e300],
    [{ pattern: 'b.d' }, 'abcde'],
    [{ pattern: '^\\u0041\\/(?<n>\\d)$' }, 'A/1'],
    [{ minLength: 9, pattern: 'x', format: 'date' }, 1],
    [{ minItems: 9, required: ['a'] }, 'text'],
    [{ contains: { type: 'string' }, minContains: 0 }, []],
    [{ uniqueItems: true }, [1, true, '1', [1], { a: 1 }, { a: '1' }, null]],
    [{ format: 'no-such-format' }, 'x'],
    [{ unknown: { $ref: 'x' } }, 1],
    [{ $ref: '#/properties/v/$defs/a~1b%20c', $defs: { 'a/b c': { type: 'number' } } }, 1],
    [
      { properties: { child: { $ref: '#/properties/v' } }, additionalProperties: false },
      { child: { child: {} } },
    ],
    [
      { anyOf: [{ properties: { a: true } }, { properties: { b: true } }], unevaluatedProperties: false },
      { a: 1, b: 2 },
    ],
    [true, null],
  ])('%j accepts %j', (schema, value) => {
    expect(issues(schema, value)).toEqual([]);
  });

  test.each([
    ['date', ['2024-02-29'], ['2023-02-29', '2024-2-1', '2024-13-01']],
    [
      'date-time',
      ['2024-01-01T10:00:00Z', '2024-01-01t10:00:00.5+02:00'],
      ['2024-01-01', '2024-01-01T25:00:00Z'],
    ],
    ['time', ['10:00:00Z'], ['10:00']],
    ['duration', ['P1D', 'PT1H30M', 'P2W'], ['P', 'PT', '1D']],
    ['email', ['a.b+c@shop.example'], ['a', '@b', 'a@b@c', 'a b@c.de', '.a@b.de', 'a@-b.de']],
    ['hostname', ['shop.example'], ['-a.b', 'a..b', 'a_b']],
    ['ipv4', ['127.0.0.1'], ['256.0.0.1', '1.2.3']],
    ['ipv6', ['::1'], ['1.2.3.4', ':::']],
    ['uuid', ['2eb8aa08-aa98-11ea-b4aa-73b441d16380'], ['2eb8aa08']],
    ['uri', ['https://a.example/b?c=d#e', 'mailto:a@b.de'], ['/a', 'a b', 'http://a b']],
  ])('checks the format %s', (format, valid, invalid) => {
    for (const value of valid) expect([value, ...issues({ format }, value)]).toEqual([value]);
    for (const value of invalid) expect(issues({ format }, value)).toEqual([`: must be a valid ${format}`]);
  });

  test('sees own members only', () => {
    const schema = JSON.parse(
      '{"properties": {"__proto__": {"type": "number"}, "toString": {"type": "string"}}}',
    );
    expect(issuesOf(schema, JSON.parse('{"__proto__": "x", "toString": 1}'))).toEqual([
      '__proto__: must be a number',
      'toString: must be text',
    ]);
    expect(issuesOf(schema, {})).toEqual([]);
    expect(issuesOf({ required: ['constructor'] }, {})).toEqual(['constructor: is missing']);
  });
});

describe('a schema that is not valid', () => {
  test.each<[JsonValue, string]>([
    [
      { type: 'text' },
      '/type: must be one of null, boolean, integer, number, string, array, object, or a list of them',
    ],
    [{ type: [] }, '/type: must be one of null'],
    [{ properties: { a: 5 } }, '/properties/a: must be a schema: an object, true or false'],
    [{ properties: [] }, '/properties: must be an object of schemas'],
    [{ items: [{}] }, '/items: must be a schema: an object, true or false'],
    [{ anyOf: [] }, '/anyOf: must be a list of schemas that is not empty'],
    [{ required: 'a' }, '/required: must be a list of texts, none of them twice'],
    [{ required: ['a', 'a'] }, '/required: must be a list of texts'],
    [{ minLength: -1 }, '/minLength: must be an integer of at least 0'],
    [{ minimum: '1' }, '/minimum: must be a number'],
    [{ multipleOf: 0 }, '/multipleOf: must be a number above 0'],
    [{ enum: [] }, '/enum: must be a list of values that is not empty'],
    [{ uniqueItems: 1 }, '/uniqueItems: must be true or false'],
    [{ dependentRequired: { a: 'b' } }, '/dependentRequired: must be an object of lists of texts'],
    [
      { properties: { 'a/b~': { pattern: '(' } } },
      '/properties/a~1b~0/pattern: the pattern is not valid: missing closing )',
    ],
    [{ pattern: '(?=a)' }, '/pattern: the pattern is not valid: '],
    [{ pattern: '(a)\\1' }, '/pattern: the pattern is not valid: '],
    [{ patternProperties: { '[': true } }, '/patternProperties/[: the pattern is not valid: '],
    [{ $ref: '#/$defs/none' }, '/$ref: leads to no schema'],
    [{ $ref: '#anchor' }, '/$ref: must name a place in this schema, such as "#/$defs/address"'],
    [{ $ref: 'https://shop.example/order' }, '/$ref: must name a place in this schema'],
    [{ $ref: '#/%' }, '/$ref: must name a place in this schema'],
    [{ $ref: 5 }, '/$ref: must be text'],
    [{ $ref: '#/enum/0', enum: [{}] }, '/$ref: leads to no schema'],
    [{ $dynamicRef: '#a' }, '/$dynamicRef: is not supported; use $ref'],
    [{ properties: { a: { $id: 'x' } } }, '/properties/a/$id: is supported only at the top'],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      '/$schema: must be "https://json-schema.org/draft/2020-12/schema"',
    ],
    [{ $ref: '#' }, '/$ref: leads back to itself without an end'],
    [{ allOf: [{ $ref: '#' }] }, '/allOf/0/$ref: leads back to itself without an end'],
    [
      { properties: { a: { not: { $ref: '#/properties/a' } } } },
      '/properties/a/not/$ref: leads back to itself',
    ],
    [
      { $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { if: { $ref: '#/$defs/a' } } } },
      'leads back to itself without an end',
    ],
  ])('%j is refused: %s', (schema, message) => {
    const create = () => createUserSchema(JSON.parse(JSON.stringify(schema)));
    expect(create).toThrow(UserSchemaError);
    expect(create).toThrow(message);
  });

  test('tells all issues with JSON pointers', () => {
    const create = () => createUserSchema({ type: 'x', properties: { a: { minLength: 'x' } } });
    expect(create).toThrow(
      expect.objectContaining({
        issues: [
          expect.objectContaining({ pointer: '/type' }),
          { pointer: '/properties/a/minLength', message: 'must be an integer of at least 0' },
        ],
      }),
    );
  });
});
