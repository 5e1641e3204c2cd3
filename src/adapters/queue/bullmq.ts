import { unavailable } from '../../domain/errors.ts';
import { resolvesWithin } from '../../lib/async/resolves-within.ts';
import type { QueueLimits, RunQueue, TurnOutcome } from '../../ports/storage/run-queue.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import { checkUrl } from './connections.ts';
import { bullmqPrefix } from './jobs.ts';
import { createOccupancy } from './occupancy.ts';
import { type BullmqQueueOptions, DEFAULT_TIMES, MAX_CLOSE_MS, MAX_START_MS } from './options.ts';
import { reasonOf } from './reason.ts';
import { createServerCheck } from './server-check.ts';
import { openSharedQueue, type SharedQueue } from './shared-queue.ts';
import { createWaitingRuns } from './waiting-runs.ts';
import { type RunWorker, startRunWorker } from './worker.ts';

/** A queue of runs on Redis, shared by all processes with the same URL and prefix. */
export interface BullmqRunQueue {
  readonly queue: RunQueue;
  /** Connects, and starts runs where `process` was called. Resolves when connected, or after a second. */
  start(): Promise<void>;
  /**
   * Starts no more runs and closes the connections, after at most two seconds for the runs under way. Those that go on
   * are handed out again as if this process was gone.
   */
  close(): Promise<void>;
}

/**
 * Creates a queue of runs with BullMQ on Redis. While Redis is away, adding runs fails with `unavailable`; runs start again
 * within seconds after it is back. Throws a `TypeError` for a malformed URL.
 */
export function createBullmqRunQueue(options: BullmqQueueOptions): BullmqRunQueue {
  const { url, prefix, timeoutMs, clock, logger, times = DEFAULT_TIMES } = options;
  checkUrl(url);
  const keyPrefix = bullmqPrefix(prefix);
  const logError = createThrottledLog(logger, clock, 'the run queue is not available');
  const checkServer = createServerCheck(logger, clock);
  const occupancy = createOccupancy();
  const waiting = createWaitingRuns(clock, () => opened().count());
  let handler: ((runId: string) => Promise<TurnOutcome>) | undefined;
  let limits: QueueLimits = { maxRunning: 0, maxWaiting: 0 };
  let shared: SharedQueue | undefined;
  let worker: RunWorker | undefined;
  let isClosing = false;
  let workerClosed = Promise.resolve();

  function onError(error: unknown): void {
    if (isClosing) return;
    const reason = reasonOf(error);
    logError({ reason }, reason);
  }

  function opened(): SharedQueue {
    if (shared === undefined) throw unavailable('the run queue cannot be reached');
    return shared;
  }

  function startWorker(): void {
    if (shared === undefined || handler === undefined || isClosing) return;
    const { connections } = shared;
    const deps = { connections, keyPrefix, times, clock, occupancy, onError, handler };
    worker = startRunWorker({ ...deps, maxRunning: limits.maxRunning, onStart: waiting.started });
  }

  async function assertRoom(slots: number): Promise<number> {
    await waiting.refresh();
    return waiting.checkRoom(slots, limits, worker?.freePlaces ?? 0);
  }

  async function wake(runId: string, slots: number): Promise<void> {
    waiting.added(runId, slots);
    await opened().add(runId);
  }

  async function closeQueue(): Promise<[]> {
    if (!isClosing) {
      isClosing = true;
      workerClosed = worker?.close().catch(() => undefined) ?? workerClosed;
    }
    return [];
  }

  const queue: RunQueue = {
    process(newHandler, newLimits) {
      handler = newHandler;
      limits = newLimits;
      startWorker();
    },
    async assertRoom(slots) {
      await assertRoom(slots);
    },
    async enqueue(runId, slots) {
      await wake(runId, await assertRoom(slots));
    },
    wake: (runId) => wake(runId, 1),
    remove: async (runId) => opened().remove(runId),
    occupy: occupancy.occupy,
    async depth() {
      await waiting.refresh();
      return waiting.known;
    },
    close: closeQueue,
  };

  return {
    queue,
    async start() {
      if (shared !== undefined || isClosing) return;
      const connected = Promise.withResolvers<void>();
      shared = openSharedQueue({
        ...{ url, keyPrefix, timeoutMs, clock, onError },
        onReady(client) {
          connected.resolve();
          void checkServer(client);
        },
      });
      startWorker();
      await resolvesWithin(connected.promise, { clock, timeoutMs: MAX_START_MS });
    },
    async close() {
      await closeQueue();
      await resolvesWithin(workerClosed, { clock, timeoutMs: MAX_CLOSE_MS });
      worker?.abandon();
      shared?.close();
    },
  };
}
