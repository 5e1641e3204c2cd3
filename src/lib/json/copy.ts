import {
  isJsonObject,
  isPlainObject,
  JsonError,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
  setOwn,
} from './json.ts';
import { addBytes, addJsonBytes, type ByteCount } from './size.ts';

export { JsonError } from './json.ts';

/** Maximum number of bytes of JSON text for what is counted as one byte: those of a number. */
const MAX_BYTES_PER_UNIT = 25;

/**
 * A deep copy of a value as JSON that shares nothing with the original. As with `JSON.stringify`, `toJSON` is called,
 * `undefined` members are dropped, and `undefined` items become null. Throws {@link JsonError} for what JSON cannot
 * express (functions, BigInt, cycles, numbers that are not finite), for nesting deeper than {@link MAX_JSON_DEPTH},
 * and for more than `maxBytes` of JSON text in UTF-8.
 */
export function copyJson(value: unknown, maxBytes: number): JsonValue {
  const count: ByteCount = { bytes: 0, maxBytes };
  const copy = copyValue(value, count, 0);
  // Strings were counted by their length and other values as one byte: measuring them slows down the copy of small
  // values (benchmark `pipeline`).
  if (count.bytes * MAX_BYTES_PER_UNIT > maxBytes) addJsonBytes({ bytes: 0, maxBytes }, copy, 0);
  return copy;
}

/** As {@link copyJson}, for values that must be objects. */
export function copyJsonObject(value: unknown, maxBytes: number): JsonObject {
  const copy = isPlainObject(value) ? copyJson(value, maxBytes) : null;
  if (!isJsonObject(copy)) throw new JsonError('is not an object');
  return copy;
}

function copyValue(value: unknown, count: ByteCount, depth: number): JsonValue {
  switch (typeof value) {
    case 'string':
      addBytes(count, value.length + 2);
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new JsonError('contains a number that is not finite');
      addBytes(count, 1);
      // JSON has no minus zero.
      return value === 0 ? 0 : value;
    case 'boolean':
      addBytes(count, 1);
      return value;
    case 'object':
      if (value !== null) return copyContainer(value, count, depth);
      addBytes(count, 1);
      return value;
    default:
      throw new JsonError(`contains a ${typeof value}, which JSON cannot express`);
  }
}

function copyContainer(value: object, count: ByteCount, depth: number): JsonValue {
  if (depth >= MAX_JSON_DEPTH) {
    throw new JsonError(`is nested deeper than ${MAX_JSON_DEPTH} levels or contains a cycle`);
  }
  if (Array.isArray(value)) return copyArray(value, count, depth);
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return copyValue(value.toJSON(), count, depth + 1);
  }
  return copyObject(value, count, depth);
}

function copyArray(items: readonly unknown[], count: ByteCount, depth: number): JsonValue {
  // Two brackets, and commas between the items.
  addBytes(count, 2 + Math.max(0, items.length - 1));
  // An array of the exact length takes less memory than one that grows.
  const copy = new Array<JsonValue>(items.length);
  for (let index = 0; index < items.length; index++) {
    copy[index] = copyValue(items[index] ?? null, count, depth + 1);
  }
  return copy;
}

function copyObject(object: object, count: ByteCount, depth: number): JsonObject {
  const copy: Record<string, JsonValue> = {};
  let isEmpty = true;
  addBytes(count, 1);
  for (const key of Object.keys(object)) {
    const member: unknown = Reflect.get(object, key);
    if (member === undefined) continue;
    isEmpty = false;
    // Two quotes, the colon, and a comma or, after the last member, the closing brace.
    addBytes(count, key.length + 4);
    setOwn(copy, key, copyValue(member, count, depth + 1));
  }
  if (isEmpty) addBytes(count, 1);
  return copy;
}
