import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../lib/json/json.ts';

/** Keywords that strict providers take as they are. */
const kept = ['type', 'enum', 'const', 'description'] as const;

/** The deepest nesting of the schema of an input: providers allow about ten levels in all. */
const MAX_DEPTH = 5;

/** The schema of an object with these members, all of them demanded and no others allowed. */
export function strictObjectOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** The schema of a list. */
export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** The schema of a text. */
export const textSchema: JsonObject = { type: 'string' };

/**
 * A JSON Schema as providers with strict schemas take it: all members are demanded and no others allowed, and an
 * optional one may be null. Bounds and formats are left out. Undefined where the schema cannot be told so.
 */
export function strictSchema(schema: JsonObject, depth = 0): JsonObject | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const type = getOwn(schema, 'type');
  const strict: Record<string, JsonValue> = {};
  for (const keyword of kept) {
    const value = getOwn(schema, keyword);
    if (value !== undefined) strict[keyword] = value;
  }
  if (type === 'object') return strictObject(schema, strict, depth);
  if (type === 'array') {
    const items = getOwn(schema, 'items');
    const own = isJsonObject(items) ? strictSchema(items, depth + 1) : undefined;
    return own && { ...strict, items: own };
  }
  const isScalar =
    typeof type === 'string' || (isJsonArray(type) && !type.includes('object') && !type.includes('array'));
  if (isScalar) return strict;
  // Values without a type: strict providers want one.
  const values = isJsonArray(strict['enum']) ? strict['enum'] : [strict['const']];
  return values.every((value) => typeof value === 'string') ? { ...strict, type: 'string' } : undefined;
}

function strictObject(schema: JsonObject, strict: JsonObject, depth: number): JsonObject | undefined {
  const properties = getOwn(schema, 'properties');
  const required = getOwn(schema, 'required');
  if (!isJsonObject(properties)) return undefined;
  const names = Object.keys(properties);
  const members: [string, JsonObject][] = [];
  for (const name of names) {
    const member = getOwn(properties, name);
    const own = isJsonObject(member) ? strictSchema(member, depth + 1) : undefined;
    if (own === undefined) return undefined;
    const isRequired = isJsonArray(required) && required.includes(name);
    members.push([name, isRequired ? own : { anyOf: [own, { type: 'null' }] }]);
  }
  return {
    ...strict,
    properties: Object.fromEntries(members),
    required: names,
    additionalProperties: false,
  };
}

/** A value without the members that are null: of an optional member that a strict schema demands, it means absent. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === null ? [] : [[name, withoutNulls(member)]],
    ),
  );
}
