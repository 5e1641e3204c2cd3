import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonSchemas } from '../../src/adapters/languages/languages.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { exampleOf } from '../../src/lib/json/schema-example.ts';

describe('an example of a schema', () => {
  test.each([
    [{ const: null }, null],
    [{ enum: ['b', 'a'], default: 'a' }, 'b'],
    [{ type: 'string', default: 'd', examples: ['e'] }, 'd'],
    [{ type: 'string', examples: ['e'] }, 'e'],
    [{ type: 'string' }, 'text'],
    [{ type: 'string', minLength: 6 }, 'textxx'],
    [{ type: 'string', maxLength: 2 }, 'te'],
    [{ type: 'string', format: 'date-time' }, '2026-01-01T00:00:00Z'],
    [{ type: ['null', 'boolean'] }, true],
    [{ type: 'null' }, null],
    [{}, null],
    [{ type: 'integer' }, 0],
    [{ type: 'integer', minimum: 3 }, 3],
    [{ type: 'integer', exclusiveMinimum: 0 }, 1],
    [{ type: 'integer', maximum: -2 }, -2],
    [{ type: 'integer', exclusiveMaximum: 0 }, -1],
    [{ type: 'integer', minimum: 7, multipleOf: 5 }, 10],
    [{ type: 'number', minimum: 0.25, maximum: 0.5 }, 0.25],
    [{ type: 'array', items: { type: 'integer' } }, [0]],
    [{ type: 'array', items: { type: 'integer' }, minItems: 2 }, [0, 0]],
    [{ type: 'array', items: { type: 'integer' }, maxItems: 0 }, []],
    [{ type: 'array', prefixItems: [{ const: 1 }, { const: 'a' }] }, [1, 'a']],
    [{ properties: { a: { type: 'integer' }, b: false }, required: ['a'] }, { a: 0 }],
    [{ type: 'object', required: ['x'], additionalProperties: { type: 'boolean' } }, { x: true }],
    [{ anyOf: [false, { type: 'integer' }] }, 0],
    [
      { type: 'object', properties: { a: { const: 1 } }, oneOf: [{ properties: { b: { const: 2 } } }] },
      { a: 1, b: 2 },
    ],
    [
      {
        allOf: [{ $ref: '#/$defs/a' }, { properties: { b: { const: 2 } } }],
        $defs: { a: { properties: { a: { const: 1 } } } },
      },
      { a: 1, b: 2 },
    ],
    [{ properties: { at: { $ref: '#/$defs/a~1b' } }, $defs: { 'a/b': { const: 5 } } }, { at: 5 }],
  ] as const)('of %j is %j', (schema, example) => {
    expect(exampleOf(schema as JsonObject)).toEqual(example);
    // The root of a schema is an object, as that of an input.
    const { $defs = {} } = schema as JsonObject;
    const compiled = jsonSchemas.compile({
      type: 'object',
      properties: { value: schema as JsonObject },
      $defs,
    });
    expect('invalid' in compiled ? compiled.invalid : compiled.issues({ value: example as never })).toEqual(
      [],
    );
  });

  test.each([
    { $ref: '#' },
    { $ref: 'https://example.com/schema' },
    { $ref: '#/$defs/none' },
    { type: 'array', minItems: 1e9, items: { type: 'integer' } },
    { type: 'string', minLength: 1e9 },
    { type: 'object', properties: { a: { $ref: '#' }, b: { $ref: '#' } }, required: ['a', 'b'] },
    { anyOf: [] },
  ])('of %j is none', (schema) => {
    expect(exampleOf(schema)).toBeUndefined();
  });

  test('of a schema that contains itself comes to an end', () => {
    const schema = {
      type: 'object',
      properties: { child: { $ref: '#' }, name: { type: 'string' } },
      required: ['name'],
    };
    const example = exampleOf(schema);
    expect(example).toMatchObject({ name: 'text', child: { name: 'text' } });
    expect(JSON.stringify(example).length).toBeLessThan(1_000);
  });

  test('of a zod schema fits it', () => {
    const address = z.object({ street: z.string().min(1), zip: z.string().max(5).nullable() });
    const schema = z.object({
      id: z.uuid(),
      mail: z.email(),
      at: z.iso.datetime(),
      day: z.iso.date(),
      link: z.url(),
      count: z.int().positive(),
      share: z.number().gt(0).lt(1),
      flag: z.boolean(),
      state: z.enum(['open', 'closed']),
      kind: z.discriminatedUnion('type', [z.object({ type: z.literal('a'), n: z.number() })]),
      lines: z.array(z.object({ sku: z.string(), at: address })).min(2),
      extra: z.record(z.string(), z.int()),
      pair: z.tuple([z.string(), z.int()]),
      maybe: address.optional(),
      both: z.intersection(z.object({ a: z.int() }), z.object({ b: z.int() })),
    });
    const example = exampleOf(z.toJSONSchema(schema, { io: 'output' }) as JsonObject);
    expect(schema.safeParse(example).error?.issues).toBeUndefined();
  });

  test('takes bounded work, however large the schema is', () => {
    const many = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type: 'integer' }]),
    );
    const choices = Array.from({ length: 5_000 }, () => ({ type: 'string', minLength: 1e9 }));
    expect(exampleOf({ type: 'object', properties: many, anyOf: choices })).toBeUndefined();
    const parts = Array.from({ length: 5_000 }, (_, index) => ({ properties: { [`q${index}`]: {} } }));
    expect(exampleOf({ allOf: parts })).toBeUndefined();
  });
});
