import type { CancelSignal } from '../../domain/run/events.ts';
import type { Ports } from '../../ports/ports.ts';
import { keepSignal, type OwnedRun } from './owned-runs.ts';

/** The ends of runs that could not be saved, because the store was unavailable. */
export interface LateEnds {
  /**
   * Retries the unsaved events of a run that has ended until they are saved. Above a thousand such runs the oldest is
   * dropped and logged.
   */
  retry(run: OwnedRun): void;
  /** Keeps a request to cancel one of these runs. Ignored for any other. */
  keepSignal(runId: string, signal: CancelSignal): void;
  /** Tries once more to save the remaining events, and logs those that are dropped. */
  close(): Promise<void>;
}

const MAX_PENDING = 1_000;
const RETRY_INTERVAL_MS = 2_000;

/**
 * Creates {@link LateEnds}. `onSaved` is called once an end is saved, `onSignalled` for a run which was to be cancelled
 * before. Both are retried where they reject.
 */
export function createLateEnds(
  { clock, logger }: Pick<Ports, 'clock' | 'logger'>,
  onSaved: (run: OwnedRun) => Promise<void>,
  onSignalled: (run: OwnedRun) => Promise<void>,
): LateEnds {
  const pending = new Map<string, OwnedRun>();
  let cancel: (() => void) | undefined;
  /** The retry that is under way, or the last one. It never rejects. */
  let retrying = Promise.resolve();
  let closed = false;

  /** Tries to save each pending end once. Stops at the first failure: the store is unavailable for all. */
  async function retryAll(): Promise<void> {
    for (const [runId, run] of pending) {
      if (!(await retryOnce(runId, run))) return;
      pending.delete(runId);
    }
  }

  /** Tries to save a pending end once. Resolves to false when the store is unavailable. */
  async function retryOnce(runId: string, run: OwnedRun): Promise<boolean> {
    const outcome = await run.log.saveOnce();
    try {
      if (outcome === 'saved') await onSaved(run);
      if (outcome === 'signalled') await onSignalled(run);
      return outcome !== 'unavailable';
    } catch (error) {
      logger.warn('the end of a workflow run could not be handled yet', { execution_id: runId, err: error });
      return false;
    }
  }

  function schedule(): void {
    cancel ??= clock.after(RETRY_INTERVAL_MS, () => {
      retrying = retryAll().finally(() => {
        cancel = undefined;
        if (pending.size > 0 && !closed) schedule();
      });
    });
  }

  function drop(runId: string): void {
    pending.delete(runId);
    logger.error('the end of a workflow run was dropped: it could not be saved', { execution_id: runId });
  }

  return {
    retry(run) {
      pending.set(run.state.head.runId, run);
      const [oldest] = pending.keys();
      if (pending.size > MAX_PENDING && oldest !== undefined) drop(oldest);
      schedule();
    },
    keepSignal(runId, signal) {
      const run = pending.get(runId);
      if (run !== undefined) keepSignal(run, signal);
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
