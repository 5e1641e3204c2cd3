import type { Limits } from '../../../domain/limits.ts';
import type { ItemEnd } from '../../../domain/run/events.ts';
import {
  foreachOutcome,
  isStopped,
  itemsTooLargeText,
  PROGRESS_INTERVAL_MS,
} from '../../../domain/run/steps/foreach.ts';
import { DEFAULT_FOREACH_CONCURRENCY, type ForeachPolicy } from '../../../domain/workflow/policies.ts';
import { itemAt } from '../../../lib/array.ts';
import { sleep } from '../../../lib/async/sleep.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { JsonValue } from '../../../lib/json/json.ts';
import { jsonByteLength } from '../../../lib/json/size.ts';
import { elapsedMs } from '../../../lib/text/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type ActiveRun, record } from '../active-run.ts';
import type { CallEnd, CallStep, StepCall } from './call-step.ts';

/** What the items of a step need while they run. */
export interface ItemRecorder {
  /** Called when there is an event to save while other steps go on. */
  onEvent(run: ActiveRun): void;
  /** Saves what was recorded. Resolves to false where the run must not go on. */
  save(run: ActiveRun): Promise<boolean>;
}

/** The items of a step that are to be called. */
export interface ItemsCall extends Omit<StepCall, 'item'> {
  readonly items: readonly JsonValue[];
  readonly policy: ForeachPolicy;
  /** Whether it is recorded that an item may have been called before it is. */
  readonly recordsStarts: boolean;
}

/** Calls the tool or agent of a step for each of its items, and resolves to the end of the step. Never rejects. */
export type RunItems = (run: ActiveRun, call: ItemsCall, recorder: ItemRecorder) => Promise<CallEnd>;

/**
 * By what the number of items grows that may be ahead of what is recorded, where these end faster than that is
 * recorded.
 */
const GROWTH = 4;

/** Creates {@link RunItems}. */
export function createRunItems(
  clock: Clock,
  callStep: CallStep,
  { maxOutputBytes }: Pick<Limits, 'maxOutputBytes'>,
): RunItems {
  return async (run, call, recorder) => {
    const { index, step, items, policy, recordsStarts, signal } = call;
    const total = items.length;
    const startedMs = clock.monotonic();
    const kept = run.state.foreach?.get(index);
    const ends = new Map(kept?.total === total ? kept.ends : []);
    const counts = { failed: kept?.total === total ? kept.failed : 0, attempts: 0, bytes: 0 };
    const concurrency = Math.min(policy.concurrency ?? DEFAULT_FOREACH_CONCURRENCY, total);
    let unrecorded: ItemEnd[] = [];
    let ahead = concurrency;
    let mark = recordsStarts ? Math.min(total, firstCalled() + ahead) : total;
    /** The mark that is in the log: only items before it may be called. */
    let savedMark = mark;
    let wasCancelled = false;
    let cancelTimer: (() => void) | undefined;
    /** When progress was recorded last, by the monotonic clock: the wall clock may be set back. */
    let recordedMs = startedMs;
    let raising: Promise<boolean> | undefined;
    for (const { output } of ends.values()) if (output !== null) counts.bytes += jsonByteLength(output);

    /** The first item without an end. */
    function firstCalled(): number {
      let item = 0;
      while (ends.has(item)) item++;
      return item;
    }

    function recordProgress(): void {
      cancelTimer?.();
      cancelTimer = undefined;
      const progress = { done: ends.size, failed: counts.failed, total, ends: unrecorded, mark };
      unrecorded = [];
      recordedMs = clock.monotonic();
      const seq = run.state.seq + 1;
      record(run, { seq, type: 'step.progress', at: clock.now(), stepId: step.id, ...progress });
    }

    /** Whether the run still is what the items belong to. */
    const isOurs = (): boolean => !run.isLost && itemAt(run.state.results, index).status === 'RUNNING';

    function recordSoon(): void {
      cancelTimer ??= clock.after(PROGRESS_INTERVAL_MS, () => {
        if (!isOurs()) return;
        recordProgress();
        recorder.onEvent(run);
      });
    }

    /** Records that more items may be called, at most four times a second. Resolves to false where none may. */
    async function raiseMark(): Promise<boolean> {
      const since = clock.monotonic() - recordedMs;
      if (since < PROGRESS_INTERVAL_MS) {
        ahead *= GROWTH;
        await sleep(clock, PROGRESS_INTERVAL_MS - since, signal);
      }
      if (!isOurs() || signal.aborted) return false;
      mark = Math.min(total, mark + ahead);
      const raised = mark;
      recordProgress();
      if (!(await recorder.save(run))) return false;
      savedMark = raised;
      return true;
    }

    async function mayCall(item: number): Promise<boolean> {
      while (item >= savedMark) {
        raising ??= raiseMark().finally(() => {
          raising = undefined;
        });
        if (!(await raising)) return false;
      }
      return !signal.aborted && !isStopped(counts, policy) && counts.bytes <= maxOutputBytes;
    }

    function addEnd(item: number, end: CallEnd): void {
      counts.attempts += end.attempts;
      if (end.output === null && end.cancelled) wasCancelled = true;
      // An item that was stopped has no end: it is called again where the step is.
      if (end.output === null && signal.aborted) return;
      const { output, error, attempts } = end;
      if (error !== null) counts.failed++;
      if (output !== null) counts.bytes += jsonByteLength(output);
      const itemEnd: ItemEnd = { index: item, output, error, attempts };
      ends.set(item, itemEnd);
      unrecorded.push(itemEnd);
      recordSoon();
    }

    async function work(indexes: Iterable<number>): Promise<void> {
      for (const item of indexes) {
        if (ends.has(item)) continue;
        if (!(await mayCall(item))) return;
        const value = itemAt(items, item);
        addEnd(item, await callStep(run, { ...call, item: { value, index: item } }));
        await yieldIfDue();
      }
    }

    recordProgress();
    if (!recordsStarts || (await recorder.save(run))) {
      const indexes = items.keys();
      const workers: Promise<void>[] = [];
      while (workers.length < concurrency) {
        await yieldIfDue();
        workers.push(work(indexes));
      }
      await Promise.all(workers);
    }
    const base = { attempts: counts.attempts, durationMs: elapsedMs(startedMs, clock.monotonic()) };
    const outcome = outcomeOf();
    const isCompleted = 'output' in outcome;
    if (isCompleted) cancelTimer?.();
    else if (unrecorded.length > 0 && isOurs()) recordProgress();
    cancelTimer?.();
    if (isCompleted) return { ...base, output: outcome.output, error: null };
    return { ...base, output: null, error: outcome.error, cancelled: isCancelled() };

    /** Whether items are left because the run is cancelled, also where those under way have ended by themselves. */
    function isCancelled(): boolean {
      return wasCancelled || (run.state.cancel !== null && ends.size < total && !isStopped(counts, policy));
    }

    function outcomeOf(): ReturnType<typeof foreachOutcome> {
      if (counts.bytes > maxOutputBytes) {
        return { error: itemsTooLargeText(maxOutputBytes) };
      }
      if (signal.aborted && ends.size < total) return { error: isCancelled() ? 'cancelled' : 'interrupted' };
      return foreachOutcome({ total, ends, failed: counts.failed }, policy);
    }
  };
}
