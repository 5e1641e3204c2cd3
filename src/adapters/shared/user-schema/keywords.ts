import { isJsonArray, isJsonObject, type JsonValue } from '../../../lib/json/json.ts';

/** The types of JSON Schema, with the words for them. */
export const typeWords = {
  null: 'null',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  string: 'text',
  array: 'a list',
  object: 'an object',
} as const;

/** The name of a type. */
export type TypeName = keyof typeof typeWords;

/** True for the name of a type. */
export function isTypeName(value: JsonValue): value is TypeName {
  return typeof value === 'string' && Object.hasOwn(typeWords, value);
}

/** True for `true`, `false` and objects. */
export function isSchema(value: JsonValue | undefined): boolean {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Where a keyword holds subschemas. */
export type Holder = 'schema' | 'list' | 'map';

/** The keywords that hold subschemas. Those that apply to the same value as the schema around them are `inPlace`. */
export const applicators: Readonly<Record<string, { readonly holder: Holder; readonly inPlace: boolean }>> = {
  $defs: { holder: 'map', inPlace: false },
  definitions: { holder: 'map', inPlace: false },
  allOf: { holder: 'list', inPlace: true },
  anyOf: { holder: 'list', inPlace: true },
  oneOf: { holder: 'list', inPlace: true },
  not: { holder: 'schema', inPlace: true },
  if: { holder: 'schema', inPlace: true },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { holder: 'schema', inPlace: true },
  else: { holder: 'schema', inPlace: true },
  dependentSchemas: { holder: 'map', inPlace: true },
  properties: { holder: 'map', inPlace: false },
  patternProperties: { holder: 'map', inPlace: false },
  additionalProperties: { holder: 'schema', inPlace: false },
  propertyNames: { holder: 'schema', inPlace: false },
  unevaluatedProperties: { holder: 'schema', inPlace: false },
  prefixItems: { holder: 'list', inPlace: false },
  items: { holder: 'schema', inPlace: false },
  contains: { holder: 'schema', inPlace: false },
  unevaluatedItems: { holder: 'schema', inPlace: false },
};

interface Rule {
  readonly must: string;
  readonly holds: (value: JsonValue) => boolean;
}

const count: Rule = {
  must: 'must be an integer of at least 0',
  holds: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0,
};
const number: Rule = { must: 'must be a number', holds: (value) => typeof value === 'number' };
const text: Rule = { must: 'must be text', holds: (value) => typeof value === 'string' };
const boolean: Rule = { must: 'must be true or false', holds: (value) => typeof value === 'boolean' };
const names: Rule = {
  must: 'must be a list of texts, none of them twice',
  holds: isNames,
};

function isNames(value: JsonValue): boolean {
  if (!isJsonArray(value)) return false;
  return value.every((item) => typeof item === 'string') && new Set(value).size === value.length;
}

const knownSchemas = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12|draft\/2019-09|draft-07)\/schema#?$/;

const refuse = (must: string): Rule => ({ must, holds: () => false });

/** What the values of the other keywords must be. Unknown keywords are ignored, as JSON Schema says. */
export const rules: Readonly<Record<string, Rule>> = {
  $schema: {
    must: 'must be "https://json-schema.org/draft/2020-12/schema"',
    holds: (value) => typeof value === 'string' && knownSchemas.test(value),
  },
  $ref: text,
  $dynamicRef: refuse('is not supported; use $ref'),
  $recursiveRef: refuse('is not supported; use $ref'),
  dependencies: refuse('is not supported; use dependentRequired or dependentSchemas'),
  additionalItems: refuse('is not supported; use prefixItems and items'),
  type: {
    must: `must be one of ${Object.keys(typeWords).join(', ')}, or a list of them`,
    holds: (value) =>
      isTypeName(value) ||
      (isJsonArray(value) && value.length > 0 && value.every(isTypeName) && isNames(value)),
  },
  enum: {
    must: 'must be a list of values that is not empty',
    holds: (value) => isJsonArray(value) && value.length > 0,
  },
  required: names,
  dependentRequired: {
    must: 'must be an object of lists of texts',
    holds: (value) => isJsonObject(value) && Object.values(value).every(isNames),
  },
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: {
    must: 'must be a number above 0',
    holds: (value) => typeof value === 'number' && value > 0,
  },
  minLength: count,
  maxLength: count,
  pattern: text,
  format: text,
  minItems: count,
  maxItems: count,
  uniqueItems: boolean,
  minContains: count,
  maxContains: count,
  minProperties: count,
  maxProperties: count,
};
