import type { JsonObject, JsonValue } from '../../../../src/lib/json/json.ts';
import { UNIT } from './scenario.ts';

/** Stands for any text, alone or within a text, and alone for any value, where the semantics do not say which one. */
export const ANY = '⟨any⟩';

/** A step or item for which a tool, an agent, a person or a child is called. */
export interface ExpectedCall {
  /** The step as its input names it, and the index of its item, from 0. */
  readonly step: string;
  readonly at: number;
  /** The input or the payload, without these two. */
  readonly input: JsonObject;
  /** Attempts; null where they are not determined. */
  readonly attempts: number | null;
  /** When it begins, in milliseconds since the epoch; null where that is not determined. */
  readonly start: number | null;
  /** The title of an approval. */
  readonly title?: string;
  readonly child?: ExpectedRun;
}

/** The end of a step. */
export interface ExpectedStep {
  readonly status: 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';
  readonly why: 'failed_before' | 'condition' | 'cancelled' | null;
  readonly output: JsonValue;
  /** Also of a step that completes with the output of `on_error`, whose record has none. */
  readonly error: string | null;
  /** Null where they are not determined. */
  readonly attempts: number | null;
  readonly calls: readonly ExpectedCall[];
  /** Calls that are made or not, as it happens. */
  readonly possibleCalls: readonly ExpectedCall[];
  /** When it ends, in milliseconds since the epoch; null for a skipped step, and where that is not determined. */
  readonly end: number | null;
  /** The outputs of the items that have completed, and how many items there were; null without items. */
  readonly items: ExpectedItems | null;
}

/** The items of a step that a retry of the run keeps. */
export interface ExpectedItems {
  readonly total: number;
  readonly outputs: ReadonlyMap<number, JsonValue>;
}

/** The end of a run. */
export interface ExpectedRun {
  readonly definition: number;
  readonly input: JsonObject;
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly error: string | null;
  readonly output: JsonValue;
  readonly steps: ReadonlyMap<string, ExpectedStep>;
  /** When, in milliseconds since the epoch. */
  readonly end: number;
  /** True where `end` is known exactly. */
  readonly isExact: boolean;
}

/** The order of two things that happen at about the same time decides how a scenario ends. */
export class Ambiguous extends Error {
  override readonly name = 'Ambiguous';
}

/** Times that are closer than this have no certain order, in milliseconds. */
export const MARGIN = UNIT / 10;

/** True for two times that are too close to have a certain order. */
export function areClose(left: number, right: number): boolean {
  return left === right || Math.abs(left - right) < MARGIN;
}

/** True where one time is certainly before another. Throws {@link Ambiguous}. */
export function isBefore(left: number, right: number): boolean {
  if (areClose(left, right)) throw new Ambiguous(`${left} and ${right} have no certain order`);
  return left < right;
}

/** When something is stopped from outside, and by what: the time-out of the step, the deadline of the run, a cancel. */
export interface Limit {
  readonly at: number;
  readonly by: 'timeout' | 'deadline' | 'cancel';
  /** Another one is so close that either may be first. */
  readonly isClose: boolean;
}

/** The first of two limits. */
export function firstLimit(left: Limit | null, right: Limit | null): Limit | null {
  if (left === null || right === null) return left ?? right;
  const first = left.at <= right.at ? left : right;
  return areClose(left.at, right.at) && left.by !== right.by ? { ...first, isClose: true } : first;
}

/** True where something that ends at `end` is stopped before. Throws {@link Ambiguous}. */
export function isStopped(end: number, limit: Limit | null): limit is Limit {
  if (limit === null) {
    if (end === Number.POSITIVE_INFINITY) throw new Ambiguous('the run never ends');
    return false;
  }
  if (isBefore(end, limit.at)) return false;
  if (limit.isClose) throw new Ambiguous('two limits are close');
  return true;
}
