import { unavailable } from '../../domain/errors.ts';
import { createThrottle } from '../../lib/async/throttle.ts';
import type { Logger } from '../../ports/logger.ts';
import type { QueueLimits, RunQueue, TurnOutcome } from '../../ports/storage/run-queue.ts';
import {
  type Change,
  type Notice,
  remove,
  type Stored,
  type Table,
  write,
} from '../../ports/storage/store.ts';
import type { StorageParts } from './update.ts';

/** A run that waits for its start. */
export interface QueuedRun {
  /** Orders the queue: milliseconds since the epoch, and the number of the call within them. */
  readonly place: number;
}

/** The runs that wait for their start. */
export const queueTable: Table<QueuedRun> = {
  name: 'queue',
  texts: {},
  numbers: { place: ({ place }) => place },
  expiresAt: () => null,
};

/** The part of a commit that adds a run to a queue. */
export interface QueueAddition {
  readonly changes: readonly Change[];
  readonly notices: readonly Notice[];
  /** Must be called with the version of the row once it is written. */
  onWritten(version: number | undefined): void;
}

/** A queue of runs over a store. */
export interface StoredRunQueue {
  readonly queue: RunQueue;
  /**
   * The addition for a new run, for the commit that creates it; undefined where this queue starts no runs. The `wake`
   * of that run that follows its commit writes nothing.
   */
  addition(runId: string): QueueAddition | undefined;
  /** Begins to start runs. Call it once all tools and agents are registered. */
  start(): void;
  /** Starts no more runs. What waits is left to the other processes. */
  close(): void;
}

/** The topic of the notices about new runs. */
const QUEUE = 'queue';

/** The interval at which a process with free places looks for runs of which it was not told, in milliseconds. */
const LOOK_MS = 5_000;

/** A run that was taken and whose start was not recorded may be taken again after this time, in milliseconds. */
const TAKEN_MS = 10_000;

/** The clocks of two processes differ by less, in milliseconds: a run that another one has just added is not missed. */
const AHEAD_MS = 2_000;

/** The time for which a count of the waiting runs is used, in milliseconds. */
const FRESH_MS = 500;

/** Seconds after which a run that found no room may be tried again. */
const RETRY_AFTER_SECONDS = 5;

/** Milliseconds between two log lines about runs that could not be taken. */
const LOG_INTERVAL_MS = 60_000;

/** Places within a millisecond. */
const PLACES = 1_000;

/**
 * Creates a queue of runs that all processes share which share the store. Each run is handed out to one process; its
 * claim is what counts.
 */
export function createStoredRunQueue({
  store,
  clock,
  logger,
  self,
}: StorageParts & {
  readonly logger: Logger;
  /** The name of this process, which no other one has. */
  readonly self: string;
}): StoredRunQueue {
  const failures = createThrottle(LOG_INTERVAL_MS, () => clock.monotonic());
  /** The runs that run here, and whether they were woken meanwhile. */
  const running = new Map<string, { again: boolean }>();
  /** The runs that were added with their creation, until they are woken. */
  const justAdded = new Set<string>();
  let occupied = 0;
  let limits: QueueLimits = { maxRunning: 0, maxWaiting: 0 };
  let handle: ((runId: string) => Promise<TurnOutcome>) | undefined;
  let isStarted = false;
  let isClosed = false;
  let isTaking = false;
  let isDue = false;
  let cancelLook: (() => void) | undefined;
  let stopWatching = (): void => undefined;
  let places = 0;
  /** The runs that waited when they were counted last, with the slots of those added since. */
  let waiting = { at: Number.NEGATIVE_INFINITY, slots: 0, slotsOf: new Map<string, number>() };

  const freePlaces = (): number => (isClosed ? 0 : limits.maxRunning - running.size - occupied);

  async function depth(): Promise<number> {
    if (clock.monotonic() - waiting.at >= FRESH_MS) {
      const at = clock.monotonic();
      const slots = await store.count(queueTable, {}).catch(() => waiting.slots);
      waiting = { at, slots, slotsOf: new Map() };
    }
    return waiting.slots;
  }

  /** The slots that a run occupies. Throws where fewer are free, and the run cannot start at once. */
  async function roomFor(requested: number): Promise<number> {
    const slots = Math.max(1, Math.min(requested, limits.maxWaiting));
    const used = await depth();
    if (used >= freePlaces() && used + slots > limits.maxWaiting) {
      throw unavailable('too many background runs are waiting', RETRY_AFTER_SECONDS);
    }
    return slots;
  }

  function additionOf(runId: string, slots: number): QueueAddition {
    places = (places + 1) % PLACES;
    const place = Math.floor(store.now()) * PLACES + places;
    return {
      changes: [write(queueTable, runId, { place }, { ifAbsent: true })],
      notices: [{ topic: QUEUE, text: self }],
      onWritten(version) {
        if (version !== 0) {
          waiting.slots += slots;
          waiting.slotsOf.set(runId, slots);
        }
        takeSoon();
      },
    };
  }

  async function add(runId: string, slots: number): Promise<void> {
    const { changes, notices, onWritten } = additionOf(runId, slots);
    const [version] = (await store.commit(changes, notices)) ?? [];
    onWritten(version);
  }

  /** Takes as many runs as there are places, and again where something was added meanwhile. */
  function takeSoon(): void {
    isDue = true;
    if (isTaking || handle === undefined || !isStarted || !isAvailable()) return;
    isTaking = true;
    void takeAll().then(() => {
      isTaking = false;
      if (isDue && freePlaces() > 0) takeSoon();
    });
  }

  async function takeAll(): Promise<void> {
    try {
      while (isDue && freePlaces() > 0) {
        isDue = false;
        const until = Math.floor(store.now() + AHEAD_MS) * PLACES;
        const to = until + TAKEN_MS * PLACES;
        const limit = freePlaces();
        const taken = await store.take(queueTable, { index: 'place', until, to, limit });
        await startAll(taken);
        if (taken.length === limit) isDue = true;
      }
    } catch (error) {
      const times = failures();
      if (times !== undefined) logger.warn('runs that wait could not be taken', { err: error, times });
    }
  }

  function isAvailable(): boolean {
    try {
      store.assertAvailable();
      return true;
    } catch {
      // The store tells of its outage itself, and when it is back.
      return false;
    }
  }

  /** Starts the runs that nobody else has removed since they were taken. */
  async function startAll(taken: readonly Stored<QueuedRun>[]): Promise<void> {
    if (taken.length === 0) return;
    const removed = await store.commit(taken.map(({ id, version }) => remove(queueTable, id, version)));
    if (removed !== undefined) for (const { id } of taken) startTaken(id);
    // One is not there any more: each by itself.
    else if (taken.length > 1) for (const run of taken) await startAll([run]);
  }

  function startTaken(runId: string): void {
    waiting.slots = Math.max(0, waiting.slots - (waiting.slotsOf.get(runId) ?? 1));
    waiting.slotsOf.delete(runId);
    const known = running.get(runId);
    if (known !== undefined) known.again = true;
    else start(runId);
  }

  function start(runId: string): void {
    if (handle === undefined) return;
    const run = { again: false };
    running.set(runId, run);
    void handle(runId).then(async (outcome) => {
      running.delete(runId);
      if (outcome === 'again' || run.again) await add(runId, 1).catch(() => undefined);
      takeSoon();
    });
  }

  function look(): void {
    cancelLook = clock.after(LOOK_MS, look);
    takeSoon();
  }

  const queue: RunQueue = {
    process(handler, queueLimits) {
      handle = handler;
      limits = queueLimits;
    },
    async assertRoom(slots) {
      await roomFor(slots);
    },
    async enqueue(runId, slots) {
      await add(runId, await roomFor(slots));
    },
    async wake(runId) {
      if (!justAdded.delete(runId)) await add(runId, 1);
    },
    async remove(runId) {
      const [stored] = await store.read(queueTable, [runId]);
      if (stored === undefined) return false;
      return (await store.commit([remove(queueTable, runId, stored.version)])) !== undefined;
    },
    occupy() {
      occupied += 1;
      return () => {
        occupied -= 1;
        takeSoon();
      };
    },
    depth,
    async close() {
      close();
      return [];
    },
  };

  function close(): void {
    isClosed = true;
    cancelLook?.();
    stopWatching();
  }

  return {
    queue,
    addition(runId) {
      if (handle === undefined) return undefined;
      const { onWritten, ...addition } = additionOf(runId, 1);
      return {
        ...addition,
        onWritten(version) {
          justAdded.add(runId);
          onWritten(version);
        },
      };
    },
    start() {
      isStarted = true;
      stopWatching = store.watch(QUEUE, (from) => {
        if (from !== self) takeSoon();
      });
      store.onAvailable(takeSoon);
      look();
    },
    close,
  };
}
