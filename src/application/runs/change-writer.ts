import type { RunChange } from '../../domain/run/run.ts';
import { backoffMs } from '../../lib/async/backoff.ts';
import { sleep } from '../../lib/async/sleep.ts';
import type { Ports } from '../../ports/ports.ts';

/**
 * What became of a change: it was saved; the execution had been ended by somebody else, who took this process for
 * dead; or the store was out of reach for too long.
 */
export type SaveOutcome = 'saved' | 'ended' | 'given_up';

/** Writes what changes in executions to a store that may be out of reach for a while. */
export interface ChangeWriter {
  /**
   * Saves a change, again and again for up to ten seconds where the store fails, no longer than until `hurry` is
   * aborted. Saving twice does no harm: a change says what is, not what is added.
   */
  save(runId: string, change: RunChange, hurry: AbortSignal): Promise<SaveOutcome>;
  /**
   * Takes over an execution's last change that could not be saved, and tries until it is. Of more than a thousand
   * such changes the oldest is given up, with a line in the log.
   */
  keepTrying(runId: string, change: RunChange): void;
  /** Tries once more to save what is left, and logs what is lost. */
  close(): Promise<void>;
}

const GIVE_UP_MS = 10_000;
const MAX_KEPT = 1_000;
const AGAIN_MS = 2_000;

type WriterPorts = Pick<Ports, 'clock' | 'random' | 'logger' | 'runs'>;

/** A writer over the execution store. */
export function createChangeWriter({ clock, random, logger, runs }: WriterPorts): ChangeWriter {
  const kept = new Map<string, RunChange>();
  let cancel: (() => void) | undefined;

  async function insist(runId: string, change: RunChange, hurry: AbortSignal): Promise<SaveOutcome> {
    const since = clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      const wait = backoffMs(attempt, random);
      if (hurry.aborted || clock.monotonic() + wait - since > GIVE_UP_MS) return 'given_up';
      await sleep(clock, wait, hurry);
      const outcome = await attemptSave(runId, change);
      if (outcome !== 'given_up') return outcome;
    }
  }

  async function attemptSave(runId: string, change: RunChange): Promise<SaveOutcome> {
    try {
      return outcomeOf(await runs.save(runId, change));
    } catch (error) {
      warn(runId, error);
      return 'given_up';
    }
  }

  function warn(runId: string, error: unknown): void {
    logger.warn('a change of an execution could not be saved', { execution_id: runId, err: error });
  }

  /** One round over what is left; it ends with the first that fails, because the store is away for all. */
  async function tryAll(): Promise<void> {
    for (const [runId, change] of kept) {
      if ((await attemptSave(runId, change)) === 'given_up') return;
      kept.delete(runId);
    }
  }

  function tryLater(): void {
    cancel ??= clock.after(AGAIN_MS, () => {
      void tryAll().finally(() => {
        cancel = undefined;
        if (kept.size > 0) tryLater();
      });
    });
  }

  function lose(runId: string): void {
    kept.delete(runId);
    logger.error('the end of a workflow run is lost to the store', { execution_id: runId });
  }

  return {
    save(runId, change, hurry) {
      return runs.save(runId, change).then(outcomeOf, (error: unknown) => {
        warn(runId, error);
        return insist(runId, change, hurry);
      });
    },
    keepTrying(runId, change) {
      kept.set(runId, change);
      if (kept.size > MAX_KEPT) for (const [oldest] of kept) return lose(oldest);
      tryLater();
    },
    async close() {
      cancel?.();
      await tryAll();
      for (const runId of kept.keys()) lose(runId);
    },
  };
}

function outcomeOf(saved: boolean): SaveOutcome {
  return saved ? 'saved' : 'ended';
}
