import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue, setOwn } from './json.ts';
import { exampleNumber, exampleText, numberOf } from './scalar-example.ts';

/**
 * Beyond this depth members that are not required are left out, so that schemas that contain themselves come to an end.
 */
const FULL_DEPTH = 6;
const MAX_DEPTH = 24;

/** The most values of one example. */
const MAX_VALUES = 10_000;

/** The rest of the bounds of one example. */
interface Making {
  readonly root: JsonObject;
  values: number;
}

/**
 * Makes a value for a JSON Schema (2020-12), always the same one: `const`, the first of `enum`, `default` or the first
 * of `examples` where the schema has one; else all members of an object, one item of a list, 0 or the number next to
 * it, and a short text. Undefined where it finds none, such as for lists without an end. It does not look at every
 * keyword, so the value must be checked.
 */
export function exampleOf(schema: JsonObject): JsonValue | undefined {
  return make(schema, { root: schema, values: 0 }, 0);
}

function make(schema: JsonValue | undefined, making: Making, depth: number): JsonValue | undefined {
  if (schema === true || schema === undefined) return null;
  if (!isJsonObject(schema) || depth > MAX_DEPTH || ++making.values > MAX_VALUES) return undefined;
  const given = givenValue(schema);
  if (given !== undefined) return given;
  const reference = getOwn(schema, '$ref');
  if (typeof reference === 'string') return make(resolve(reference, making.root), making, depth + 1);
  const keyword = ['anyOf', 'oneOf'].find((one) => Object.hasOwn(schema, one));
  if (keyword !== undefined) return makeChoice(schema, keyword, making, depth);
  if (Object.hasOwn(schema, 'allOf')) return make(withAll(schema, making), making, depth + 1);
  return ofType(schema, making, depth);
}

/** The value that the schema names itself. */
function givenValue(schema: JsonObject): JsonValue | undefined {
  const [ofEnum] = listOf(schema, 'enum');
  const [ofExamples] = listOf(schema, 'examples');
  const given = [getOwn(schema, 'const'), ofEnum, getOwn(schema, 'default'), ofExamples];
  return given.find((value) => value !== undefined);
}

/** The part of the schema that a reference such as `#/$defs/order` names. */
function resolve(reference: string, root: JsonObject): JsonValue {
  if (!reference.startsWith('#')) return false;
  let value: JsonValue | undefined = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value = isJsonObject(value) ? getOwn(value, key) : isJsonArray(value) ? value[Number(key)] : undefined;
  }
  return value ?? false;
}

/** An example of the first choice that has one, together with what stands beside the choices. */
function makeChoice(
  schema: JsonObject,
  keyword: string,
  making: Making,
  depth: number,
): JsonValue | undefined {
  const rest = without(schema, keyword);
  for (const choice of listOf(schema, keyword)) {
    if (making.values > MAX_VALUES) return undefined;
    const whole = isJsonObject(choice) ? merge(rest, choice, making) : choice;
    const value = make(whole, making, depth + 1);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A schema as one with all parts of its `allOf`. */
function withAll(schema: JsonObject, making: Making): JsonObject {
  let whole = without(schema, 'allOf');
  for (const part of listOf(schema, 'allOf')) {
    const reference = isJsonObject(part) ? getOwn(part, '$ref') : undefined;
    const target = typeof reference === 'string' ? resolve(reference, making.root) : part;
    if (isJsonObject(target)) whole = merge(whole, target, making);
  }
  return whole;
}

function without(schema: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== keyword));
}

/** Two schemas as one: members of objects and required names are those of both. */
function merge(one: JsonObject, other: JsonObject, making: Making): JsonObject {
  const size = Object.keys(objectOf(one, 'properties')).length + Object.keys(one).length;
  making.values += size;
  if (making.values > MAX_VALUES) return other;
  const properties = { ...objectOf(one, 'properties'), ...objectOf(other, 'properties') };
  const required = [...listOf(one, 'required'), ...listOf(other, 'required')];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

function objectOf(schema: JsonObject, key: string): JsonObject {
  const value = getOwn(schema, key);
  return isJsonObject(value) ? value : {};
}

function listOf(schema: JsonObject, key: string): readonly JsonValue[] {
  const value = getOwn(schema, key);
  return isJsonArray(value) ? value : [];
}

function ofType(schema: JsonObject, making: Making, depth: number): JsonValue | undefined {
  switch (typeOf(schema)) {
    case 'object':
      return makeObject(schema, making, depth);
    case 'array':
      return makeList(schema, making, depth);
    case 'string':
      return exampleText(schema);
    case 'integer':
      return exampleNumber(schema, 1);
    case 'number':
      return exampleNumber(schema, 0);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

/** The type of a value; where several are allowed, the first one that is not null. */
function typeOf(schema: JsonObject): JsonValue | undefined {
  const type = getOwn(schema, 'type');
  if (isJsonArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if (Object.hasOwn(schema, 'properties')) return 'object';
  return Object.hasOwn(schema, 'items') ? 'array' : undefined;
}

function makeObject(schema: JsonObject, making: Making, depth: number): JsonObject | undefined {
  const required = new Set(listOf(schema, 'required'));
  const properties = objectOf(schema, 'properties');
  const members: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(properties)) {
    if (depth >= FULL_DEPTH && !required.has(name)) continue;
    const value = make(member, making, depth + 1);
    if (value !== undefined) setOwn(members, name, value);
    else if (required.has(name)) return undefined;
  }
  for (const name of required) {
    if (typeof name !== 'string' || Object.hasOwn(members, name)) continue;
    const value = make(getOwn(schema, 'additionalProperties'), making, depth + 1);
    if (value === undefined) return undefined;
    setOwn(members, name, value);
  }
  return members;
}

function makeList(schema: JsonObject, making: Making, depth: number): readonly JsonValue[] | undefined {
  const first = listOf(schema, 'prefixItems');
  const atLeast = numberOf(schema, 'minItems') ?? 0;
  const wanted = Math.max(
    atLeast,
    first.length,
    depth < FULL_DEPTH && Object.hasOwn(schema, 'items') ? 1 : 0,
  );
  const count = Math.min(wanted, numberOf(schema, 'maxItems') ?? wanted);
  const items: JsonValue[] = [];
  while (items.length < count) {
    const value = make(first[items.length] ?? getOwn(schema, 'items'), making, depth + 1);
    if (value === undefined) return items.length >= atLeast ? items : undefined;
    items.push(value);
  }
  return items;
}
