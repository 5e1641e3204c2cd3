import type { InboxItem } from '../../../../src/domain/inbox/item.ts';
import type { RunEvent } from '../../../../src/domain/run/events.ts';
import type { Run } from '../../../../src/domain/run/run.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../../src/lib/json/json.ts';
import { ANY, type ExpectedCall, type ExpectedRun, type ExpectedStep, MARGIN } from './expected.ts';
import { nameOf } from './scenario.ts';

/**
 * The differences from the expected run, one text each; empty without any. Attempts and times are not compared where
 * `isDisturbed`, because they may have been lost or repeated.
 */
export function differences(expected: ExpectedRun, world: World, isDisturbed: boolean): string[] {
  const issues: string[] = [];

  function check(place: string, expectedValue: JsonValue, actual: JsonValue | undefined): void {
    if (actual !== undefined && fits(expectedValue, actual)) return;
    issues.push(`${place}: expected ${JSON.stringify(expectedValue)}, got ${JSON.stringify(actual)}`);
  }

  function checkTime(place: string, expectedTime: number | null, actual: string | number | null): void {
    if (expectedTime === null || isDisturbed) return;
    const late = (typeof actual === 'string' ? Date.parse(actual) : (actual ?? Number.NaN)) - expectedTime;
    if (!(Math.abs(late) < MARGIN)) issues.push(`${place}: ${late} ms later than expected`);
  }

  function checkRun(run: ExpectedRun, runId: string, path: string): void {
    const stored = world.runs.get(runId);
    if (stored === undefined) return void issues.push(`${path}: there is no run ${runId}`);
    const { record } = stored;
    check(`${path} status`, run.status, record.status);
    check(`${path} error`, run.error, record.error);
    check(`${path} output`, run.output, record.output);
    check(
      `${path} steps`,
      [...run.steps.keys()].sort(),
      record.stepResults.map(({ stepId }) => stepId).sort(),
    );
    for (const [id, step] of run.steps) {
      const place = `${path} ${nameOf(run.definition, id)}`;
      checkStep(step, id, stored, place);
      checkCalls(step, nameOf(run.definition, id), runId, place);
      checkItems(step, nameOf(run.definition, id), runId, place);
      checkChildren(step, nameOf(run.definition, id), runId, place);
    }
  }

  function checkStep(
    step: ExpectedStep,
    id: string,
    { record, events }: StoredWorldRun,
    place: string,
  ): void {
    const result = record.stepResults.find(({ stepId }) => stepId === id);
    if (result === undefined) return;
    const last = events?.findLast(
      (event) => event.type.startsWith('step.') && 'stepId' in event && event.stepId === id,
    );
    check(`${place} status`, step.status, result.status);
    check(`${place} output`, step.output, result.output);
    if (step.status === 'COMPLETED') check(`${place} error`, null, result.error);
    if (step.status === 'FAILED') check(`${place} error`, step.error, result.error);
    if (!isDisturbed && step.attempts !== null) check(`${place} attempts`, step.attempts, result.attempts);
    checkTime(`${place} end`, step.end, result.completedAt);
    if (events === null) return;
    if (step.why !== null) check(`${place} why`, step.why, last?.type === 'step.skipped' ? last.why : null);
    if (step.status !== 'COMPLETED') return;
    check(`${place} error told`, step.error, last?.type === 'step.completed' ? (last.error ?? null) : null);
  }

  function checkCalls(step: ExpectedStep, name: string, runId: string, place: string): void {
    const made = world.calls?.filter((call) => call.runId === runId && call.step === name);
    if (made === undefined) return;
    const isCalled = ({ child, title }: ExpectedCall): boolean => child === undefined && title === undefined;
    const certain = step.calls.filter(isCalled);
    const known = [...certain, ...step.possibleCalls.filter(isCalled)];
    for (const { at } of made) {
      if (!known.some((call) => call.at === at)) issues.push(`${place}: item ${at} was called`);
    }
    for (const [at, calls] of Map.groupBy(known, (call) => call.at)) {
      const found = made.filter((call) => call.at === at);
      const isCertain = calls.some((call) => certain.includes(call));
      if (found.length === 0 && isCertain) issues.push(`${place}: item ${at} was not called`);
      for (const { input, madeAt } of found) {
        const [first, ...others] = calls;
        const call = others.find((other) => fits(other.input, input) && isNear(other.start, madeAt)) ?? first;
        if (call === undefined) continue;
        check(`${place} input of ${at}`, call.input, input);
        checkTime(`${place} call of ${at}`, call.start, madeAt);
      }
      const total = calls.reduce<number | null>((sum, call) => addKnown(sum, call.attempts), 0);
      if (isDisturbed || !isCertain || total === null) continue;
      check(`${place} calls of ${at}`, total, found.length);
    }
  }

  function checkItems(step: ExpectedStep, name: string, runId: string, place: string): void {
    const opened = world.opened?.flatMap(({ subject, kind, payload, title, openedAt }) => {
      const shown = kind === 'approval' && subject.id === runId && payload !== null ? shownIn(payload) : null;
      return shown?.step === name ? [{ ...shown, title, openedAt }] : [];
    });
    if (opened === undefined) return;
    const isAsked = ({ title }: ExpectedCall): boolean => title !== undefined;
    const certain = step.calls.filter(isAsked);
    const known = [...certain, ...step.possibleCalls.filter(isAsked)];
    for (const item of opened) {
      if (!known.some(({ at }) => at === item.at)) issues.push(`${place}: item ${item.at} was opened`);
    }
    for (const [at, calls] of Map.groupBy(known, (call) => call.at)) {
      const found = opened.filter((item) => item.at === at);
      const least = calls.filter((call) => certain.includes(call)).length;
      if (found.length > calls.length || found.length < least) {
        issues.push(`${place}: item ${at} was opened ${found.length} times`);
      }
      for (const [number, { input, title, openedAt }] of found.entries()) {
        const call = calls[number];
        if (call === undefined) continue;
        check(`${place} item ${at}`, [call.input, call.title ?? ''], [input, title]);
        checkTime(`${place} item ${at}`, call.start, openedAt);
      }
    }
  }

  function checkChildren(step: ExpectedStep, name: string, runId: string, place: string): void {
    if (world.calls === null) return;
    const begun = [...world.runs].flatMap(([childId, { record }]) => {
      if (record.parentRunId !== runId) return [];
      const mark = unmarked(record.input);
      return mark.step === name ? [{ ...mark, childId, createdAt: record.createdAt }] : [];
    });
    const known = [...step.calls, ...step.possibleCalls].filter(({ child }) => child !== undefined);
    for (const child of begun) {
      if (!known.some(({ at }) => at === child.at)) issues.push(`${place}: child ${child.at} was started`);
    }
    for (const call of known) {
      const found = begun.filter(({ at }) => at === call.at);
      if (found.length > 1 || (found.length === 0 && step.calls.includes(call))) {
        issues.push(`${place}: child ${call.at} was started ${found.length} times`);
      }
      for (const { childId, input, createdAt } of found) {
        check(`${place} input of child ${call.at}`, call.input, input);
        checkTime(`${place} child ${call.at}`, call.start, createdAt);
        if (call.child !== undefined) checkRun(call.child, childId, `${place}[${call.at}]`);
      }
    }
  }

  checkRun(expected, world.rootId, 'run');
  return issues;
}

/** The sum; null where one of the two is not known. */
function addKnown(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left + right;
}

/** True for the expected time, within the margin; true as well where that is not known. */
function isNear(expected: number | null, actual: number): boolean {
  return expected === null || Math.abs(actual - expected) < MARGIN;
}

/** The part of an approval's payload that an inbox item shows. */
export function shownIn(payload: JsonObject): ReturnType<typeof unmarked> {
  return unmarked(isJsonObject(payload['payload']) ? payload['payload'] : payload);
}

/** True for an expected value; {@link ANY} stands for any value, and within a text for any text. */
export function fits(expected: JsonValue, actual: JsonValue): boolean {
  if (expected === ANY) return true;
  if (typeof expected === 'string') return typeof actual === 'string' && textFits(expected, actual);
  if (isJsonArray(expected)) {
    if (!isJsonArray(actual) || actual.length !== expected.length) return false;
    return expected.every((member, index) => fits(member, actual[index] ?? null));
  }
  if (!isJsonObject(expected)) return expected === actual;
  if (!isJsonObject(actual)) return false;
  const keys = Object.keys(expected);
  if (Object.keys(actual).length !== keys.length) return false;
  return keys.every((key) => {
    const [left, right] = [expected[key], actual[key]];
    return left !== undefined && right !== undefined && fits(left, right);
  });
}

function textFits(expected: string, actual: string): boolean {
  const [first = '', ...parts] = expected.split(ANY);
  if (parts.length === 0) return expected === actual;
  if (!actual.startsWith(first)) return false;
  let position = first.length;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const found = isLast ? actual.length - part.length : actual.indexOf(part, position);
    if (found < position || !actual.startsWith(part, found)) return false;
    position = found + part.length;
  }
  return true;
}

/** An attempt at a tool or agent. */
export interface Call {
  readonly runId: string;
  /** The step as its input names it, and the index of its item, from 0. */
  readonly step: string;
  readonly at: number;
  /** The input without these two. */
  readonly input: JsonObject;
  readonly kind: 'tool' | 'agent';
  readonly name: string;
  /** The idempotency key of a tool; null for an agent. */
  readonly key: string | null;
  /** When it was made, in milliseconds since the epoch. */
  readonly madeAt: number;
}

/** A run with its log. */
export interface StoredWorldRun {
  readonly record: Run;
  /** Null where there is no log. */
  readonly events: readonly RunEvent[] | null;
}

/** The outcome of a scenario. */
export interface World {
  readonly rootId: string;
  /** The root and all its descendants, by their ids; the root alone where calls are not observed. */
  readonly runs: ReadonlyMap<string, StoredWorldRun>;
  /** In the order in which they were made; null where calls are not observed. */
  readonly calls: readonly Call[] | null;
  /** The items of approvals as they were opened; null where there is no inbox. */
  readonly opened: readonly InboxItem[] | null;
  /** The ids of the items that wait still. */
  readonly open: readonly string[];
}

/** The mark of a call, a payload or a child run, and what else there is. */
export function unmarked(value: JsonObject): { step: string; at: number; input: JsonObject } {
  const { step, at, ...input } = value;
  return { step: String(step), at: Number(at), input };
}
