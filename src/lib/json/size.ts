import { type JsonObject, type JsonValue, MAX_JSON_DEPTH } from './json.ts';
import { numberBytes, stringBytes } from './text-bytes.ts';

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
export function jsonByteLength(value: JsonValue, most: number): number {
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

function spendString(budget: JsonBudget, text: string): void {
  // What is too long by its characters alone need not be read.
  budget.left -= text.length + 2 > budget.left ? text.length + 2 : stringBytes(text);
}
