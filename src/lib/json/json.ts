/** Any JSON value. Inputs, outputs and stored records consist of these. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Its keys are user data: read them with {@link getOwn}, which finds no inherited property. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Maximum nesting depth of JSON in requests and in the results of tools and agents (decisions, section 1). */
export const MAX_JSON_DEPTH = 64;

/** A value is not acceptable JSON. The message is safe to show and is a predicate: `is larger than …`. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/** True for objects written as `{…}`, with or without a prototype; false for arrays and class instances. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** The value of an own property, or undefined. Inherited names such as `constructor` are never found. */
export function getOwn(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** True for JSON objects; false for arrays, strings, numbers, booleans and null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isJsonArray(value);
}

/** True for JSON arrays. Unlike `Array.isArray`, it also narrows readonly arrays. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Sets an own property. Unlike an assignment, it also stores a key called `__proto__` as data. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
