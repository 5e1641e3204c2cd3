import { replay } from '../../../domain/run/evolve.ts';
import type { Run } from '../../../domain/run/run.ts';
import { recordOf } from '../../../domain/run/state.ts';
import { onAbort } from '../../../lib/async/on-abort.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { ActiveRun } from '../active-run.ts';

/** The longest time that the caller of a run waits while the run waits, in milliseconds. */
const MAX_WAIT_MS = 30_000;

/**
 * Waits for the end of a run that is parked, at most `waitMs` milliseconds, and 30 seconds in any case. Resolves to the
 * run as it is then; where the store cannot be read, to the run as it was.
 */
export type UntilEnded = (run: ActiveRun, waitMs?: number) => Promise<Run>;

/** Creates {@link UntilEnded}. It waits no longer once `signal` is aborted. */
export function createUntilEnded(
  { clock, logger, runs }: Pick<Ports, 'clock' | 'logger' | 'runs'>,
  signal: AbortSignal,
): UntilEnded {
  return async ({ state }, waitMs = MAX_WAIT_MS) => {
    const { runId } = state.head;
    const timeout = new AbortController();
    const unsubscribe = onAbort(signal, () => timeout.abort());
    if (signal.aborted) timeout.abort();
    const cancel = clock.after(Math.max(0, Math.min(waitMs, MAX_WAIT_MS)), () => timeout.abort());
    try {
      let { seq } = state;
      for (;;) {
        // The log may be long, and changes often: all of it is read once.
        const page = await runs.read(runId, seq, 1);
        if (page === undefined || page.ended || timeout.signal.aborted) break;
        seq = page.lastSeq;
        await runs.changed(runId, seq, timeout.signal);
      }
      const stored = await runs.get(runId);
      if (stored !== undefined) return recordOf(replay(stored));
    } catch (error) {
      logger.warn('a workflow run that waits could not be read', { execution_id: runId, err: error });
    } finally {
      cancel();
      unsubscribe();
    }
    return recordOf(state);
  };
}
