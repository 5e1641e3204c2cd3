import { isOrchestrationError } from '../../domain/errors.ts';
import type { RunSignal } from '../../domain/run/events.ts';
import {
  cancelOf,
  phaseOf,
  type RowContext,
  type RunRow,
  release,
  takeFrom,
} from '../../domain/run/run-row.ts';
import { createThrottle } from '../../lib/async/throttle.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RunListener } from '../../ports/storage/run-log.ts';
import { remove, type Stored, write } from '../../ports/storage/store.ts';
import { processesTable, type RunProcess, runsTable } from './run-tables.ts';
import type { StorageParts } from './update.ts';

/** When another process counts as gone. All values are in milliseconds. */
export interface OwnerTimes {
  /** Interval of the signs of life. */
  readonly aliveEveryMs: number;
  /** A process without a sign of life for this long is gone. */
  readonly goneAfterMs: number;
  /**
   * A process looks for others that are gone only once the store could be reached for this long: right after an outage
   * the signs of all are old.
   */
  readonly stableForMs: number;
  /** Interval of the looks for runs that nobody runs, and for signals that were not heard of. */
  readonly lookEveryMs: number;
  /** A run that is free for this long may have been forgotten. */
  readonly freeForMs: number;
}

/** The times of processes that share a store. */
export const sharedTimes: OwnerTimes = {
  aliveEveryMs: 1_000,
  goneAfterMs: 20_000,
  stableForMs: 15_000,
  lookEveryMs: 5_000,
  freeForMs: 15_000,
};

/** The runs of this process, as its log knows them. */
export interface OwnRuns {
  /** Those that it owns. */
  ids(): readonly string[];
  /** True for a run that it owns, or is about to. */
  has(runId: string): boolean;
  /** Reads runs again that others have written to: the listener is told of their signals, and which are lost. */
  refresh(runIds: readonly string[]): Promise<void>;
  readonly context: () => RowContext;
}

/**
 * The ownership of a process: the signs by which its runs are known to be its own, and the takeover of runs whose
 * owners are gone.
 */
export interface RunOwners {
  /** Resolves once the store has a sign of life that is new enough for this process to own a run. */
  assureAlive(): Promise<void>;
  /** True where another process is gone. */
  isGone(owner: string): Promise<boolean>;
  /** Begins to look for runs, of which it tells the listener. */
  listen(listener: RunListener): void;
  /** Ends that, and tells the others that this process is gone. */
  close(): Promise<void>;
}

/** The topic of the notices about signals. */
export const SIGNALS = 'signals';

/** The most runs that are looked at at a time. */
const BATCH = 200;

/** Milliseconds between two log lines about looks that failed. */
const LOG_INTERVAL_MS = 60_000;

/** There is no other process, and none after this one. */
const alone: RunOwners = {
  assureAlive: () => Promise.resolve(),
  isGone: () => Promise.resolve(false),
  listen: () => undefined,
  close: () => Promise.resolve(),
};

/** Creates {@link RunOwners}. */
export function createRunOwners(
  {
    store,
    clock,
    logger,
    self,
    times,
    isAlone = false,
  }: StorageParts & {
    readonly logger: Logger;
    readonly self: string;
    readonly times: OwnerTimes;
    readonly isAlone?: boolean | undefined;
  },
  own: OwnRuns,
): RunOwners {
  if (store.local !== undefined) return alone;
  const failures = createThrottle(LOG_INTERVAL_MS, () => clock.monotonic());
  let listener: RunListener | undefined;
  let aliveAt = Number.NEGATIVE_INFINITY;
  /** The time of the last sign of life by the clock of the store. */
  let saidAt = Number.NEGATIVE_INFINITY;
  let mustRefresh = false;
  let stableSince: number | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  let isLookDone = false;
  /** Runs that the listener has refused to take over. */
  const refused = new Set<string>();
  /** Rows that name this process, which does not know them, at the last look. */
  let unknown: ReadonlySet<string> = new Set();
  let cancelNext: (() => void) | undefined;
  let stopWatching = (): void => undefined;
  let isClosed = false;
  /** Runs that are free since before have been left by others. */
  const startedAt = store.now();

  /** Names the process once where it is alone: its successor takes its runs without waiting for its signs to end. */
  async function showOnce(): Promise<void> {
    if (aliveAt > 0) return;
    await store.commit([write(processesTable, self, { aliveUntil: 0 })]);
    aliveAt = Number.POSITIVE_INFINITY;
  }

  async function showAlive(): Promise<void> {
    const sentAt = clock.monotonic();
    const now = store.now();
    try {
      await store.commit([write(processesTable, self, { aliveUntil: now + times.goneAfterMs })]);
    } catch (error) {
      stableSince = undefined;
      throw error;
    }
    // After so long others may have taken its runs, and what has held it up may hold them up too. A clock that was set
    // looks the same: then all signs are old by it.
    const wasLate = Math.max(sentAt - aliveAt, now - saidAt) > times.goneAfterMs / 2;
    aliveAt = sentAt;
    saidAt = now;
    if (wasLate) stableSince = undefined;
    stableSince ??= clock.monotonic();
    mustRefresh ||= wasLate;
    if (mustRefresh) await refreshAll();
    mustRefresh = false;
  }

  async function refreshAll(): Promise<void> {
    const runIds = own.ids();
    for (let first = 0; first < runIds.length; first += BATCH)
      await own.refresh(runIds.slice(first, first + BATCH));
  }

  const isStable = (): boolean =>
    isAlone || (stableSince !== undefined && clock.monotonic() - stableSince >= times.stableForMs);

  async function tell(runId: string, row: RunRow): Promise<void> {
    try {
      await listener?.onAbandoned(runId, cancelOf(row));
    } catch (error) {
      refused.add(runId);
      logger.warn('a run whose process is gone was not taken over yet', { execution_id: runId, err: error });
    }
  }

  /** Tells again of runs that the listener has refused. */
  async function tellRefused(): Promise<void> {
    const runIds = [...refused];
    const rows = await store.read(runsTable, runIds);
    refused.clear();
    for (const stored of rows)
      if (stored !== undefined && phaseOf(stored.row) === 'free') await tell(stored.id, stored.row);
  }

  /** Takes the runs of processes that are gone. */
  async function takeAbandoned(): Promise<void> {
    const between = { alive: { until: store.now() } };
    const gone = await store.range(processesTable, { between, order: 'alive', limit: BATCH });
    for (const one of gone) if (one.id !== self) await takeAllFrom(one);
  }

  async function takeAllFrom({ id: gone, version }: Stored<RunProcess>): Promise<void> {
    for (;;) {
      const rows = await store.range(runsTable, { where: { owner: gone }, limit: BATCH });
      if (rows.length === 0) break;
      await Promise.all(rows.map((row) => takeOne(row, gone)));
    }
    await store.commit([remove(processesTable, gone, version)]);
  }

  async function takeOne({ id, version, row }: Stored<RunRow>, gone: string): Promise<void> {
    const taken = takeFrom(row, gone, own.context());
    if (taken === undefined) return;
    const written = await store.commit([write(runsTable, id, taken, { expects: version })]);
    if (written === undefined) return;
    // One that waits goes on waiting, unless somebody was about to be told why it does not.
    if (row.state.status === 'WAITING') tellSignals(id, row.signals);
    else await tell(id, taken);
  }

  function tellSignals(runId: string, signals: readonly RunSignal[]): void {
    for (const signal of signals) listener?.onSignal(runId, structuredClone(signal));
  }

  /** Tells of runs that are free for long: nobody has claimed them. */
  async function tellForgotten(): Promise<void> {
    const now = store.now();
    const until = Math.max(now - times.freeForMs, isAlone ? startedAt - 1 : 0);
    const request = { where: { phase: 'free' }, index: 'available', until, to: now, limit: BATCH };
    const rows = await store.take(runsTable, request);
    await Promise.all(rows.map(({ id, row }) => tell(id, row)));
    if (isAlone && rows.length === BATCH) await tellForgotten();
  }

  /** Tells of signals for runs of this process, and for those that wait and belong to nobody. */
  async function lookForSignals(): Promise<void> {
    const signalled = await store.range(runsTable, { where: { signalled: self }, limit: BATCH });
    if (signalled.length > 0) await own.refresh(signalled.map(({ id }) => id));
    for (const { id, row } of await store.range(runsTable, { where: { signalled: '' }, limit: BATCH })) {
      if (row.state.status === 'WAITING') tellSignals(id, row.signals);
    }
  }

  /** Gives up runs that the store lists as those of this process, which does not know them: a reply was lost. */
  async function releaseUnknown(): Promise<void> {
    const rows = await store.range(runsTable, { where: { owner: self }, limit: own.ids().length + BATCH });
    const found = rows.filter(({ id }) => !own.has(id));
    const again = found.filter(({ id }) => unknown.has(id));
    unknown = new Set(found.map(({ id }) => id));
    for (const { id, version, row } of again) {
      const released = release(row, own.context());
      if (released === undefined || own.has(id)) continue;
      const written = await store.commit([
        write(runsTable, id, { ...released, crashed: true }, { expects: version }),
      ]);
      if (written !== undefined) await tell(id, released);
    }
  }

  async function look(): Promise<void> {
    await tellRefused();
    await lookForSignals();
    if (isStable()) await takeAbandoned();
    await tellForgotten();
    await releaseUnknown();
    isLookDone = refused.size === 0;
  }

  /** Never rejects. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // The store tells of its outage itself.
      const count = isOrchestrationError(error, 'unavailable') ? undefined : failures();
      if (count !== undefined)
        logger.warn('runs of other processes could not be looked for', { err: error, times: count });
    }
  }

  /** Looks, unless it has lately. */
  function lookSoon(): void {
    if (listener === undefined || isLooking || clock.monotonic() - lookedAt < times.lookEveryMs) return;
    lookedAt = clock.monotonic();
    isLooking = true;
    isLookDone = false;
    void attempt(look).then(() => {
      isLooking = false;
      // Nobody else takes over what this one has not.
      if (isAlone && !isLookDone) lookedAt = Number.NEGATIVE_INFINITY;
    });
  }

  /** A look may take long: the signs of life do not wait for it. */
  async function work(): Promise<void> {
    await attempt(async () => {
      if (!isAlone) await showAlive();
      lookSoon();
    });
    cancelNext = undefined;
    plan();
  }

  function plan(): void {
    if (!isClosed) cancelNext ??= clock.after(times.aliveEveryMs, () => void work());
  }

  return {
    async assureAlive() {
      if (isAlone) await showOnce();
      else if (clock.monotonic() - aliveAt > times.goneAfterMs / 2) await showAlive();
    },
    async isGone(owner) {
      if (isAlone) return owner !== self;
      if (!isStable()) return false;
      const [found] = await store.read(processesTable, [owner]);
      return found === undefined || found.row.aliveUntil <= store.now();
    },
    listen(newListener) {
      listener = newListener;
      stopWatching = store.watch(SIGNALS, (runId) => {
        if (runId !== undefined && own.has(runId)) void own.refresh([runId]).catch(() => undefined);
      });
      // The runs of those before need not wait for a sign that is missing.
      if (isAlone) cancelNext = clock.after(0, () => void work());
      plan();
    },
    async close() {
      isClosed = true;
      cancelNext?.();
      stopWatching();
      if (!isAlone)
        await store.commit([write(processesTable, self, { aliveUntil: 0 })]).catch(() => undefined);
    },
  };
}
