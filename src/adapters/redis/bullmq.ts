import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import { createNodeRedisClient, type Job, Queue, WaitingError, Worker } from 'bullmq';
import { unavailable } from '../../domain/errors.ts';
import { resolvesWithin } from '../../lib/async/resolves-within.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { TimeoutError } from '../../lib/async/timeout.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { FireQueue } from '../../ports/storage/fire-queue.ts';
import type { QueueLimits, RunQueue, TurnOutcome } from '../../ports/storage/run-queue.ts';
import { withReplyTimeout } from '../shared/reply-timeout.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import { toStoreError } from './replies.ts';

/** A job is handed out again after the sum of both, at most, when its process is gone. */
export interface LockTimes {
  /** Milliseconds for which a process holds a job without renewing its lock. */
  readonly lockMs: number;
  /** Milliseconds between two searches for jobs whose lock has expired. */
  readonly searchEveryMs: number;
}

/** Options of the queues with BullMQ. */
export interface BullmqQueueOptions {
  /** `redis://` or `rediss://`, credentials included. It is never logged. */
  readonly url: string;
  /**
   * Prefix of the keys of this service. Those of the queues begin with `<prefix>queue:runs:` and
   * `<prefix>queue:fires:`.
   */
  readonly prefix: string;
  /** Timeout of a command, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 10 and 5 seconds by default. All processes that share the queue need the same. */
  readonly times?: LockTimes | undefined;
}

/** A queue on Redis, shared by all processes with the same URL and prefix. */
export interface BullmqQueue<Q> {
  readonly queue: Q;
  /** Connects, and hands out jobs where `process` was called. Resolves when connected, or after a second. */
  start(): Promise<void>;
  /**
   * Hands out no more jobs and closes the connections, after at most two seconds for the jobs under way. Those that go
   * on are handed out again as if this process was gone.
   */
  close(): Promise<void>;
}

export type BullmqRunQueue = BullmqQueue<RunQueue>;
export type BullmqFireQueue = BullmqQueue<FireQueue>;

/**
 * Creates a queue of runs with BullMQ. While Redis is away, adding runs fails with `unavailable`; runs start again
 * within seconds after it is back. Throws a `TypeError` for a malformed URL.
 */
export function createBullmqRunQueue(options: BullmqQueueOptions): BullmqRunQueue {
  const jobs = createJobs(options, {
    name: 'runs',
    title: 'the run queue',
    comesAgain: true,
  });
  let limits: QueueLimits = { maxRunning: 0, maxWaiting: 0 };
  let occupied = 0;
  /** The runs that are being added, and those that waited when they were counted last. */
  let adding = 0;
  let counted = 0;

  async function depth(): Promise<number> {
    counted = await jobs.count().catch(() => counted);
    return counted + adding;
  }

  async function assertRoom(requested: number): Promise<void> {
    const slots = Math.max(1, Math.min(requested, limits.maxWaiting));
    const used = await depth();
    if (used >= jobs.freePlaces() && used + slots > limits.maxWaiting)
      throw unavailable('too many background runs are waiting', RETRY_AFTER_SECONDS);
  }

  async function wake(runId: string): Promise<void> {
    adding += 1;
    await jobs.add(runId, { id: runId }).finally(() => {
      adding -= 1;
    });
  }

  function occupy(by: number): void {
    occupied += by;
    jobs.setPlaces(limits.maxRunning - occupied);
  }

  return {
    queue: {
      process(handler, queueLimits) {
        limits = queueLimits;
        jobs.process(({ id }) => handler(id), limits.maxRunning - occupied);
      },
      assertRoom,
      async enqueue(runId, slots) {
        await assertRoom(slots);
        await wake(runId);
      },
      wake,
      remove: jobs.remove,
      occupy() {
        occupy(1);
        return () => occupy(-1);
      },
      depth,
      async close() {
        jobs.stop();
        return [];
      },
    },
    start: jobs.start,
    close: jobs.close,
  };
}

/** Seconds after which a run that found no room may be tried again. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Creates a queue of fires with BullMQ: a wake is a delayed job. While Redis is away, adding wakes fails with
 * `unavailable`, and wakes come late. Throws a `TypeError` for a malformed URL.
 */
export function createBullmqFireQueue(options: BullmqQueueOptions): BullmqFireQueue {
  const { clock } = options;
  const jobs = createJobs(options, {
    name: 'fires',
    title: 'the queue of fires',
    comesAgain: false,
  });
  return {
    queue: {
      process(handler) {
        jobs.process(async ({ id, at = 0 }, closing) => {
          // The clock may have been set back since.
          const ms = Math.min(at - clock.now(), FIRE_LEAD_MS);
          if (ms > 0) await sleep(clock, ms, closing);
          if (closing.aborted) return 'again';
          await handler(id);
          return 'done';
        }, MAX_FIRES);
      },
      async add(wake) {
        if (jobs.isStopped()) throw unavailable('the service is shutting down');
        const delay = Math.max(0, wake.at - clock.now() - FIRE_LEAD_MS);
        const { scheduleId: id, at } = wake;
        await jobs.add(`${JSON.stringify(id)}-${at}`, { id, at }, delay);
      },
      async close() {
        jobs.stop();
        await jobs.untilIdle();
      },
    },
    start: jobs.start,
    close: jobs.close,
  };
}

/** The schedules that one process looks after at a time. */
const MAX_FIRES = 50;

/**
 * The milliseconds by which a job is ready before the time of its wake. The worker waits for the rest: BullMQ, which
 * does not ask Redis for its version, waits for delayed jobs by whole seconds.
 */
const FIRE_LEAD_MS = 1_000;

/** The data of a job: the id of a run, or of a schedule with the time of its wake in milliseconds since the epoch. */
interface JobData {
  readonly id: string;
  readonly at?: number;
}

type Handler = (data: JobData, closing: AbortSignal) => Promise<TurnOutcome>;

/** Jobs of BullMQ, each with a key. At most one job of a key waits. */
interface Jobs {
  /**
   * Adds a job, unless one of the key waits or runs; one that comes again is handed out once more when it has run.
   * Rejects with `unavailable`; it may have been added even then.
   */
  add(key: string, data: JobData, delayMs?: number): Promise<void>;
  /** Removes the job of a key that waits. Resolves to false where it runs or is unknown. */
  remove(key: string): Promise<boolean>;
  /** The number of jobs that wait and are not delayed. */
  count(): Promise<number>;
  /** Sets what runs a job, and how many run at a time. A job `again` waits again. */
  process(handler: Handler, places: number): void;
  /** Sets how many jobs run at a time, at least one. */
  setPlaces(places: number): void;
  /** The number of jobs that could start now. */
  freePlaces(): number;
  /** Hands out no more jobs to this process. */
  stop(): void;
  isStopped(): boolean;
  /** Resolves when no job runs in this process. */
  untilIdle(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const DEFAULT_TIMES: LockTimes = { lockMs: 10_000, searchEveryMs: 5_000 };

/** Maximum duration of `start` and of `close`, in milliseconds. */
const MAX_START_MS = 1_000;
const MAX_CLOSE_MS = 2_000;

/** Milliseconds that a job which is to run again leaves its place free, so that it is not started again and again. */
const AGAIN_DELAY_MS = 250;

/** Seconds of one blocking read while no job waits. One for a delayed job takes at most ten. */
const BLOCKING_READ_SECONDS = 2;

/** BullMQ writes an event for every change of a job. Nobody reads them, so that few are kept. */
const EVENTS_KEPT = 100;

function createJobs(
  { url, prefix, timeoutMs, clock, logger, times = DEFAULT_TIMES }: BullmqQueueOptions,
  {
    name,
    title,
    comesAgain,
  }: { readonly name: string; readonly title: string; readonly comesAgain: boolean },
): Jobs {
  checkUrl(url);
  const keyPrefix = `${prefix}queue`;
  const logError = createThrottledLog(logger, clock, `${title} is not available`);
  const logEviction = createThrottledLog(
    logger,
    clock,
    `Redis may evict the keys of ${title} when its memory is full: set its maxmemory-policy to noeviction`,
  );
  const closing = new AbortController();
  let handle: Handler | undefined;
  let places = 1;
  let running = 0;
  /** Resolved when the next job has ended. */
  let ended = Promise.withResolvers<void>();
  let opened: { readonly connections: Connections; readonly queue: Queue<JobData> } | undefined;
  let worker: Worker<JobData, void> | undefined;
  /** Resolved when the worker has stopped. */
  let idle: Promise<void> | undefined;

  function onError(error: unknown): void {
    if (closing.signal.aborted) return;
    const reason = reasonOf(error);
    logError({ reason }, reason);
  }

  /** The outcome of a command, within the timeout. What was sent may be applied even where this rejects. */
  async function send<T>(command: (queue: Queue<JobData>) => Promise<T>): Promise<T> {
    try {
      if (!opened?.connections.commands.isReady) throw new TimeoutError(0);
      return await withReplyTimeout(command(opened.queue), timeoutMs, clock);
    } catch (error) {
      throw unavailable(`${title} cannot be reached`, 1, new Error(reasonOf(error)));
    }
  }

  async function addTo(queue: Queue<JobData>, key: string, data: JobData, delay: number): Promise<void> {
    const jobId = randomUUID();
    const once = { attempts: 1, removeOnComplete: true, removeOnFail: true };
    const deduplication = { id: key, keepLastIfActive: comesAgain };
    const job = await queue.add(name, data, { ...once, jobId, delay, deduplication });
    const { id } = job;
    if (id === undefined || id === jobId || (await queue.getJobState(id)) !== 'unknown') return;
    // That job is in no list, because one of them was deleted by hand or evicted: it would keep its key for ever.
    await queue.removeDeduplicationKey(key);
    await addTo(queue, key, data, delay);
  }

  async function run(job: Job<JobData, void>, token = ''): Promise<void> {
    // Keys that were deleted by hand leave jobs without data.
    if (handle === undefined || typeof (job.data as Partial<JobData>).id !== 'string') return;
    // A read that had begun before the end, or before there were fewer places, still takes a job.
    const isRefused = closing.signal.aborted || running >= places;
    if (!isRefused && (await runCounted(handle, job)) === 'done') return;
    // Where this fails, the job is found by its expired lock.
    await job.moveToWait(token).catch(onError);
    if (!isRefused) await sleep(clock, AGAIN_DELAY_MS, closing.signal);
    throw new WaitingError();
  }

  async function runCounted(handler: Handler, { data }: Job<JobData, void>): Promise<TurnOutcome> {
    running += 1;
    try {
      return await handler(data, closing.signal);
    } finally {
      running -= 1;
      ended.resolve();
      ended = Promise.withResolvers<void>();
    }
  }

  async function untilIdle(): Promise<void> {
    while (running > 0) await ended.promise;
  }

  function startWorker(): void {
    if (opened === undefined || handle === undefined || closing.signal.aborted) return;
    worker = new Worker<JobData, void>(name, run, {
      connection: opened.connections.openWorker(),
      prefix: keyPrefix,
      concurrency: places,
      drainDelay: BLOCKING_READ_SECONDS,
      lockDuration: times.lockMs,
      stalledInterval: times.searchEveryMs,
      // A job that its process did not survive is a matter of the store, which counts them.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // BullMQ would write what it finds to the console.
      skipVersionCheck: true,
    });
    worker.on('error', onError);
  }

  function stop(): void {
    if (closing.signal.aborted) return;
    closing.abort();
    // It waits for its last read, which may still take a job, and until Redis knows what became of each.
    idle = worker?.pause().catch(() => undefined);
  }

  return {
    add: (key, data, delayMs = 0) => send((queue) => addTo(queue, key, data, delayMs)),
    remove: (key) =>
      send(async (queue) => {
        const id = await queue.getDeduplicationJobId(key);
        if (id === null || (await queue.getJobState(id)) !== 'waiting') return false;
        return (await queue.remove(id)) === 1;
      }),
    count: () => send((queue) => queue.getWaitingCount()),
    process(handler, atATime) {
      handle = handler;
      places = Math.max(1, atATime);
      startWorker();
    },
    setPlaces(next) {
      const before = places;
      places = Math.max(1, next);
      if (worker === undefined) return;
      worker.concurrency = places;
      // A worker looks at its concurrency when a job ends. Resumed, it looks at once.
      if (places <= before || closing.signal.aborted) return;
      void worker.pause(true);
      void worker.resume();
    },
    freePlaces: () => (closing.signal.aborted || worker === undefined ? 0 : Math.max(0, places - running)),
    stop,
    isStopped: () => closing.signal.aborted,
    untilIdle,
    async start() {
      if (opened !== undefined || closing.signal.aborted) return;
      const connected = Promise.withResolvers<void>();
      const connections = openConnections(url, clock, onError);
      connections.commands.on('ready', () => {
        connected.resolve();
        void warnOfEviction(connections.commands);
      });
      const queue = new Queue<JobData>(name, {
        connection: connections.queue,
        prefix: keyPrefix,
        skipVersionCheck: true,
        skipWaitingForReady: true,
        streams: { events: { maxLen: EVENTS_KEPT } },
      });
      // The same errors reach the listener of the client, or reject a command.
      queue.on('error', () => undefined);
      opened = { connections, queue };
      startWorker();
      await resolvesWithin(connected.promise, { clock, timeoutMs: MAX_START_MS });
    },
    async close() {
      stop();
      // Jobs of which Redis is not told are handed out only when their locks have expired.
      if (idle !== undefined) await resolvesWithin(idle, { clock, timeoutMs: MAX_CLOSE_MS });
      // It would wait for Redis for ever where that is away, and its timers would go on.
      void worker?.close(true).catch(() => undefined);
      opened?.connections.close();
      void opened?.queue.close().catch(() => undefined);
    },
  };

  /** Warns of a server that may evict keys. Silent where it does not say so. */
  async function warnOfEviction(client: CommandClient): Promise<void> {
    const info = await client.info('memory').catch(() => '');
    const policy = /^maxmemory_policy:([\w-]{1,64})\r?$/m.exec(info)?.[1];
    if (policy === undefined || policy === 'noeviction' || closing.signal.aborted) return;
    logEviction({ maxmemory_policy: policy });
  }
}

/** The reason why a command failed, as one safe word, `LOCK_LOST` where another process has taken over a job. */
function reasonOf(error: unknown): string {
  if (error instanceof TimeoutError) return 'TIMEOUT';
  // BullMQ reports these as plain errors.
  if (error instanceof Error && /\block\b/i.test(error.message)) return 'LOCK_LOST';
  return toStoreError(error).reason;
}

type CommandClient = ReturnType<typeof createCommandClient>;

/** A client in the form that BullMQ takes. */
type BullmqClient = ReturnType<typeof createNodeRedisClient>;

/** The connections of a queue. They are established again after every outage, until they are closed. */
interface Connections {
  /** Its commands reject at once while it is not connected. */
  readonly commands: CommandClient;
  /** The same client for BullMQ. */
  readonly queue: BullmqClient;
  /** Opens the two connections of a worker: BullMQ duplicates the returned client for its blocking reads. */
  openWorker(): BullmqClient;
  /** Closes all connections at once; pending commands reject. */
  close(): void;
}

/** Timeout of establishing a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;

/** Milliseconds between two pings, so that a connection without other traffic is not taken for a dead one. */
const PING_INTERVAL_MS = 2_000;

/** A connection on which nothing is sent or received for this many milliseconds is closed and re-established. */
const SOCKET_TIMEOUT_MS = 5_000;

/** The same for blocking reads, longer than the longest of them, which takes 10 seconds. */
const BLOCKING_SOCKET_TIMEOUT_MS = 15_000;

/** Milliseconds that a failed command of a worker takes at least. */
const FAILURE_DELAY_MS = 500;

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 500;

function openConnections(
  url: string,
  clock: Pick<Clock, 'after'>,
  onError: (error: unknown) => void,
): Connections {
  const opened: Pick<CommandClient, 'destroy'>[] = [];
  const closed = new AbortController();

  /** Listeners on both: without one, an `error` event ends the process, and BullMQ removes its own when it closes. */
  function open(client: CommandClient | ReturnType<typeof createWorkerClient>): BullmqClient {
    opened.push(client);
    client.on('error', onError);
    // A client that was destroyed while it connected still opens its socket.
    client.on('ready', () => closed.signal.aborted && client.destroy());
    const adapter = createNodeRedisClient(client);
    adapter.on('error', () => undefined);
    return adapter;
  }

  /** A worker repeats a command that failed at once: each failure takes a while, or a Redis that refuses is flooded. */
  function slowDown(client: BullmqClient): Pick<BullmqClient, 'runCommand'> {
    const runCommand = client.runCommand.bind(client);
    return {
      async runCommand(...args) {
        try {
          return await runCommand(...args);
        } catch (error) {
          await sleep(clock, FAILURE_DELAY_MS, closed.signal);
          throw error;
        }
      },
    };
  }

  const commands = createCommandClient(url, closed.signal);
  return {
    commands,
    queue: open(commands),
    openWorker() {
      const of = { closed: closed.signal };
      const blocking = open(createWorkerClient(url, { ...of, socketTimeoutMs: BLOCKING_SOCKET_TIMEOUT_MS }));
      const worker = open(
        createWorkerClient(url, {
          ...of,
          socketTimeoutMs: SOCKET_TIMEOUT_MS,
          pingInterval: PING_INTERVAL_MS,
        }),
      );
      return Object.assign(worker, { duplicate: () => blocking }, slowDown(worker));
    },
    close() {
      closed.abort();
      for (const client of opened) client.destroy();
    },
  };
}

/** Throws a `TypeError` for a URL that the client cannot use. The client's own error contains the password. */
function checkUrl(url: string): void {
  try {
    if (url === '') throw new TypeError('no URL');
    createCommandClient(url).destroy();
  } catch {
    throw new TypeError('url: must be a redis:// or rediss:// URL');
  }
}

const common = { RESP: 2, disableClientInfo: true, commandOptions: { timeout: 0 } } as const;

/** After the end a client does not connect again, even where BullMQ has asked for that. */
function socketOptions(socketTimeout: number, closed?: AbortSignal) {
  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout,
    reconnectStrategy: (retries: number) =>
      closed?.aborted ? false : Math.min(FIRST_DELAY_MS * 2 ** retries, MAX_DELAY_MS),
  };
}

function createCommandClient(url: string, closed?: AbortSignal) {
  return createClient({
    ...common,
    url,
    disableOfflineQueue: true,
    pingInterval: PING_INTERVAL_MS,
    socket: socketOptions(SOCKET_TIMEOUT_MS, closed),
  });
}

/** Commands of this client wait while it is not connected: a worker repeats those that reject without a pause. */
function createWorkerClient(
  url: string,
  {
    socketTimeoutMs,
    pingInterval = 0,
    closed,
  }: { readonly socketTimeoutMs: number; readonly pingInterval?: number; readonly closed: AbortSignal },
) {
  return createClient({ ...common, url, pingInterval, socket: socketOptions(socketTimeoutMs, closed) });
}
