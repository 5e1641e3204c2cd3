import { getOwn, isJsonObject, type JsonValue } from './json.ts';

/** Keywords by which an object may have members that `properties` does not name. */
const others = [
  'patternProperties',
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
];

/**
 * The members that an object of a JSON Schema has, each with its schema; undefined where the schema does not tell all
 * of them. `properties` without `additionalProperties` counts as all of them.
 */
export function membersOf(schema: JsonValue | undefined): ReadonlyMap<string, JsonValue> | undefined {
  if (!isJsonObject(schema)) return undefined;
  const properties = getOwn(schema, 'properties');
  const isOpen =
    (getOwn(schema, 'additionalProperties') ?? false) !== false ||
    others.some((keyword) => Object.hasOwn(schema, keyword));
  return isJsonObject(properties) && !isOpen ? new Map(Object.entries(properties)) : undefined;
}

/** The schema of the items of a list; undefined where they have none in common. */
export function itemsOf(schema: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(schema) || Object.hasOwn(schema, 'prefixItems')) return undefined;
  return getOwn(schema, 'items');
}
