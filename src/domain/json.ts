/** Anything that JSON can say. Inputs, outputs and stored records are made of it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys are data: look them up with {@link ownValue}, never by trust. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The deepest nesting accepted anywhere, on the wire and in what tools return (decisions, section 1). */
export const MAX_JSON_DEPTH = 64;

/** Why a value is no acceptable JSON; its message is safe to show. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/** True for objects written as `{…}`: no array, no class instance, with or without a prototype. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** The value of an own property, or undefined: inherited names such as `constructor` are never found. */
export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** What is known of a copy's size while it is made: its JSON text has at least `least` and at most `most` bytes. */
interface Size {
  readonly limit: number;
  least: number;
  most: number;
}

/** The longest text of a number, such as -1.7976931348623157e+308. */
const LONGEST_NUMBER = 24;

/** The most bytes that one UTF-16 unit becomes in JSON text: that of an escape such as \u0000. */
const LONGEST_UNIT = 6;

/**
 * A deep copy of a value as JSON, aliased to nothing, with the rules of `JSON.stringify` where they lose
 * nothing: `undefined` members are dropped and `toJSON` is called. Throws {@link JsonError} for what JSON
 * cannot say (functions, BigInt, cycles, numbers that are not finite), for nesting deeper than
 * {@link MAX_JSON_DEPTH}, and for more than `maxBytes` of JSON text in UTF-8.
 */
export function copyJson(value: unknown, maxBytes: number): JsonValue {
  const size: Size = { limit: maxBytes, least: 0, most: 0 };
  const copy = copyValue(value, size, 0);
  // Only where the bounds leave it open is the exact size worth its price.
  if (size.most > maxBytes && jsonBytes(copy) > maxBytes) throw tooLarge(maxBytes);
  return copy;
}

/** As {@link copyJson}, for values that must be objects. */
export function copyJsonObject(value: unknown, maxBytes: number): JsonObject {
  if (!isPlainObject(value)) throw new JsonError('is not an object');
  const copy = copyJson(value, maxBytes);
  if (!isJsonObject(copy)) throw new JsonError('is not an object');
  return copy;
}

/** True for JSON objects, false for arrays, strings, numbers, booleans and null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The size of a value as JSON text in UTF-8, in bytes. */
export function jsonBytes(value: JsonValue): number {
  return utf8Bytes(JSON.stringify(value));
}

/** The size of a text in UTF-8, in bytes; a lone surrogate counts as the three bytes of its replacement. */
function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 2;
      index++;
    } else bytes += 2;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

function tooLarge(maxBytes: number): JsonError {
  return new JsonError(`is larger than ${maxBytes} bytes of JSON`);
}

function spend(size: Size, least: number, most: number = least): void {
  size.least += least;
  size.most += most;
  if (size.least > size.limit) throw tooLarge(size.limit);
}

function copyValue(value: unknown, size: Size, depth: number): JsonValue {
  switch (typeof value) {
    case 'string':
      spend(size, value.length + 2, value.length * LONGEST_UNIT + 2);
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new JsonError('holds a number that is not finite');
      spend(size, 1, LONGEST_NUMBER);
      return value === 0 ? 0 : value;
    case 'boolean':
      spend(size, value ? 4 : 5);
      return value;
    case 'object':
      if (value === null) {
        spend(size, 4);
        return null;
      }
      return copyContainer(value, size, depth);
    default:
      throw new JsonError(`holds a ${typeof value}, which JSON cannot say`);
  }
}

function copyContainer(value: object, size: Size, depth: number): JsonValue {
  if (depth >= MAX_JSON_DEPTH)
    throw new JsonError(`is nested deeper than ${MAX_JSON_DEPTH} levels or in a circle`);
  if (Array.isArray(value)) return copyArray(value, size, depth);
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return copyValue(value.toJSON(), size, depth + 1);
  }
  // Each member brings its colon and a comma or, the last one, the closing brace.
  spend(size, 1, 2);
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (member === undefined) continue;
    spend(size, key.length + 4, key.length * LONGEST_UNIT + 4);
    const memberCopy = copyValue(member, size, depth + 1);
    if (key === '__proto__') defineOwn(copy, key, memberCopy);
    else copy[key] = memberCopy;
  }
  return copy;
}

function copyArray(values: readonly unknown[], size: Size, depth: number): JsonValue {
  spend(size, 2 + Math.max(0, values.length - 1));
  const copy: JsonValue[] = [];
  for (const item of values) copy.push(copyValue(item === undefined ? null : item, size, depth + 1));
  return copy;
}

/** Sets an own property even where assignment would reach a setter of the prototype. */
export function defineOwn(target: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
