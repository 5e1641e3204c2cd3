import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../lib/json/json.ts';
import { fragmentPointer, pick } from '../../../lib/json/pointer.ts';

/** The `format` of a member of a schema that names whose data a tool reads. */
export const ID_FORMAT = 'id';

/** Keywords with schemas that hold for the same value as the schema around them. */
const lists = ['allOf', 'anyOf', 'oneOf'] as const;
const conditions = ['if', 'then', 'else'] as const;

/** The values of an input that its JSON Schema, or else `marked` of its members, declares to be identifiers. */
export function identifiersOf(
  input: JsonObject,
  schema: JsonObject,
  marked: readonly string[] = [],
): readonly JsonValue[] {
  return [
    ...marked.flatMap((name) => leavesOf(getOwn(input, name))),
    ...identifiersWithin(input, [schema], schema),
  ];
}

/** The identifiers within a value for which all of these schemas may hold. */
function identifiersWithin(
  value: JsonValue,
  schemas: readonly (JsonValue | undefined)[],
  root: JsonObject,
): readonly JsonValue[] {
  const holding = withInPlace(schemas, root);
  if (holding.length === 0) return [];
  if (holding.some((schema) => getOwn(schema, 'format') === ID_FORMAT)) return leavesOf(value);
  if (isJsonArray(value)) {
    return value.flatMap((item, index) =>
      identifiersWithin(
        item,
        holding.flatMap((schema) => itemSchemas(schema, index)),
        root,
      ),
    );
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    identifiersWithin(
      member,
      holding.flatMap((schema) => memberSchemas(schema, name)),
      root,
    ),
  );
}

/** These schemas, those that they refer to, and those that hold for the same value. */
function withInPlace(schemas: readonly (JsonValue | undefined)[], root: JsonObject): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (schema: JsonValue | undefined): void => {
    if (!isJsonObject(schema) || found.has(schema)) return;
    found.add(schema);
    const reference = getOwn(schema, '$ref');
    const pointer = typeof reference === 'string' ? fragmentPointer(reference) : undefined;
    if (pointer !== undefined) add(pick(root, pointer));
    for (const keyword of lists) {
      const parts = getOwn(schema, keyword);
      if (isJsonArray(parts)) parts.forEach(add);
    }
    for (const keyword of conditions) add(getOwn(schema, keyword));
    const dependent = getOwn(schema, 'dependentSchemas');
    if (isJsonObject(dependent)) Object.values(dependent).forEach(add);
  };
  schemas.forEach(add);
  return [...found];
}

function itemSchemas(schema: JsonObject, index: number): readonly (JsonValue | undefined)[] {
  const first = getOwn(schema, 'prefixItems');
  const rest = getOwn(schema, 'items');
  const placed = isJsonArray(first) ? first[index] : undefined;
  return [placed, isJsonArray(rest) ? rest[index] : rest, getOwn(schema, 'contains')];
}

function memberSchemas(schema: JsonObject, name: string): readonly (JsonValue | undefined)[] {
  const properties = getOwn(schema, 'properties');
  const own = isJsonObject(properties) ? getOwn(properties, name) : undefined;
  if (own !== undefined) return [own];
  const patterns = getOwn(schema, 'patternProperties');
  const others = ['additionalProperties', 'unevaluatedProperties'].map((keyword) => getOwn(schema, keyword));
  return [...(isJsonObject(patterns) ? Object.values(patterns) : []), ...others];
}

/** The values within a value that are no lists and no objects; null stands for none. */
function leavesOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : [value];
}
