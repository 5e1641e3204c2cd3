import { type JsonObject, type JsonValue, MAX_JSON_DEPTH, setOwn } from '../../../../lib/json/json.ts';
import { countCharacters } from '../../../../lib/text/characters.ts';
import { ExpressionError, type Place } from '../error.ts';
import { spend, spendCharacters, spendText, type Work } from './work.ts';

/** Marks the values that neither JSON nor JavaScript has. */
const tag: unique symbol = Symbol('kind');

/** A duration of CEL, in whole milliseconds. */
export interface Duration {
  readonly [tag]: 'duration';
  readonly ms: number;
}

/** An optional of CEL: `value` is undefined for none. */
export interface Optional {
  readonly [tag]: 'optional';
  readonly value: Value | undefined;
}

/**
 * A value within an evaluation: JSON, integers as BigInt, so that `7 / 2` is 3 as in CEL, a Date for a timestamp,
 * durations and optionals.
 */
export type Value = JsonValue | bigint | Date | Duration | Optional | readonly Value[] | ValueMap;

/** An object whose members may be any values. */
export interface ValueMap {
  readonly [tag]?: never;
  readonly [key: string]: Value;
}

/** The kinds of values; `any` where only the evaluation shows it. */
export type Kind =
  | 'null'
  | 'boolean'
  | 'number'
  | 'text'
  | 'list'
  | 'object'
  | 'timestamp'
  | 'duration'
  | 'optional'
  | 'any';

/** The smallest and the largest integer, as in CEL. */
const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 63n - 1n;

/** Numbers, booleans or nulls of a list that a unit of work compares; other items are paid for one by one. */
const ITEMS_PER_UNIT = 4;

/** Units of work for each name that {@link keysOf} lists. */
const UNITS_PER_KEY = 2;

/** The kind of a value; never `any`. */
export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      if (value === null) return 'null';
      if (isList(value)) return 'list';
      if (value instanceof Date) return 'timestamp';
      return isTagged(value) ? value[tag] : 'object';
  }
}

/** The kind with its article, for error messages. */
export function describeKind(kind: Kind): string {
  if (kind === 'null' || kind === 'any') return kind === 'null' ? 'null' : 'a value';
  return kind === 'object' || kind === 'optional' ? `an ${kind}` : `a ${kind}`;
}

/** True for lists. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** True for objects; false for lists, null, and the values that JSON has not. */
export function isMap(value: Value): value is ValueMap {
  return isObject(value) && !isList(value) && !(value instanceof Date) && !isTagged(value);
}

function isObject(value: Value): value is Exclude<Value, null | boolean | number | string | bigint> {
  return typeof value === 'object' && value !== null;
}

function isTagged(value: Duration | Optional | ValueMap | JsonObject): value is Duration | Optional {
  return tag in value;
}

/** A duration of so many milliseconds. */
export function durationOf(ms: number): Duration {
  return { [tag]: 'duration', ms };
}

/** True for durations. */
export function isDuration(value: Value): value is Duration {
  return isObject(value) && !isList(value) && tag in value && value[tag] === 'duration';
}

/** A duration as CEL writes it: its seconds, such as `5400s` or `-1.5s`. */
export function textOfDuration({ ms }: Duration): string {
  const [whole, rest] = [Math.trunc(Math.abs(ms) / 1_000), Math.abs(ms) % 1_000];
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0').replace(/0+$/, '')}`;
  return `${ms < 0 ? '-' : ''}${whole}${fraction}s`;
}

/** An optional; none without a value. */
export function optionalOf(value?: Value): Optional {
  return { [tag]: 'optional', value };
}

/** True for optionals. */
export function isOptional(value: Value): value is Optional {
  return isObject(value) && !isList(value) && tag in value && value[tag] === 'optional';
}

/** True for integers and other numbers. */
export function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The own member, or undefined. */
export function memberOf(map: ValueMap, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** The integer, where it fits 64 bits. Throws {@link ExpressionError}. */
export function checkInteger(value: bigint, place: Place): bigint {
  if (value >= MIN_INTEGER && value <= MAX_INTEGER) return value;
  throw new ExpressionError('an integer does not fit 64 bits', place);
}

/** The number, where it is finite: JSON has no others. Throws {@link ExpressionError}. */
export function checkFinite(value: number, place: Place): number {
  if (Number.isFinite(value)) return value;
  throw new ExpressionError('a number is too large', place);
}

/** A whole number as an index, or undefined. */
export function toIndex(value: Value): number | undefined {
  const index = typeof value === 'bigint' ? Number(value) : value;
  return typeof index === 'number' && Number.isInteger(index) ? index : undefined;
}

/** The key of JSON for a key of CEL. */
export function toKey(value: Value): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : undefined;
  return typeof value === 'object' ? undefined : String(value);
}

/** The names of the members. Listing those of a large object takes long, which is paid for here. */
export function keysOf(map: ValueMap, work: Work, place: Place): readonly string[] {
  const keys = Object.keys(map);
  spend(work, keys.length * UNITS_PER_KEY, place);
  return keys;
}

/** The size of a text in characters (code points), of a list in items, of an object in members. */
export function sizeOf(value: Value, work: Work, place: Place): Value | undefined {
  if (typeof value === 'string') return BigInt(sizeOfText(value, work, place));
  if (isList(value)) return BigInt(value.length);
  return isMap(value) ? BigInt(keysOf(value, work, place).length) : undefined;
}

/** The number of code points, within the budget. */
export function sizeOfText(text: string, work: Work, place: Place): number {
  spendCharacters(work, text.length, place);
  return countCharacters(text);
}

/** Equality as in CEL: numbers by value, lists and objects by content, and different kinds are never equal. */
export function isEqual(one: Value, other: Value, work: Work, place: Place, depth = 0): boolean {
  if (isNumber(one) && isNumber(other)) return !(one < other) && !(one > other);
  if (typeof one === 'string' && typeof other === 'string') {
    if (one.length === other.length) spendText(work, one.length, place);
    return one === other;
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other;
  }
  spend(work, 1, place);
  checkDepth(depth, place);
  if (isList(one) || isList(other)) {
    if (!isList(one) || !isList(other) || one.length !== other.length) return false;
    spend(work, one.length / ITEMS_PER_UNIT, place);
    return one.every((item, index) => isEqual(item, other[index] ?? null, work, place, depth + 1));
  }
  if (one instanceof Date || other instanceof Date) {
    return one instanceof Date && other instanceof Date && one.getTime() === other.getTime();
  }
  if (isDuration(one) || isDuration(other))
    return isDuration(one) && isDuration(other) && one.ms === other.ms;
  if (isOptional(one) || isOptional(other)) {
    if (!isOptional(one) || !isOptional(other)) return false;
    if (one.value === undefined || other.value === undefined) return one.value === other.value;
    return isEqual(one.value, other.value, work, place, depth + 1);
  }
  const keys = keysOf(one, work, place);
  return (
    keys.length === keysOf(other, work, place).length &&
    keys.every((key) => {
      const [first, second] = [memberOf(one, key), memberOf(other, key)];
      return first !== undefined && second !== undefined && isEqual(first, second, work, place, depth + 1);
    })
  );
}

/** The value as JSON, copied. Throws {@link ExpressionError} for integers that a JSON number cannot hold. */
export function toJson(value: Value, work: Work, place: Place, depth = 0): JsonValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    throw new ExpressionError('an integer is too large for JSON; make it a text by string()', place);
  }
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value === 'string') spendText(work, value.length * 16, place);
  if (typeof value !== 'object' || value === null) return value;
  spend(work, 1, place);
  checkDepth(depth, place);
  if (value instanceof Date) return value.toISOString();
  if (isDuration(value)) return textOfDuration(value);
  if (isOptional(value)) {
    return value.value === undefined ? null : toJson(value.value, work, place, depth + 1);
  }
  if (isList(value)) {
    spend(work, value.length, place);
    return value.map((item) => toJson(item, work, place, depth + 1));
  }
  const copy: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    spend(work, 3 + key.length / 4, place);
    setOwn(copy, key, toJson(member, work, place, depth + 1));
  }
  return copy;
}

function checkDepth(depth: number, place: Place): void {
  if (depth > MAX_JSON_DEPTH) {
    throw new ExpressionError(`a value is nested deeper than ${MAX_JSON_DEPTH} levels`, place);
  }
}
