import { type JsonObject, type JsonValue, MAX_JSON_DEPTH } from './json.ts';

/** What is left of a bound on the size of JSON; a measurement stops as soon as it is used up. */
export interface JsonBudget {
  /** Bytes of JSON text in UTF-8; below zero once the bound is exceeded. */
  left: number;
  /** Set once something was nested deeper than {@link MAX_JSON_DEPTH}. */
  tooDeep: boolean;
}

/**
 * Takes the exact size of a value as JSON text in UTF-8 from a budget, without making that text, and stops where the
 * budget ends: the time is bounded by the budget, not by the value. `depth` is the nesting in which the value will
 * stand.
 */
export function spendJson(budget: JsonBudget, value: JsonValue, depth: number): void {
  switch (typeof value) {
    case 'string':
      spendString(budget, value);
      return;
    case 'number':
      budget.left -= numberBytes(value);
      return;
    case 'boolean':
      budget.left -= value ? 4 : 5;
      return;
    default:
      if (value === null) budget.left -= 4;
      else if (depth >= MAX_JSON_DEPTH) budget.tooDeep = true;
      else if (isList(value)) spendArray(budget, value, depth);
      else spendObject(budget, value, depth);
  }
}

/** The exact size of a value as JSON text in UTF-8, in bytes; Infinity where it is more than `most` or nested too deep. */
export function jsonBytesUpTo(value: JsonValue, most: number): number {
  const budget: JsonBudget = { left: most, tooDeep: false };
  spendJson(budget, value, 0);
  return budget.left < 0 || budget.tooDeep ? Number.POSITIVE_INFINITY : most - budget.left;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function spendArray(budget: JsonBudget, values: readonly JsonValue[], depth: number): void {
  budget.left -= 2 + Math.max(0, values.length - 1);
  for (const item of values) {
    if (budget.left < 0 || budget.tooDeep) return;
    spendJson(budget, item, depth + 1);
  }
}

function spendObject(budget: JsonBudget, members: JsonObject, depth: number): void {
  budget.left -= 1;
  let count = 0;
  for (const key in members) {
    const member = Object.hasOwn(members, key) ? members[key] : undefined;
    if (member === undefined) continue;
    count++;
    // One for the colon and one for the comma, or for the brace at the end.
    budget.left -= 2;
    spendString(budget, key);
    spendJson(budget, member, depth + 1);
    if (budget.left < 0 || budget.tooDeep) return;
  }
  if (count === 0) budget.left -= 1;
}

/** Whole numbers of up to nine digits are the most common by far, and need no text to be measured. */
function numberBytes(value: number): number {
  if (!Number.isInteger(value) || value <= -1e9 || value >= 1e9) return JSON.stringify(value).length;
  let bytes = value < 0 ? 2 : 1;
  for (let rest = Math.abs(value); rest >= 10; rest /= 10) bytes++;
  return bytes;
}

function spendString(budget: JsonBudget, text: string): void {
  budget.left -= text.length + 2;
  if (budget.left < 0) return;
  let more = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      if (unit < 0x20) more += isShortEscape(unit) ? 1 : 5;
      else if (unit === 0x22 || unit === 0x5c) more += 1;
    } else if (unit < 0x800) more += 1;
    else if (unit < 0xd800 || unit >= 0xe000) more += 2;
    else if (unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) {
      more += 2;
      index++;
    } else more += 5;
  }
  budget.left -= more;
}

/** True for the control characters that JSON writes in two characters: \b, \t, \n, \f and \r. */
function isShortEscape(unit: number): boolean {
  return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
