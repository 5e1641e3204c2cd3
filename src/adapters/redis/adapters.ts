import { traceRecords, workflowRecords } from '../../domain/collections.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { DefinitionStore } from '../../ports/storage/definition-store.ts';
import type { ErasureMarks } from '../../ports/storage/erasure-marks.ts';
import type { EventFeed } from '../../ports/storage/event-feed.ts';
import type { IdempotencyStore, RecordStore, StorageHealth } from '../../ports/storage/record-store.ts';
import type { RunLog } from '../../ports/storage/run-log.ts';
import type { ScheduleStore } from '../../ports/storage/schedule-store.ts';
import type { StatsStore } from '../../ports/storage/stats-store.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { createSharedRateLimiter, type SharedRateLimiterOptions } from '../shared/shared-rate-limiter.ts';
import { type Connection, type ConnectionOptions, createConnection } from './client/connection.ts';
import { StoreError, toUnavailable } from './client/errors.ts';
import { createFencedWrites } from './client/fenced-writes.ts';
import { createSubscriber } from './client/subscriber.ts';
import { withReplyTimeout } from './client/timeout.ts';
import { createDefinitionStore } from './definitions/definition-store.ts';
import { createRedisErasureMarks } from './erasure-marks.ts';
import { createRedisEventFeed } from './feed/event-feed.ts';
import { createIdempotencyKeys } from './idempotency/idempotency-store.ts';
import { createKeys } from './keys.ts';
import { createRedisPeople, type PeoplePorts } from './people/people.ts';
import { createRedisWindowCounter } from './rate-limiter.ts';
import { createBufferedRecordStore, createRecordStore } from './records/record-store.ts';
import { type Collection, createStoredRecords, type EncodedRecord } from './records/stored-records.ts';
import { defaultRecoveryTimes, type RecoveryTimes } from './run-log/recovery/recovery.ts';
import { createRunLogs } from './run-log/run-logs.ts';
import { createRedisScheduleStore } from './schedules/schedule-store.ts';
import { createRedisStatsStore } from './stats/stats-store.ts';
import { createWriteBuffers, type WriteBuffers } from './write-buffers.ts';

/** Options of {@link createRedisAdapters}. */
export interface RedisAdaptersOptions {
  /** `redis://` or `rediss://`, credentials included; never logged. */
  readonly url: string;
  /** Prefix of all keys. */
  readonly prefix: string;
  /** Timeout of a command, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Retention of traces, of conversations after their last change and of inbox items after their end, in milliseconds;
   * 7 days when absent.
   */
  readonly traceRetentionMs?: number;
  /**
   * The most inbox items that may wait for another one that is not of a message to be stored; 100,000 when absent. The
   * items of messages are always stored.
   */
  readonly maxWaitingItems?: number;
  /** Retention of runs and of routed goals from their creation, in milliseconds. */
  readonly runRetentionMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Each command becomes a child span of the span that is active; no spans when absent. */
  readonly telemetry?: Pick<Telemetry, 'span'>;
  /** Called for every record that was lost because it could not be stored in time. Must not throw. */
  readonly onDropped?: () => void;
  /** Limits of each write buffer. There is one for each buffered record store, and one for runs. */
  readonly writeBuffer?: { readonly maxItems: number; readonly maxBytes: number };
  /** Milliseconds between two heartbeats, which also check the store; 1,000 when absent. */
  readonly checkEveryMs?: number;
  /** Intervals of the recovery of runs; `defaultRecoveryTimes` when absent. */
  readonly recovery?: RecoveryTimes;
  /**
   * Whether runs outlive their process: every append of a run is written before it resolves, by the replica that has
   * claimed it alone, and the runs of a replica that is gone wait for another one to claim them. It must be the same in
   * all replicas. False when absent.
   */
  readonly durableRuns?: boolean;
}

/**
 * The adapters of the store. They use two connections: one for records, one for rate limits; and a third one while
 * somebody waits for events of runs.
 */
export interface RedisAdapters {
  /** The option of that name: the retention of routed goals too. */
  readonly runRetentionMs: number;
  /** Creates a record store whose `put` rejects while the store is unavailable. */
  recordStore<R, S>(collection: Collection<R, S>): RecordStore<R, S>;
  /**
   * Creates a record store for finished work: while the store is unavailable, `put` buffers records and `get` finds
   * them.
   */
  bufferedRecordStore<R, S>(collection: Collection<R, S>): RecordStore<R, S>;
  /**
   * Traces, the inbox, conversations and examples. While the store is unavailable, messages wait as buffered records
   * do.
   */
  readonly people: PeoplePorts;
  /** Workflow definitions. They are not buffered: `put` and `replace` reject while the store is unavailable. */
  readonly definitions: DefinitionStore;
  /** The log of runs. */
  readonly runLog: RunLog;
  /** The schedules, which every write has stored before it resolves. */
  readonly schedules: ScheduleStore;
  /** The store of idempotency keys. */
  readonly idempotencyStore: IdempotencyStore;
  /** What happens in all replicas. */
  /** The last erasures of customers, of all replicas. */
  readonly erasures: ErasureMarks;
  readonly feed: EventFeed;
  /** What all replicas have counted. */
  readonly stats: StatsStore;
  /** Creates a limiter with a connection of its own. Call it before `start`. */
  rateLimiter(options: SharedRateLimiterOptions): RateLimiter;
  /** Number of records and runs with writes that wait in this process. */
  readonly buffered: number;
  /** Throws while the store is unavailable. */
  readonly storage: StorageHealth;
  /** The state of the store at its last check, without another round trip. */
  readonly probe: HealthProbe;
  /** Starts to connect. Resolves within a second, whether the store is available or not. */
  start(): Promise<void>;
  /** Writes what is buffered, for at most two seconds, deregisters from the other replicas, and disconnects. */
  close(): Promise<void>;
}

/** The same limits as those of a collection in memory. */
const DEFAULT_WRITE_BUFFER = { maxItems: 10_000, maxBytes: 64 * 1_024 * 1_024 };

/**
 * The lease of an idempotency key, in times after which a replica counts as gone: a slow one keeps them for 40 seconds.
 */
const LEASE_FACTOR = 2;

const MAX_WAITING_ITEMS = 100_000;

/** Maximum time that `close` waits for buffered writes, in milliseconds. */
const FLUSH_TIMEOUT_MS = 2_000;

/** Creates the adapters of the store. Nothing connects before `start`. */
export function createRedisAdapters(options: RedisAdaptersOptions): RedisAdapters {
  const { timeoutMs, clock, logger } = options;
  const keys = createKeys(options.prefix);
  const connections = createConnections(options);

  const connection = connections.create({
    purpose: 'records',
    check(client, isNew) {
      const heartbeat = runLogs.heartbeat.send(client, isNew);
      // Sent in the same turn, so that both take one round trip.
      void feed.flush(client);
      void stats.flush(client);
      return heartbeat;
    },
    onAvailable() {
      runLogs.recover();
      idempotency.renew();
      void buffers.flushAll();
    },
  });
  const isAvailable = (): boolean => connection.state === 'available';
  const writes = createFencedWrites(connection, clock, timeoutMs);
  const { onDropped, writeBuffer: limits = DEFAULT_WRITE_BUFFER } = options;
  const buffers = createWriteBuffers({ ...limits, onDropped, isAvailable, clock, logger });
  const { runRetentionMs: retentionMs, recovery: recoveryTimes = defaultRecoveryTimes } = options;
  const subscriber = createSubscriber(options.url);
  const runLogs = createRunLogs({
    ...{
      retentionMs,
      recoveryTimes,
      durableRuns: options.durableRuns ?? false,
      keys,
      connection,
      subscriber,
      writes,
      buffers,
      clock,
      logger,
    },
  });
  const { traceRetentionMs = traceRecords.retentionMs, maxWaitingItems = MAX_WAITING_ITEMS } = options;
  const traces = { ...traceRecords, retentionMs: traceRetentionMs };
  const people = createRedisPeople({
    ...{ keys, connection, writes, buffers, maxWaitingItems, retentionMs: traceRetentionMs },
    records: createStoredRecords(traces, keys, connection, writes),
  });
  const definitions = createStoredRecords(workflowRecords, keys, connection, writes);
  const leaseMs = LEASE_FACTOR * recoveryTimes.goneAfterMs;
  const { isStable } = runLogs;
  const feed = createRedisEventFeed(keys, connection, clock);
  const stats = createRedisStatsStore(keys, connection, clock);
  const idempotency = createIdempotencyKeys({ leaseMs, isStable, keys, writes, clock });

  return {
    runRetentionMs: retentionMs,
    recordStore: (collection) => createRecordStore(createStoredRecords(collection, keys, connection, writes)),
    bufferedRecordStore(collection) {
      const records = createStoredRecords(collection, keys, connection, writes);
      const buffer = buffers.create<EncodedRecord, void>({
        write: (_, record) => records.write(record),
        merge: (_, newer) => newer,
      });
      return createBufferedRecordStore(records, buffer);
    },
    people,
    definitions: createDefinitionStore(definitions, keys, connection, writes),
    runLog: runLogs.log,
    schedules: createRedisScheduleStore(keys, connection, writes),
    idempotencyStore: idempotency.store,
    erasures: createRedisErasureMarks(keys, connection),
    feed,
    stats,
    rateLimiter(limiterOptions) {
      const counting = connections.create({
        purpose: 'rate limits',
        check: async (client) => void (await client.ping()),
      });
      const counter = createRedisWindowCounter(limiterOptions, keys, counting);
      return createSharedRateLimiter(limiterOptions, counter, { clock, logger });
    },
    get buffered() {
      return buffers.size;
    },
    storage: {
      assertAvailable() {
        if (isAvailable()) return;
        const kind = connection.state === 'read_only' ? 'reply' : 'disconnected';
        throw toUnavailable(new StoreError(kind, 'UNAVAILABLE'));
      },
    },
    probe: async () => (isAvailable() ? 'ok' : 'error'),
    start: connections.start,
    async close() {
      await flushBeforeClose(buffers, clock, logger);
      runLogs.close();
      await connection.run('EVALSHA', feed.flush).catch(() => undefined);
      await connection.run('EVALSHA', stats.flushLast).catch(() => undefined);
      await connection.run('EVALSHA', runLogs.heartbeat.stop).catch(() => undefined);
      connections.close();
    },
  };
}

/** Creates connections with the same options, and starts and closes them together. */
function createConnections(options: RedisAdaptersOptions) {
  const { url, timeoutMs, clock, logger, telemetry, checkEveryMs = 1_000 } = options;
  const connections: Connection[] = [];
  return {
    create(own: Pick<ConnectionOptions, 'purpose' | 'check' | 'onAvailable'>): Connection {
      const shared = { url, timeoutMs, clock, logger, telemetry, checkEveryMs };
      const connection = createConnection({ ...shared, ...own });
      connections.push(connection);
      return connection;
    },
    async start(): Promise<void> {
      await Promise.all(connections.map((connection) => connection.start()));
    },
    close(): void {
      for (const connection of connections) connection.close();
    },
  };
}

async function flushBeforeClose(buffers: WriteBuffers, clock: Clock, logger: Logger): Promise<void> {
  await withReplyTimeout(buffers.flushAll(), FLUSH_TIMEOUT_MS, clock).catch(() => undefined);
  const lost = buffers.size;
  if (lost > 0) logger.error('records were lost before they could be stored', { times: lost });
}
