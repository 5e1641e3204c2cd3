/** Anything that JSON can say. Inputs, outputs and stored records are made of it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys are data: look them up with {@link getOwn}, never by trust. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The deepest nesting accepted anywhere, on the wire and in what tools return (decisions, section 1). */
export const MAX_JSON_DEPTH = 64;

/** True for objects written as `{…}`: no array, no class instance, with or without a prototype. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** The value of an own property, or undefined: inherited names such as `constructor` are never found. */
export function getOwn(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** True for JSON objects, false for arrays, strings, numbers, booleans and null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets an own property even where assignment would reach a setter of the prototype. */
export function defineOwn(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
