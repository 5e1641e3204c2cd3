import { unavailable } from '../../../domain/errors.ts';
import { resolvesWithin } from '../../../lib/async/resolves-within.ts';
import type { FireQueue } from '../../../ports/storage/fire-queue.ts';
import { createThrottledLog } from '../../shared/throttled-log.ts';
import { type Connections, checkUrl, openConnections } from '../connections.ts';
import { bullmqPrefix } from '../jobs.ts';
import { type BullmqQueueOptions, DEFAULT_TIMES, MAX_CLOSE_MS, MAX_START_MS } from '../options.ts';
import { reasonOf } from '../reason.ts';
import { createFireAdder, type FireAdder } from './fire-adder.ts';
import { type FireWorker, startFireWorker } from './fire-worker.ts';

/** A queue of fires on Redis, shared by all processes with the same URL and prefix: one of them is woken. */
export interface BullmqFireQueue {
  readonly queue: FireQueue;
  /** Connects, and wakes this process where `process` was called. Resolves when connected, or after a second. */
  start(): Promise<void>;
  /** Wakes no more and closes the connections, after at most two seconds for what is under way. */
  close(): Promise<void>;
}

/**
 * Creates a queue of fires with BullMQ on Redis: a wake is a delayed job. While Redis is away, adding wakes fails with
 * `unavailable`, and wakes come late. Throws a `TypeError` for a malformed URL.
 */
export function createBullmqFireQueue(options: BullmqQueueOptions): BullmqFireQueue {
  const { url, prefix, timeoutMs, clock, logger, times = DEFAULT_TIMES } = options;
  checkUrl(url);
  const keyPrefix = bullmqPrefix(prefix);
  const logError = createThrottledLog(logger, clock, 'the queue of fires is not available');
  const running = new Set<Promise<void>>();
  let opened: { readonly connections: Connections; readonly adder: FireAdder } | undefined;
  let handle: ((scheduleId: string) => Promise<void>) | undefined;
  let worker: FireWorker | undefined;
  let workerClosed = Promise.resolve();
  let isClosing = false;

  function onError(error: unknown): void {
    if (isClosing) return;
    const reason = reasonOf(error);
    logError({ reason }, reason);
  }

  function startWorker(): void {
    if (opened === undefined || handle === undefined || isClosing) return;
    const { connections } = opened;
    const handler = runTracked.bind(undefined, handle);
    worker = startFireWorker({ connections, keyPrefix, times, clock, onError, handler });
  }

  async function runTracked(handler: (id: string) => Promise<void>, scheduleId: string): Promise<void> {
    const work = handler(scheduleId).finally(() => running.delete(work));
    running.add(work);
    await work;
  }

  async function closeQueue(): Promise<void> {
    if (!isClosing) {
      isClosing = true;
      workerClosed = worker?.close().catch(() => undefined) ?? workerClosed;
    }
    await Promise.all(running);
  }

  return {
    queue: {
      process(handler) {
        handle = handler;
        startWorker();
      },
      async add(wake) {
        if (isClosing) throw unavailable('the service is shutting down');
        if (opened === undefined) throw unavailable('the queue of fires cannot be reached');
        await opened.adder.add(wake);
      },
      close: closeQueue,
    },
    async start() {
      if (opened !== undefined || isClosing) return;
      const connected = Promise.withResolvers<void>();
      const connections = openConnections({ url, clock, onError, onReady: () => connected.resolve() });
      opened = { connections, adder: createFireAdder({ connections, keyPrefix, timeoutMs, clock }) };
      startWorker();
      await resolvesWithin(connected.promise, { clock, timeoutMs: MAX_START_MS });
    },
    async close() {
      const handled = closeQueue();
      await resolvesWithin(Promise.all([handled, workerClosed]), { clock, timeoutMs: MAX_CLOSE_MS });
      worker?.abandon();
      opened?.connections.close();
      opened?.adder.close();
    },
  };
}
