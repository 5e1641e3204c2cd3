import type { Worker } from 'bullmq';
import type { Clock } from '../../ports/clock.ts';
import type { OnError } from './connections.ts';
import type { LockTimes } from './worker.ts';

/** Options of {@link startUpkeep}. */
export interface UpkeepOptions {
  readonly worker: Pick<Worker, 'extendJobLocks' | 'getBackend'>;
  /** The ids of the jobs under way, by the tokens of their locks. */
  readonly active: ReadonlyMap<string, string>;
  readonly times: LockTimes;
  readonly clock: Pick<Clock, 'after'>;
  readonly onError: OnError;
}

/** How often a lock is renewed before it expires. */
const RENEWALS = 3;

/**
 * Renews the locks of the jobs under way, and queues jobs again whose lock has expired because their process is gone.
 * BullMQ has timers for both, but they go on when it cannot close because Redis is away. Returns the function that ends it.
 */
export function startUpkeep({ worker, active, times, clock, onError }: UpkeepOptions): () => void {
  async function renewLocks(): Promise<void> {
    if (active.size === 0) return;
    const lost = await worker.extendJobLocks([...active.values()], [...active.keys()], times.lockMs);
    // A job that has ended meanwhile has no lock either.
    const running = new Set(active.values());
    if (lost.some((jobId) => running.has(jobId))) onError(new Error('could not renew locks'));
  }

  const endRenewals = repeat(clock, times.lockMs / RENEWALS, onError, renewLocks);
  const endSearches = repeat(clock, times.searchEveryMs, onError, async () => {
    await worker.getBackend().moveStalledJobsToWait();
  });
  return () => {
    endRenewals();
    endSearches();
  };
}

/** Runs `work` every `everyMs` milliseconds, never twice at a time, until the returned function is called. */
function repeat(
  clock: Pick<Clock, 'after'>,
  everyMs: number,
  onError: OnError,
  work: () => Promise<void>,
): () => void {
  let ended = false;
  let cancel = clock.after(everyMs, run);

  async function run(): Promise<void> {
    await work().catch((error: unknown) => ended || onError(error));
    if (!ended) cancel = clock.after(everyMs, run);
  }

  return () => {
    ended = true;
    cancel();
  };
}
