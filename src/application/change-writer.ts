import type { ExecutionChange } from '../domain/execution.ts';
import type { Ports } from '../ports/ports.ts';
import { backoffMs, pause } from './retry.ts';

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
  save(executionId: string, change: ExecutionChange, hurry: AbortSignal): Promise<SaveOutcome>;
  /**
   * Takes over an execution's last change that could not be saved, and tries until it is. Of more than a thousand
   * such changes the oldest is given up, with a line in the log.
   */
  keepTrying(executionId: string, change: ExecutionChange): void;
  /** Tries once more to save what is left, and logs what is lost. */
  close(): Promise<void>;
}

const GIVE_UP_MS = 10_000;
const MAX_KEPT = 1_000;
const AGAIN_MS = 2_000;

type WriterPorts = Pick<Ports, 'clock' | 'random' | 'logger' | 'executions'>;

/** A writer over the execution store. */
export function createChangeWriter({ clock, random, logger, executions }: WriterPorts): ChangeWriter {
  const kept = new Map<string, ExecutionChange>();
  let cancel: (() => void) | undefined;

  async function insist(
    executionId: string,
    change: ExecutionChange,
    hurry: AbortSignal,
  ): Promise<SaveOutcome> {
    const since = clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      const wait = backoffMs(attempt, random);
      if (hurry.aborted || clock.monotonic() + wait - since > GIVE_UP_MS) return 'given_up';
      await pause(clock, wait, hurry);
      const outcome = await attemptSave(executionId, change);
      if (outcome !== 'given_up') return outcome;
    }
  }

  async function attemptSave(executionId: string, change: ExecutionChange): Promise<SaveOutcome> {
    try {
      return outcomeOf(await executions.save(executionId, change));
    } catch (error) {
      warn(executionId, error);
      return 'given_up';
    }
  }

  function warn(executionId: string, error: unknown): void {
    logger.warn('a change of an execution could not be saved', { execution_id: executionId, err: error });
  }

  /** One round over what is left; it ends with the first that fails, because the store is away for all. */
  async function tryAll(): Promise<void> {
    for (const [executionId, change] of kept) {
      if ((await attemptSave(executionId, change)) === 'given_up') return;
      kept.delete(executionId);
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

  function lose(executionId: string): void {
    kept.delete(executionId);
    logger.error('the end of a workflow run is lost to the store', { execution_id: executionId });
  }

  return {
    save(executionId, change, hurry) {
      return executions.save(executionId, change).then(outcomeOf, (error: unknown) => {
        warn(executionId, error);
        return insist(executionId, change, hurry);
      });
    },
    keepTrying(executionId, change) {
      kept.set(executionId, change);
      if (kept.size > MAX_KEPT) for (const [oldest] of kept) return lose(oldest);
      tryLater();
    },
    async close() {
      cancel?.();
      await tryAll();
      for (const executionId of kept.keys()) lose(executionId);
    },
  };
}

function outcomeOf(saved: boolean): SaveOutcome {
  return saved ? 'saved' : 'ended';
}
