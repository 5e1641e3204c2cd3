import {
  defineOwn,
  isJsonObject,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
} from './json.ts';
import { jsonByteLength } from './size.ts';
import { numberBytes, stringBytes } from './text-bytes.ts';

/** Why a value is no acceptable JSON; its message is safe to show. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/** What is known of a copy's size while it is made, in bytes of JSON text. */
interface Size {
  readonly limit: number;
  /** Bytes that there are at least. */
  least: number;
  /** Bytes that there may be beyond them: not every text is measured exactly at first. */
  slack: number;
}

/** The longest text of a number, such as -0.0000012345678901234567. */
const LONGEST_NUMBER = 25;

/** The most bytes that one UTF-16 unit becomes in JSON text: that of an escape such as \u0000. */
const LONGEST_UNIT = 6;

/** Small values and long texts are not measured exactly at once: that would double the time to copy them. */
const SMALL_BYTES = 16_384;
const LONG_TEXT = 64;

/**
 * A deep copy of a value as JSON, aliased to nothing, with the rules of `JSON.stringify` where they lose
 * nothing: `undefined` members are dropped and `toJSON` is called. Throws {@link JsonError} for what JSON
 * cannot say (functions, BigInt, cycles, numbers that are not finite), for nesting deeper than
 * {@link MAX_JSON_DEPTH}, and for more than `maxBytes` of JSON text in UTF-8.
 */
export function copyJson(value: unknown, maxBytes: number, measured?: Measured): JsonValue {
  const size: Size = { limit: maxBytes, least: 0, slack: 0 };
  const copy = copyValue(value, size, 0);
  const mayExceed = size.least + size.slack > maxBytes;
  if (mayExceed && jsonByteLength(copy, maxBytes) > maxBytes) throw tooLarge(maxBytes);
  if (measured !== undefined) measured.bytes = size.least;
  return copy;
}

/** What is told of a value that was copied. */
export interface Measured {
  /** Bytes that its JSON text has at least; nearly all of them, but for texts that are not plain ASCII. */
  bytes: number;
}

/** As {@link copyJson}, for values that must be objects. */
export function copyJsonObject(value: unknown, maxBytes: number, measured?: Measured): JsonObject {
  if (!isPlainObject(value)) throw new JsonError('is not an object');
  const copy = copyJson(value, maxBytes, measured);
  if (!isJsonObject(copy)) throw new JsonError('is not an object');
  return copy;
}

function tooLarge(maxBytes: number): JsonError {
  return new JsonError(`is larger than ${maxBytes} bytes of JSON`);
}

function spend(size: Size, bytes: number): void {
  size.least += bytes;
  if (size.least > size.limit) throw tooLarge(size.limit);
}

function spendText(size: Size, text: string): void {
  if (size.least > SMALL_BYTES && text.length <= LONG_TEXT) spend(size, stringBytes(text));
  else {
    size.slack += text.length * (LONGEST_UNIT - 1);
    spend(size, text.length + 2);
  }
}

function spendNumber(size: Size, value: number): void {
  const isWhole = Number.isInteger(value);
  if (!isWhole) size.slack += LONGEST_NUMBER - 1;
  spend(size, isWhole ? numberBytes(value) : 1);
}

function copyValue(value: unknown, size: Size, depth: number): JsonValue {
  switch (typeof value) {
    case 'string':
      spendText(size, value);
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new JsonError('holds a number that is not finite');
      spendNumber(size, value);
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
  spend(size, 1);
  const copy: Record<string, JsonValue> = {};
  let isEmpty = true;
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (member === undefined) continue;
    isEmpty = false;
    // The colon, and a comma or, behind the last member, the closing brace.
    spend(size, 2);
    spendText(size, key);
    const memberCopy = copyValue(member, size, depth + 1);
    if (key === '__proto__') defineOwn(copy, key, memberCopy);
    else copy[key] = memberCopy;
  }
  if (isEmpty) spend(size, 1);
  return copy;
}

function copyArray(values: readonly unknown[], size: Size, depth: number): JsonValue {
  const { length } = values;
  spend(size, 2 + Math.max(0, length - 1));
  // In its exact length: pushed one by one, each short array would keep room for 16 more, which for 1 MiB of lists in
  // lists is three times the memory, and as much more work for the garbage collector. By the places of its items, and
  // by no iterator or method of its own, which may go on without end or hand over what somebody else keeps.
  const copy = new Array<JsonValue>(length);
  for (let index = 0; index < length; index++) {
    const item = values[index];
    copy[index] = copyValue(item === undefined ? null : item, size, depth + 1);
  }
  return copy;
}
