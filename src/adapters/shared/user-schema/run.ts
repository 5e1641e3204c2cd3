import { isJsonArray, type JsonValue } from '../../../lib/json/json.ts';
import type { InputIssue } from '../../../ports/tool.ts';
import { type LinearPattern, maxMatchCost } from '../linear-pattern.ts';
import type { TypeName } from './keywords.ts';

/** Units of work for checking one input. A unit takes up to about 100 ns. */
const MAX_WORK = 300_000;

/** Maximum number of checks within checks. */
const MAX_DEPTH = 500;

/** Maximum number of issues that are told. */
const MAX_ISSUES = 5;

/** An input takes too much work, or is nested too deep. */
export class InputLimitError extends Error {
  override readonly name = 'InputLimitError';
}

/** The check of one input. */
export interface Run {
  work: number;
  depth: number;
  /** Above 0 while a part is only tried, as those of `anyOf` are. */
  trials: number;
  readonly issues: InputIssue[];
}

/** Where a value stands in the input. */
export interface At {
  readonly key: string | number;
  readonly parent: At | undefined;
}

/** The members and items that were checked by some part, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
}

/** Checks a value against one keyword; tells the issues. */
export type Check = (value: JsonValue, run: Run, at: At | undefined, seen: Evaluated | undefined) => boolean;

/** A check of values of one type only. */
export type CheckOf<T> = (value: T, run: Run, at: At | undefined, seen: Evaluated | undefined) => boolean;

/** A new run. */
export function createRun(): Run {
  return { work: MAX_WORK, depth: 0, trials: 0, issues: [] };
}

/** Takes units of work. Throws {@link InputLimitError} when none are left. */
export function spend(run: Run, units: number): void {
  run.work -= units;
  if (run.work < 0) throw new InputLimitError('takes too much work to check');
}

/** Enters a check within a check. Throws {@link InputLimitError} where there are too many. */
export function enter(run: Run): void {
  spend(run, 3);
  run.depth++;
  if (run.depth > MAX_DEPTH) throw new InputLimitError('is nested too deep');
}

/** Tells an issue, unless a part is only tried. Always false, so that a check can return it. */
export function fail(run: Run, at: At | undefined, message: string, key?: string | number): false {
  if (run.trials > 0 || run.issues.length >= MAX_ISSUES) return false;
  const path: (string | number)[] = key === undefined ? [] : [key];
  for (let place = at; place !== undefined; place = place.parent) path.unshift(place.key);
  run.issues.push({ path, message });
  return false;
}

/** True when a failed check needs no further issues. */
export function isDone(run: Run): boolean {
  return run.trials > 0 || run.issues.length >= MAX_ISSUES;
}

/** Checks without telling issues. */
export function attempt(run: Run, check: () => boolean): boolean {
  run.trials++;
  const isValid = check();
  run.trials--;
  return isValid;
}

/** Matches a pattern. Refuses beforehand what may take far more work than is left. */
export function matches(run: Run, pattern: LinearPattern, text: string): boolean {
  if (maxMatchCost(pattern, text) > 2 * run.work) spend(run, MAX_WORK);
  const { found, cost } = pattern.match(text);
  spend(run, cost);
  return found;
}

/** The type of a value; integers are told as `integer`. */
export function typeOf(value: JsonValue): TypeName {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'object') return isJsonArray(value) ? 'array' : 'object';
  return typeof value === 'string' ? 'string' : 'boolean';
}

/** A text that is equal for equal values only: the JSON text with sorted keys. */
export function canonical(run: Run, value: JsonValue): string {
  spend(run, 3);
  if (typeof value === 'string') spend(run, value.length / 16);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map((item) => canonical(run, item)).join()}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  spend(run, members.length * 4);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(run, member)}`).join()}}`;
}

/** Adds what one part has seen to what another has. */
export function merge(run: Run, from: Evaluated, to: Evaluated): void {
  run.work -= from.properties.size + from.items.size;
  for (const key of from.properties) to.properties.add(key);
  for (const index of from.items) to.items.add(index);
}

/** A number with its noun: `1 item`, `2 items`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
