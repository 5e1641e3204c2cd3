import { createStorage } from '../application/storage/storage.ts';
import { conflict, unavailable } from '../domain/errors.ts';
import { hasEnded, type RunStatus } from '../domain/run/run.ts';
import type { Clock } from '../ports/clock.ts';
import { silentLogger } from '../ports/logger.ts';
import type { StoragePorts } from '../ports/ports.ts';
import type { RunLog } from '../ports/storage/run-log.ts';
import type { Indexes } from './memory/entry.ts';
import { createMemoryEventFeed } from './memory/event-feed.ts';
import type { Limit } from './memory/limits.ts';
import { createMemoryStatsStore } from './memory/stats/stats-store.ts';
import { createMemoryStore, type MemoryStore, type TableRules } from './memory/store.ts';
import { digestOf } from './shared/process-id.ts';
import { systemClock } from './shared/system.ts';

const MEBIBYTE = 1_024 * 1_024;

/** The limit of a kind of records: of their number, and about of the bytes that they take. */
interface Bounds {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** The limits of all records in memory. */
export interface MemoryLimits {
  readonly traces: Bounds;
  readonly routes: Bounds;
  readonly conversations: Bounds;
  readonly inbox: Bounds;
  readonly examples: Bounds;
  readonly workflows: Bounds;
  /** The bytes of all versions of workflows that are not the newest one. */
  readonly oldVersionBytes: number;
  readonly scheduleBytes: number;
  readonly idempotency: Bounds;
  /** Of runs that have ended. */
  readonly runs: Bounds;
  /**
   * The bytes of the runs that have not ended. Above it, a further run is rejected with `unavailable`. Child runs may
   * take half as much again, so that their parents can end. The events of runs that go on may take twice as much, so
   * that every child run that was created can go on.
   */
  readonly unendedRunBytes: number;
}

const records: Bounds = { maxRows: 10_000, maxBytes: 64 * MEBIBYTE };

const defaultLimits: MemoryLimits = {
  traces: records,
  routes: records,
  conversations: records,
  inbox: { maxRows: 10_000, maxBytes: 256 * MEBIBYTE },
  examples: records,
  workflows: { maxRows: 1_000, maxBytes: 128 * MEBIBYTE },
  oldVersionBytes: 64 * MEBIBYTE,
  scheduleBytes: 64 * MEBIBYTE,
  idempotency: records,
  runs: records,
  unendedRunBytes: 256 * MEBIBYTE,
};

/** No clock gets so far: the time after which records would expire. */
const FOREVER_MS = 8_640_000_000_000_000;

/** The bytes beyond `unendedRunBytes` that child runs, and the events of runs that go on, may take. */
const CHILD_FACTOR = 1.5;
const APPEND_FACTOR = 2;

/** Seconds after which a caller may try again where the runs take too much memory. */
const RETRY_AFTER_SECONDS = 5;

/** Options of {@link createMemoryStorage}. */
export interface MemoryStorageOptions {
  /** The system's when absent. */
  readonly clock?: Clock;
  readonly limits?: Partial<MemoryLimits>;
}

/** Creates stores for all records in memory, with limits on their number and size. */
export function memoryStorage(): StoragePorts {
  return createMemoryStorage();
}

/** The same with another clock, or other limits. */
export function createMemoryStorage({
  clock = systemClock,
  limits,
}: MemoryStorageOptions = {}): StoragePorts {
  const bounds = { ...defaultLimits, ...limits };
  const store = createMemoryStore(clock, { rules: rulesFor(bounds) });
  const { ports } = createStorage(
    { store, clock, random: Math.random },
    {
      processId: 'memory',
      logger: silentLogger,
      digest: digestOf,
      traceRetentionMs: FOREVER_MS,
      runRetentionMs: FOREVER_MS,
      // The store has the limit, and makes room.
      maxWaitingItems: Number.POSITIVE_INFINITY,
    },
  );
  return {
    ...ports,
    runs: boundUnended(ports.runs, store, bounds.unendedRunBytes),
    feed: createMemoryEventFeed(),
    stats: createMemoryStatsStore(),
  };
}

/** The limits of runs: those that have ended, then all others. */
const UNENDED = 1;

/** True where a run has ended, and nobody must look at it any more: a parent that does not know yet, for instance. */
const isAtRest = ({ status, phase }: Indexes): boolean => isEnded(status) && phase === null;

function isEnded(status: Indexes[string] | undefined): boolean {
  return endedStatuses.has(String(status));
}

const endedStatuses: ReadonlySet<string> = new Set(
  (['PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'CANCELLED'] satisfies RunStatus[]).filter(
    hasEnded,
  ),
);

function rulesFor(limits: MemoryLimits): Readonly<Record<string, TableRules>> {
  const { maxRows, maxBytes } = limits.workflows;
  const stays = () => null;
  const only = (limit: Limit): Pick<TableRules, 'limits'> => ({ limits: [limit] });
  return {
    traces: { ...only(limits.traces), isQueue: true },
    routes: { ...only(limits.routes), isQueue: true },
    conversations: only({ ...limits.conversations, lastWrittenLast: true }),
    examples: only(limits.examples),
    erasures: only({ lastWrittenLast: true }),
    inbox: only({
      ...limits.inbox,
      // Those that have ended, then messages that wait; never a step that waits.
      turn: ({ waiting_since: waits, kind }) =>
        waits === null ? 0 : kind === 'escalation' || kind === 'draft' ? 1 : null,
      full: ({ rows }) => unavailable(`the inbox is full: ${rows} items wait`),
    }),
    workflows: only({
      ...limits.workflows,
      turn: stays,
      full: ({ rows }) =>
        conflict(
          `the store is full: the limit is ${rows >= maxRows ? `${maxRows} records` : `${maxBytes} bytes of definitions`}, delete some first`,
        ),
    }),
    workflow_versions: only({ maxBytes: limits.oldVersionBytes }),
    schedules: only({
      maxBytes: limits.scheduleBytes,
      turn: stays,
      full: () =>
        conflict(
          `the schedules with their inputs take ${limits.scheduleBytes} bytes already: delete one first`,
        ),
    }),
    idempotency: {
      ...only({
        ...limits.idempotency,
        // One whose work is under way stays.
        turn: ({ owner, held_until: until }) => (owner === null || until === 0 ? 0 : null),
        full: () => unavailable('too many requests with an Idempotency-Key are under way'),
      }),
      isQueue: true,
    },
    runs: {
      limits: [{ ...limits.runs, counts: isAtRest }, { turn: stays }],
      refersTo: { table: 'run_definitions', index: 'definition' },
    },
  };
}

/** Refuses what makes runs go on once those that have not ended take too much memory; never their end, or a wait. */
function boundUnended(log: RunLog, store: MemoryStore, maxBytes: number): RunLog {
  function hasRoom(status: RunStatus, factor: number, added = 0): boolean {
    return hasEnded(status) || store.bytes('runs', UNENDED) + added <= factor * maxBytes;
  }

  const refuse = (): Promise<never> =>
    Promise.reject(
      unavailable(
        `the runs that have not ended take ${maxBytes} bytes of memory already`,
        RETRY_AFTER_SECONDS,
      ),
    );

  return {
    ...log,
    create(run) {
      const { status, parentRunId, input } = run.summary;
      // Nothing must be measured while there is plenty of room.
      const isNear = !hasRoom(status, 0.5);
      const added = isNear ? Buffer.byteLength(JSON.stringify(input)) : 0;
      return hasRoom(status, parentRunId === null ? 1 : CHILD_FACTOR, added) ? log.create(run) : refuse();
    },
    append(runId, expectedSeq, events, change) {
      const { status } = change;
      if (status !== 'WAITING' && !hasRoom(status, APPEND_FACTOR)) return refuse();
      return log.append(runId, expectedSeq, events, change);
    },
  };
}
