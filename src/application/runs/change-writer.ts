import type { RunChange } from '../../domain/run/run.ts';
import { backoffMs } from '../../lib/async/backoff.ts';
import { sleep } from '../../lib/async/sleep.ts';
import type { Ports } from '../../ports/ports.ts';

/**
 * The outcome of a save: `saved`; `ended` when another process had ended the run, because it received no heartbeat of
 * this one; `unavailable` when the store was unavailable for too long.
 */
export type SaveOutcome = 'saved' | 'ended' | 'unavailable';

/** Writes the changes of runs to a store that may be unavailable for a while. */
export interface ChangeWriter {
  /**
   * Saves a change. When the store fails, retries for up to ten seconds or until `signal` is aborted. Saves are
   * idempotent: a change contains the new state, not a difference.
   */
  save(runId: string, change: RunChange, signal: AbortSignal): Promise<SaveOutcome>;
  /**
   * Retries the last change of a run until it is saved. Above a thousand such changes the oldest is dropped and logged.
   */
  retryInBackground(runId: string, change: RunChange): void;
  /** Tries once more to save the remaining changes, and logs those that are dropped. */
  close(): Promise<void>;
}

const MAX_RETRY_MS = 10_000;
const MAX_PENDING = 1_000;
const RETRY_INTERVAL_MS = 2_000;

type WriterPorts = Pick<Ports, 'clock' | 'random' | 'logger' | 'runs'>;

/** Creates a writer over the run store. */
export function createChangeWriter({ clock, random, logger, runs }: WriterPorts): ChangeWriter {
  const pending = new Map<string, RunChange>();
  const noRetries = AbortSignal.abort();
  let cancel: (() => void) | undefined;

  /** Tries to save a change, at least once, until it succeeds, ten seconds have passed, or `signal` is aborted. */
  async function save(runId: string, change: RunChange, signal: AbortSignal): Promise<SaveOutcome> {
    const startedMs = clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      try {
        return (await runs.save(runId, change)) ? 'saved' : 'ended';
      } catch (error) {
        logger.warn('a change of a workflow run could not be saved', { execution_id: runId, err: error });
      }
      const waitMs = backoffMs(attempt, random);
      const elapsedMs = clock.monotonic() - startedMs;
      if (signal.aborted || elapsedMs + waitMs > MAX_RETRY_MS) return 'unavailable';
      await sleep(clock, waitMs, signal);
    }
  }

  /** Tries to save each pending change once. Stops at the first failure: the store is unavailable for all. */
  async function retryAll(): Promise<void> {
    for (const [runId, change] of pending) {
      if ((await save(runId, change, noRetries)) === 'unavailable') return;
      pending.delete(runId);
    }
  }

  function scheduleRetry(): void {
    cancel ??= clock.after(RETRY_INTERVAL_MS, () => {
      void retryAll().finally(() => {
        cancel = undefined;
        if (pending.size > 0) scheduleRetry();
      });
    });
  }

  function drop(runId: string): void {
    pending.delete(runId);
    logger.error('the end of a workflow run was dropped: it could not be saved', { execution_id: runId });
  }

  return {
    save,
    retryInBackground(runId, change) {
      pending.set(runId, change);
      const [oldest] = pending.keys();
      if (pending.size > MAX_PENDING && oldest !== undefined) drop(oldest);
      scheduleRetry();
    },
    async close() {
      cancel?.();
      await retryAll();
      for (const runId of pending.keys()) drop(runId);
    },
  };
}
