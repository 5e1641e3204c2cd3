import { type Job, WaitingError, Worker } from 'bullmq';
import { sleep } from '../../lib/async/sleep.ts';
import type { Clock } from '../../ports/clock.ts';
import type { QueueLimits, TurnOutcome } from '../../ports/storage/run-queue.ts';
import type { Connections, OnError } from './connections.ts';
import { type JobData, QUEUE_NAME } from './jobs.ts';
import type { Occupancy } from './occupancy.ts';
import { startUpkeep } from './upkeep.ts';

/** How soon a run is handed out again when its process is gone: after the sum of both, at most. */
export interface LockTimes {
  /** Milliseconds for which a process holds a job without renewing its lock. */
  readonly lockMs: number;
  /** Milliseconds between two searches for jobs whose lock has expired. */
  readonly searchEveryMs: number;
}

/** What starts the runs of a shared queue in this process. */
export interface RunWorker {
  /** The number of runs that could start now. */
  readonly freePlaces: number;
  /** Takes no more jobs. Those under way end, or go back to the queue; resolves after that, which may be never. */
  close(): Promise<void>;
  /** Renews no more locks, because the connections are closed: jobs under way go to other processes. */
  abandon(): void;
}

/** Options of {@link startRunWorker}. */
export interface RunWorkerOptions extends Pick<QueueLimits, 'maxRunning'> {
  readonly connections: Connections;
  /** Prefix of the keys of BullMQ. */
  readonly keyPrefix: string;
  readonly times: LockTimes;
  /** Lowers the maximum, though never below one. */
  readonly occupancy: Occupancy;
  readonly clock: Clock;
  readonly onError: OnError;
  /** Called for every run that starts. */
  readonly onStart: (runId: string) => void;
  readonly handler: (runId: string) => Promise<TurnOutcome>;
}

/** Milliseconds before BullMQ repeats a command that failed. */
const RETRY_DELAY_MS = 500;

/** Seconds of one blocking read while no run waits. */
const BLOCKING_READ_SECONDS = 2;

/** Milliseconds that a run which is queued again leaves its place free, so that it is not started again and again. */
const AGAIN_DELAY_MS = 250;

/** Starts a worker of BullMQ. It goes on after every outage of Redis. */
export function startRunWorker(options: RunWorkerOptions): RunWorker {
  const { connections, keyPrefix, times, maxRunning, occupancy, clock, onError, onStart, handler } = options;
  const closing = new AbortController();
  /** The ids of the jobs under way, by the active of their locks. */
  const active = new Map<string, string>();

  const worker = new Worker<JobData, void>(QUEUE_NAME, (job, token = '') => work(job, token), {
    connection: connections.openWorker(),
    prefix: keyPrefix,
    concurrency: concurrency(),
    drainDelay: BLOCKING_READ_SECONDS,
    runRetryDelay: RETRY_DELAY_MS,
    ...{ lockDuration: times.lockMs, stalledInterval: times.searchEveryMs },
    // A run that its process did not survive is a matter of its log, which counts them.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    // BullMQ would write to the console, and its own timers go on when it cannot close: see `server-check` and `upkeep`.
    ...{ skipVersionCheck: true, skipLockRenewal: true, skipStalledCheck: true },
  });
  worker.on('error', onError);
  occupancy.onChange(setConcurrency);
  const endUpkeep = startUpkeep({ worker, active, times, clock, onError });

  async function work(job: Job<JobData, void>, token: string): Promise<void> {
    // Keys that were deleted by hand leave jobs without data.
    const { executionId }: Partial<JobData> = job.data;
    if (typeof executionId !== 'string') return;
    // A read that has begun before the worker closed, or its concurrency was lowered, still takes a job.
    const isRefused = closing.signal.aborted || active.size >= worker.concurrency;
    if (!isRefused && (await run(executionId, job.id ?? '', token)) === 'done') return;
    // Where this fails, the job is found by its expired lock.
    await job.moveToWait(token).catch(onError);
    if (!isRefused) await sleep(clock, AGAIN_DELAY_MS, closing.signal);
    throw new WaitingError();
  }

  async function run(runId: string, jobId: string, token: string): Promise<TurnOutcome> {
    active.set(token, jobId);
    onStart(runId);
    try {
      return await handler(runId);
    } finally {
      active.delete(token);
    }
  }

  function concurrency(): number {
    return Math.max(1, maxRunning - occupancy.count);
  }

  function setConcurrency(): void {
    const before = worker.concurrency;
    worker.concurrency = concurrency();
    if (worker.concurrency > before && !closing.signal.aborted) noticeConcurrency(worker);
  }

  return {
    get freePlaces() {
      return closing.signal.aborted ? 0 : Math.max(0, worker.concurrency - active.size);
    },
    async close() {
      closing.abort();
      await worker.close();
      endUpkeep();
    },
    abandon: endUpkeep,
  };
}

/** A worker looks at its concurrency when a job ends. Resumed, it looks at once. */
function noticeConcurrency(worker: Worker): void {
  void worker.pause(true);
  void worker.resume();
}
