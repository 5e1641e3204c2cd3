import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createUserSchema } from '../../../../src/adapters/shared/user-schema/user-schema.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json/json.ts';
import { runsOf } from '../../../support/extent.ts';

const key = fc.constantFrom('a', 'b', 'c');
const scalar = fc.constantFrom<JsonValue>(null, true, 0, 1, 2, 1.5, -1, '', 'a', 'ab', 'abc', '😀');
const small = fc.integer({ min: 0, max: 3 });

const { value, schema } = fc.letrec<{ value: JsonValue; schema: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
  schema: fc.oneof(
    { maxDepth: 2 },
    fc.boolean(),
    fc.record<JsonObject>(
      {
        type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'null', 'boolean'),
        minimum: small,
        exclusiveMaximum: small,
        multipleOf: fc.constantFrom(1, 2, 0.5),
        minLength: small,
        maxLength: small,
        pattern: fc.constantFrom('^a', 'b$', '[^b]', '^.?$'),
        enum: fc.array(scalar, { minLength: 1, maxLength: 3 }),
        required: fc.uniqueArray(key, { maxLength: 2 }),
        minItems: small,
        maxProperties: small,
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    fc.record<JsonObject>(
      {
        properties: fc.dictionary(key, tie('schema'), { maxKeys: 2, noNullPrototype: true }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', '[bc]'), tie('schema'), {
          noNullPrototype: true,
        }),
        additionalProperties: tie('schema'),
        propertyNames: tie('schema'),
        dependentRequired: fc.dictionary(key, fc.uniqueArray(key), { maxKeys: 1, noNullPrototype: true }),
      },
      { requiredKeys: [] },
    ),
    fc.record<JsonObject>(
      {
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        items: tie('schema'),
        contains: tie('schema'),
      },
      { requiredKeys: [] },
    ),
    fc.record<JsonObject>(
      {
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        not: tie('schema'),
        if: tie('schema'),
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: tie('schema'),
        else: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ),
}));

test('a random schema accepts what another validator accepts', () => {
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 5 }), (given, inputs) => {
      fc.pre(JSON.stringify(given).length < 3_000);
      const stated: JsonObject = { properties: { v: given } };
      const ours = createUserSchema(stated);
      const other = new Validator(structuredClone({ ...stated }), '2020-12');
      for (const v of inputs)
        expect([v, ours.safeParse({ v }).success]).toEqual([v, other.validate({ v }).valid]);
    }),
    { numRuns: runsOf(300, 1_000) },
  );
});
