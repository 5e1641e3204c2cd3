import { type Job, WaitingError, Worker } from 'bullmq';
import { sleep } from '../../../lib/async/sleep.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Connections, OnError } from '../connections.ts';
import { startUpkeep } from '../upkeep.ts';
import type { LockTimes } from '../worker.ts';
import { FIRE_LEAD_MS, FIRE_QUEUE_NAME, type FireData } from './fire-jobs.ts';

/** What wakes this process. */
export interface FireWorker {
  /** Takes no more jobs. Resolves when none is under way, which may be never while Redis is away. */
  close(): Promise<void>;
  /** Renews no more locks, because the connections are closed. */
  abandon(): void;
}

/** Options of {@link startFireWorker}. */
export interface FireWorkerOptions {
  readonly connections: Connections;
  /** Prefix of the keys of BullMQ. */
  readonly keyPrefix: string;
  readonly times: LockTimes;
  readonly clock: Clock;
  readonly onError: OnError;
  readonly handler: (scheduleId: string) => Promise<void>;
}

/** How many schedules one process looks after at a time. */
const CONCURRENCY = 50;

/** Milliseconds before BullMQ repeats a command that failed. */
const RETRY_DELAY_MS = 500;

/** Seconds of one blocking read while no job waits. One for a delayed job takes at most ten. */
const BLOCKING_READ_SECONDS = 2;

/** Starts a worker of BullMQ. It goes on after every outage of Redis. */
export function startFireWorker(options: FireWorkerOptions): FireWorker {
  const { connections, keyPrefix, times, clock, onError, handler } = options;
  /** The ids of the jobs under way, by the tokens of their locks. */
  const active = new Map<string, string>();
  const closing = new AbortController();

  const worker = new Worker<FireData, void>(FIRE_QUEUE_NAME, (job, token = '') => work(job, token), {
    connection: connections.openWorker(),
    prefix: keyPrefix,
    concurrency: CONCURRENCY,
    drainDelay: BLOCKING_READ_SECONDS,
    runRetryDelay: RETRY_DELAY_MS,
    ...{ lockDuration: times.lockMs, stalledInterval: times.searchEveryMs },
    // A wake that its process did not survive comes again: what was done is in the store of schedules.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    // BullMQ would write to the console, and its own timers go on when it cannot close: see `server-check` and `upkeep`.
    ...{ skipVersionCheck: true, skipLockRenewal: true, skipStalledCheck: true },
  });
  worker.on('error', onError);
  const endUpkeep = startUpkeep({ worker, active, times, clock, onError });

  async function work(job: Job<FireData, void>, token: string): Promise<void> {
    // Keys that were deleted by hand leave jobs without data.
    const { scheduleId, at = 0 }: Partial<FireData> = job.data;
    if (typeof scheduleId !== 'string') return;
    active.set(token, job.id ?? '');
    try {
      // The clock may have been set back since.
      const ms = Math.min(at - clock.now(), FIRE_LEAD_MS);
      if (ms > 0) await sleep(clock, ms, closing.signal);
      if (!closing.signal.aborted) {
        await handler(scheduleId);
        return;
      }
    } finally {
      active.delete(token);
    }
    await job.moveToWait(token).catch(onError);
    throw new WaitingError();
  }

  return {
    async close() {
      closing.abort();
      await worker.close();
      endUpkeep();
    },
    abandon: endUpkeep,
  };
}
