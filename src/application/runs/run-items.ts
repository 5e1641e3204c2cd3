import type { Limits } from '../../domain/limits.ts';
import type { ItemEnd } from '../../domain/run/events.ts';
import {
  foreachOutcome,
  isStopped,
  itemsTooLargeText,
  PROGRESS_INTERVAL_MS,
} from '../../domain/run/foreach.ts';
import type { Step } from '../../domain/workflow/definition.ts';
import { DEFAULT_FOREACH_CONCURRENCY, type ForeachPolicy } from '../../domain/workflow/policies.ts';
import { itemAt } from '../../lib/array.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { JsonObject, JsonValue } from '../../lib/json/json.ts';
import { jsonByteLength } from '../../lib/json/size.ts';
import { elapsedMs } from '../../lib/text/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OwnedRun } from './owned-runs.ts';

/** The end of a call of a tool or an agent, or of all calls of a step. Either the output or the error is null. */
export interface CallEnd {
  readonly output: JsonObject | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** 1 when absent. */
  readonly attempts?: number;
  /** True where it ended because the run was cancelled. */
  readonly cancelled?: boolean | undefined;
}

/** A call of a tool or an agent. */
export interface StepCall {
  readonly index: number;
  readonly step: Step;
  /** Aborted when the call is to end. */
  readonly signal: AbortSignal;
  /** The item that it is made for; undefined for a step without `foreach`. */
  readonly item?: { readonly value: JsonValue; readonly index: number } | undefined;
  /** Called before each wait for another attempt. */
  readonly onRetry: (attempt: number, error: string, delayMs: number) => void;
}

/** Calls the tool or agent of a step for each of its items, and resolves to the end of the step. Never rejects. */
export type RunItems = (
  run: OwnedRun,
  call: Omit<StepCall, 'item'> & {
    readonly items: readonly JsonValue[];
    readonly policy: ForeachPolicy;
    /** True where it is recorded before the call of an item that it may have been called. */
    readonly recordsStarts: boolean;
  },
) => Promise<CallEnd>;

/** The factor by which the window of items grows where these end faster than it is extended. */
const GROWTH = 4;

/** Creates {@link RunItems}. `callItem` calls the tool or agent for one item, and never rejects. */
export function createRunItems(
  clock: Clock,
  callItem: (run: OwnedRun, call: StepCall) => Promise<CallEnd>,
  { maxOutputBytes }: Pick<Limits, 'maxOutputBytes'>,
): RunItems {
  return async (run, call) => {
    const { index, step, items, policy, recordsStarts, signal } = call;
    const { state, log } = run;
    const total = items.length;
    const startedMs = clock.monotonic();
    const kept = state.foreach?.get(index);
    const results = new Map(kept?.total === total ? kept.results : []);
    const counts = { failed: kept?.total === total ? kept.failed : 0, attempts: 0, bytes: 0 };
    const concurrency = Math.min(policy.concurrency ?? DEFAULT_FOREACH_CONCURRENCY, total);
    let unrecorded: ItemEnd[] = [];
    let windowSize = concurrency;
    /** Items before this index may have been called. */
    let startedUpTo = recordsStarts ? Math.min(total, firstWithoutEnd() + windowSize) : total;
    /** The same as the log has it: only items before it may be called. */
    let savedUpTo = startedUpTo;
    let extending: Promise<boolean> | undefined;
    let wasCancelled = false;
    let cancelTimer: (() => void) | undefined;
    /** When progress was recorded last, by the monotonic clock: the wall clock may be set back. */
    let recordedMs = startedMs;
    for (const { output } of results.values()) if (output !== null) counts.bytes += jsonByteLength(output);

    function firstWithoutEnd(): number {
      let item = 0;
      while (results.has(item)) item++;
      return item;
    }

    /** True while the step is under way in this process. */
    const isUnderWay = (): boolean =>
      run.phase !== 'lost' && itemAt(state.results, index).status === 'RUNNING';

    function recordProgress(): void {
      cancelTimer?.();
      cancelTimer = undefined;
      const progress = {
        done: results.size,
        failed: counts.failed,
        total,
        ends: unrecorded,
        mark: startedUpTo,
      };
      unrecorded = [];
      recordedMs = clock.monotonic();
      const event = { seq: state.seq + 1, at: clock.now(), stepId: step.id, ...progress };
      log.record({ ...event, type: 'step.progress' });
    }

    function recordSoon(): void {
      cancelTimer ??= clock.after(PROGRESS_INTERVAL_MS, () => {
        if (!isUnderWay()) return;
        recordProgress();
        log.saveSoon();
      });
    }

    /** Records that more items may be called, at most four times a second. Resolves to false where none may. */
    async function extendWindow(): Promise<boolean> {
      const since = clock.monotonic() - recordedMs;
      if (since < PROGRESS_INTERVAL_MS) {
        windowSize *= GROWTH;
        await sleep(clock, PROGRESS_INTERVAL_MS - since, signal);
      }
      if (!isUnderWay() || signal.aborted) return false;
      startedUpTo = Math.min(total, startedUpTo + windowSize);
      const extended = startedUpTo;
      recordProgress();
      if (!(await log.flush())) return false;
      savedUpTo = extended;
      return true;
    }

    async function mayCall(item: number): Promise<boolean> {
      while (item >= savedUpTo) {
        extending ??= extendWindow().finally(() => {
          extending = undefined;
        });
        if (!(await extending)) return false;
      }
      return !signal.aborted && !isStopped(counts, policy) && counts.bytes <= maxOutputBytes;
    }

    function addResult(item: number, { output, error, attempts = 1, cancelled }: CallEnd): void {
      counts.attempts += attempts;
      if (output === null && cancelled === true) wasCancelled = true;
      // An item that was stopped has no end: it is called again where the step is.
      if (output === null && signal.aborted) return;
      if (output === null) counts.failed++;
      else counts.bytes += jsonByteLength(output);
      const result: ItemEnd = { index: item, output, error, attempts };
      results.set(item, result);
      unrecorded.push(result);
      recordSoon();
    }

    async function work(indexes: Iterable<number>): Promise<void> {
      for (const item of indexes) {
        if (results.has(item)) continue;
        if (!(await mayCall(item))) return;
        const value = itemAt(items, item);
        addResult(item, await callItem(run, { ...call, item: { value, index: item } }));
        await yieldIfDue();
      }
    }

    /** True where items are left because the run is cancelled, also where those under way have ended by themselves. */
    function isCancelled(): boolean {
      return wasCancelled || (state.cancel !== null && results.size < total && !isStopped(counts, policy));
    }

    function outcome(): ReturnType<typeof foreachOutcome> {
      if (counts.bytes > maxOutputBytes) return { error: itemsTooLargeText(maxOutputBytes) };
      if (signal.aborted && results.size < total)
        return { error: isCancelled() ? 'cancelled' : 'interrupted' };
      return foreachOutcome({ total, results, failed: counts.failed }, policy);
    }

    recordProgress();
    if (!recordsStarts || (await log.flush())) {
      const indexes = items.keys();
      const workers: Promise<void>[] = [];
      while (workers.length < concurrency) {
        await yieldIfDue();
        workers.push(work(indexes));
      }
      await Promise.all(workers);
    }
    const end = { attempts: counts.attempts, durationMs: elapsedMs(startedMs, clock.monotonic()) };
    const ended = outcome();
    const isCompleted = 'output' in ended;
    if (!isCompleted && unrecorded.length > 0 && isUnderWay()) recordProgress();
    cancelTimer?.();
    if (isCompleted) return { ...end, output: ended.output, error: null };
    return { ...end, output: null, error: ended.error, cancelled: isCancelled() };
  };
}
