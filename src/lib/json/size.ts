import { getOwn, isJsonArray, JsonError, type JsonObject, type JsonValue, MAX_JSON_DEPTH } from './json.ts';

/** Counts the bytes of JSON text in UTF-8, up to a limit. */
export interface ByteCount {
  bytes: number;
  readonly maxBytes: number;
}

/** Adds to a count. Throws {@link JsonError} when the limit is exceeded. */
export function addBytes(count: ByteCount, bytes: number): void {
  count.bytes += bytes;
  if (count.bytes > count.maxBytes) throw new JsonError(`is larger than ${count.maxBytes} bytes of JSON`);
}

/** Adds the bytes of a string with its quotes, without reading a string that is too long anyway. */
function addStringBytes(count: ByteCount, text: string): void {
  const minBytes = text.length + 2;
  addBytes(count, count.bytes + minBytes > count.maxBytes ? minBytes : stringByteLength(text));
}

/**
 * Adds the size of a value at the nesting depth `depth`. The time is bounded by the limit, not by the size of the
 * value. Throws {@link JsonError} when the limit or {@link MAX_JSON_DEPTH} is exceeded.
 */
export function addJsonBytes(count: ByteCount, value: JsonValue, depth: number): void {
  if (typeof value === 'string') addStringBytes(count, value);
  else if (typeof value !== 'object' || value === null) addBytes(count, scalarByteLength(value));
  else if (depth >= MAX_JSON_DEPTH) throw new JsonError(`is nested deeper than ${MAX_JSON_DEPTH} levels`);
  else if (isJsonArray(value)) addArrayBytes(count, value, depth);
  else addObjectBytes(count, value, depth);
}

/**
 * The exact size of a value as JSON text in UTF-8, in bytes, without creating that text. Infinity when it is larger
 * than `maxBytes` or nested deeper than {@link MAX_JSON_DEPTH}.
 */
export function jsonByteLength(value: JsonValue, maxBytes = Number.POSITIVE_INFINITY): number {
  const count: ByteCount = { bytes: 0, maxBytes };
  try {
    addJsonBytes(count, value, 0);
    return count.bytes;
  } catch (error) {
    if (error instanceof JsonError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** About what a value takes in memory beside the characters of texts, in bytes. */
const VALUE_BYTES = 64;

/**
 * About how many bytes a value takes in memory, rather more than less: a list of empty objects takes twenty times as
 * much as its JSON text. The value must not be nested deeper than {@link MAX_JSON_DEPTH}.
 */
export function memoryBytes(value: JsonValue): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = VALUE_BYTES;
  if (isJsonArray(value)) {
    for (const item of value) bytes += 8 + memoryBytes(item);
    return bytes;
  }
  // Creates no list of the members, because an object may have very many.
  for (const key in value) bytes += VALUE_BYTES + key.length + memoryBytes(getOwn(value, key) ?? null);
  return bytes;
}

function addArrayBytes(count: ByteCount, items: readonly JsonValue[], depth: number): void {
  // Two brackets, and commas between the items.
  addBytes(count, 2 + Math.max(0, items.length - 1));
  for (const item of items) addJsonBytes(count, item, depth + 1);
}

function addObjectBytes(count: ByteCount, object: JsonObject, depth: number): void {
  let isEmpty = true;
  addBytes(count, 1);
  for (const key of Object.keys(object)) {
    const member = object[key];
    if (member === undefined) continue;
    isEmpty = false;
    addStringBytes(count, key);
    // The colon, and a comma or, after the last member, the closing brace.
    addBytes(count, 2);
    addJsonBytes(count, member, depth + 1);
  }
  if (isEmpty) addBytes(count, 1);
}

/** The bytes of null, a boolean or a finite number as JSON text. */
function scalarByteLength(value: null | boolean | number): number {
  return String(value).length;
}

/** A character that takes more than one byte of JSON text: it is escaped, or not ASCII. */
const multiByte = /[^ !#-[\]-~]/;

/** The bytes of a string as JSON text in UTF-8, with its quotes. */
function stringByteLength(text: string): number {
  return multiByte.test(text) ? Buffer.byteLength(JSON.stringify(text)) : text.length + 2;
}
