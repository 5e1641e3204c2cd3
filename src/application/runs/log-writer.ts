import type { CancelSignal, RunEvent } from '../../domain/run/events.ts';
import { changeBeforeEnd, changeOf, type RunChange } from '../../domain/run/state.ts';
import { backoffMs } from '../../lib/async/backoff.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Ports } from '../../ports/ports.ts';
import { type ActiveRun, keepSignal } from './active-run.ts';
import { createFailureLog } from './failure-log.ts';
import { inParts } from './parts.ts';

/**
 * The outcome of a save: `lost` when another process has written to the log, `unavailable` when the store was
 * unavailable for too long. In both cases the events stay unsaved. `signalled` as in `RunLog.append`.
 */
export type SaveOutcome = 'saved' | 'lost' | 'unavailable' | 'signalled';

/** What is done about the end of a run that is saved late. Each is retried where it rejects. */
export interface EndHandlers {
  /** Called once the end is saved. */
  readonly onSaved: () => Promise<void>;
  /** Ends a run which was to be cancelled before its end was saved. */
  readonly onSignalled: () => Promise<void>;
}

/** Appends the events of runs to their logs, in a store that may be unavailable for a while. */
export interface LogWriter {
  /**
   * Saves the unsaved events of a run that goes on. When the store fails, retries for up to ten seconds, or for a
   * durable run without a limit, until the run is told to stop.
   */
  save(run: ActiveRun): Promise<SaveOutcome>;
  /** Saves the unsaved events and then those that end the run, in one append where they are not large. */
  saveEnd(run: ActiveRun, ending: readonly RunEvent[], change: RunChange): Promise<SaveOutcome>;
  /**
   * Retries the unsaved events of a run that has ended until they are saved. Above a thousand such runs the oldest is
   * dropped and logged.
   */
  retryInBackground(run: ActiveRun, handlers: EndHandlers): void;
  /** Keeps a signal for a run that has ended and whose end is not saved yet. Ignored for any other. */
  keepSignal(runId: string, signal: CancelSignal): void;
  /** Tries once more to save the remaining events, and logs those that are dropped. */
  close(): Promise<void>;
}

/** Bytes of outputs above which events are saved in parts, so that the store never receives a very large append. */
const PART_BYTES = 1_024 * 1_024;

const MAX_RETRY_MS = 10_000;
const MAX_PENDING = 1_000;
const RETRY_INTERVAL_MS = 2_000;

const alreadySaved = Promise.resolve<SaveOutcome>('saved');

type WriterPorts = Pick<Ports, 'clock' | 'random' | 'logger' | 'events' | 'runs'>;

/** The end of a run that could not be saved yet. */
interface UnsavedEnd extends EndHandlers {
  readonly run: ActiveRun;
}

/** Creates a writer over the logs. A failed save of a run that goes on is retried for `maxRetryMs` milliseconds. */
export function createLogWriter(
  { clock, random, logger, events, runs }: WriterPorts,
  maxRetryMs = MAX_RETRY_MS,
): LogWriter {
  const pending = new Map<string, UnsavedEnd>();
  const logFailure = createFailureLog({ clock, logger }, 'events of a workflow run could not be saved');
  const noRetries = AbortSignal.abort();
  let cancel: (() => void) | undefined;
  /** The retry that is under way, or the last one. It never rejects. */
  let retrying = Promise.resolve();
  let closed = false;

  /**
   * Tries to append, at least once, until it succeeds, ten seconds have passed, or `signal` is aborted. Where it fails,
   * the events `back` are unsaved again.
   */
  async function append(
    run: ActiveRun,
    batch: readonly RunEvent[],
    change: RunChange,
    { signal, back }: { readonly signal: AbortSignal; readonly back: readonly RunEvent[] },
  ): Promise<SaveOutcome> {
    const { runId, workflowId } = run.state.head;
    let outcome: SaveOutcome = 'unavailable';
    let startedMs: number | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        const appended = await runs.append(runId, run.savedSeq, batch, change);
        if (appended === 'appended') {
          run.savedSeq += batch.length;
          run.savedWaitingFor = change.waitingFor;
          events({ type: 'run.appended', runId, workflowId, events: batch });
          return 'saved';
        }
        outcome = appended === 'conflict' ? 'lost' : appended;
        break;
      } catch (error) {
        logFailure(runId, error);
      }
      startedMs ??= clock.monotonic();
      const waitMs = backoffMs(attempt, random);
      const elapsedMs = clock.monotonic() - startedMs;
      if (signal.aborted || elapsedMs + waitMs > maxRetryMs) break;
      await sleep(clock, waitMs, signal);
    }
    run.unsaved = [...back, ...run.unsaved];
    return outcome;
  }

  /** Saves the unsaved events, then `ending`, in parts where their outputs are large. */
  function save(
    run: ActiveRun,
    ending: readonly RunEvent[],
    change: RunChange,
    signal: AbortSignal,
  ): Promise<SaveOutcome> {
    const back = run.unsaved;
    const all = ending.length === 0 ? back : [...back, ...ending];
    if (all.length === 0) return alreadySaved;
    run.unsaved = [];
    // One append in the usual case, without another promise (benchmark `engine`).
    if (run.outputBytes <= PART_BYTES) return append(run, all, change, { signal, back });
    return saveParts(run, back, all, change, signal);
  }

  async function saveParts(
    run: ActiveRun,
    unsaved: readonly RunEvent[],
    all: readonly RunEvent[],
    change: RunChange,
    signal: AbortSignal,
  ): Promise<SaveOutcome> {
    // The run ends in the store with the last part: should the process die before it, its log would have no end.
    // So does a wait: a decision that waits is kept until its events are written.
    const running = { ...changeBeforeEnd(run.state), waitingFor: run.savedWaitingFor };
    let saved = 0;
    for (const part of inParts(all, PART_BYTES)) {
      const isLast = saved + part.length === all.length;
      const outcome = await append(run, part, isLast ? change : running, {
        signal,
        back: unsaved.slice(saved),
      });
      if (outcome !== 'saved') return outcome;
      saved += part.length;
      await yieldIfDue();
    }
    return 'saved';
  }

  /** Tries to save each pending end once. Stops at the first failure: the store is unavailable for all. */
  async function retryAll(): Promise<void> {
    for (const [runId, end] of pending) {
      if (!(await retry(runId, end))) return;
      pending.delete(runId);
    }
  }

  /** Tries to save a pending end once. Resolves to false when the store is unavailable. */
  async function retry(runId: string, { run, onSaved, onSignalled }: UnsavedEnd): Promise<boolean> {
    const outcome = await save(run, [], changeOf(run.state), noRetries);
    try {
      if (outcome === 'saved') await onSaved();
      if (outcome === 'signalled') await onSignalled();
      return outcome !== 'unavailable';
    } catch (error) {
      logger.warn('the end of a workflow run could not be handled yet', { execution_id: runId, err: error });
      return false;
    }
  }

  function scheduleRetry(): void {
    cancel ??= clock.after(RETRY_INTERVAL_MS, () => {
      retrying = retryAll().finally(() => {
        cancel = undefined;
        if (pending.size > 0 && !closed) scheduleRetry();
      });
    });
  }

  function drop(runId: string): void {
    pending.delete(runId);
    logger.error('the end of a workflow run was dropped: it could not be saved', { execution_id: runId });
  }

  return {
    save: (run) => save(run, [], changeOf(run.state), run.controller.signal),
    saveEnd: (run, ending, change) => save(run, ending, change, run.controller.signal),
    retryInBackground(run, handlers) {
      pending.set(run.state.head.runId, { run, ...handlers });
      const [oldest] = pending.keys();
      if (pending.size > MAX_PENDING && oldest !== undefined) drop(oldest);
      scheduleRetry();
    },
    keepSignal(runId, signal) {
      const end = pending.get(runId);
      if (end !== undefined) keepSignal(end.run, signal);
    },
    async close() {
      closed = true;
      cancel?.();
      // While it is under way, its events look saved.
      await retrying;
      await retryAll();
      for (const runId of pending.keys()) drop(runId);
    },
  };
}
