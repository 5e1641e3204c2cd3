import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import type { Clock } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { RecordStore, StorageHealth } from '../../ports/record-store.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { type Connection, type ConnectionOptions, createConnection } from './client/connection.ts';
import { StoreFault, toUnavailable } from './client/errors.ts';
import { createScriptRunner } from './client/script-runner.ts';
import { within } from './client/timeout.ts';
import { createKeys } from './keys.ts';
import { createRedisRateLimiter, type RedisRateLimiterOptions } from './rate-limiter.ts';
import { createDeferringRecordStore, createRecordStore } from './records/record-store.ts';
import { type Collection, createStoredRecords, type EncodedRecord } from './records/stored-records.ts';
import { createHeart } from './runs/heartbeat.ts';
import { createRecovery, defaultRecoveryTimes, type RecoveryTimes } from './runs/recovery.ts';
import { mergeChanges } from './runs/run-encoding.ts';
import { createExecutionStore, createLiveRuns, createSendChange } from './runs/run-store.ts';
import { createStoredExecutions } from './runs/stored-runs.ts';
import { createOutbox, type Outbox, type OutboxOptions } from './write-buffer.ts';

export interface RedisAdaptersOptions {
  /** `redis://` or `rediss://`, credentials included; never logged. */
  readonly url: string;
  /** What every key begins with. */
  readonly prefix: string;
  /** The longest that a command may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How long executions are kept from their creation, in milliseconds. */
  readonly executionRetentionMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Makes each command a span of whoever it is sent for; absent, there are none. */
  readonly telemetry?: Pick<Telemetry, 'span'>;
  /** Told of every record that was lost because it could not be stored in time. Must not throw. */
  readonly onLoss?: () => void;
  /** What waits for the store at most while it is away, of finished records and of executions each. */
  readonly outbox?: { readonly maxItems: number; readonly maxBytes: number };
  /** How often the store is asked how it is, which is this process's sign of life too; every second when absent. */
  readonly checkEveryMs?: number;
  readonly recovery?: RecoveryTimes;
}

/** Everything that is kept in the store, over two connections: one for records, one for counting requests. */
export interface RedisAdapters {
  /** Records that `put` refuses while the store is away. */
  recordStore<R, S>(collection: Collection<R, S>): RecordStore<R, S>;
  /** Records of what was done already: `put` keeps them until the store is back, and `get` finds them meanwhile. */
  deferringRecordStore<R, S>(collection: Collection<R, S>): RecordStore<R, S>;
  readonly executionStore: RunStore;
  rateLimiter(options: RedisRateLimiterOptions): RateLimiter;
  readonly storage: StorageHealth;
  /** How the store is, as of the last second: it is asked once a second anyway. */
  readonly probe: HealthProbe;
  /** Begins to connect. Resolves within a second, whether the store is there or not. */
  start(): Promise<void>;
  /** Stores what still waits, for at most two seconds, takes leave of the other processes, and disconnects. */
  close(): Promise<void>;
}

type Check = ConnectionOptions['check'];
type Waiting = Pick<Outbox<never, unknown>, 'size' | 'deliverAll'>;

/** What may wait for the store when nothing else is said: as much as a collection in memory holds. */
const DEFAULT_OUTBOX = { maxItems: 10_000, maxBytes: 64 * 1_024 * 1_024 };

/** How long closing may take for what still waits, in milliseconds. */
const CLOSE_WITHIN_MS = 2_000;

/** Makes everything that is kept in the store. Nothing connects before `start`. */
export function createRedisAdapters(options: RedisAdaptersOptions): RedisAdapters {
  const { url, timeoutMs, clock, logger, checkEveryMs = 1_000, outbox: bounds = DEFAULT_OUTBOX } = options;
  const connecting = { url, timeoutMs, clock, logger, telemetry: options.telemetry, checkEveryMs };
  const keys = createKeys(options.prefix);
  const process = `${hostname()}:${pid}:${randomUUID()}`;
  const live = createLiveRuns();
  const outboxes: Waiting[] = [];
  const connections: Connection[] = [];

  function connect(purpose: string, check: Check, onServing?: () => void): Connection {
    const made = createConnection({ ...connecting, purpose, check, onServing });
    connections.push(made);
    return made;
  }

  function waiting<T, O>(sending: Pick<OutboxOptions<T, O>, 'send' | 'merge' | 'onLoss'>): Outbox<T, O> {
    const onLoss = (id: string): void => {
      sending.onLoss?.(id);
      options.onLoss?.();
    };
    const made = createOutbox({ ...sending, ...bounds, onLoss, isAvailable, clock, logger });
    outboxes.push(made);
    return made;
  }

  function onServing(): void {
    recovery.beat(heart.heldRuns);
    for (const outbox of outboxes) if (outbox.size > 0) void outbox.deliverAll();
  }

  const connection = connect('records', (send, fresh) => heart.beat(send, fresh), onServing);
  const isAvailable = (): boolean => connection.state === 'available';
  const scripts = createScriptRunner(connection, clock, timeoutMs);
  const executions = createStoredExecutions(options.executionRetentionMs, process, keys, connection, scripts);
  const times = options.recovery ?? defaultRecoveryTimes;
  const recovery = createRecovery({
    ...{ process, times, keys, connection, scripts, live, clock, logger },
    stored: executions,
  });
  const heart = createHeart(process, keys, scripts, recovery, clock);
  const changes = waiting({
    send: createSendChange(executions, process, live),
    merge: mergeChanges,
    onLoss: live.remove,
  });

  return {
    recordStore: (collection) =>
      createRecordStore(createStoredRecords(collection, keys, connection, scripts)),
    deferringRecordStore(collection) {
      const records = createStoredRecords(collection, keys, connection, scripts);
      const outbox = waiting<EncodedRecord, void>({
        send: (_, record) => records.write(record),
        merge: (_, newer) => newer,
      });
      return createDeferringRecordStore(records, outbox);
    },
    executionStore: createExecutionStore(executions, changes, live, isAvailable),
    rateLimiter(limits) {
      const counting = connect('rate limits', async (send) => void (await send(['PING'])));
      return createRedisRateLimiter(limits, keys, counting, clock, logger);
    },
    storage: {
      assertAvailable() {
        if (isAvailable()) return;
        const failing = connection.state === 'failing';
        throw toUnavailable(new StoreFault(failing ? 'reply' : 'away', 'UNAVAILABLE'));
      },
    },
    probe: async () => (isAvailable() ? 'ok' : 'error'),
    async start() {
      await Promise.all(connections.map((made) => made.start()));
    },
    async close() {
      const delivered = Promise.all(outboxes.map((outbox) => outbox.deliverAll()));
      await within(delivered, CLOSE_WITHIN_MS, clock).catch(() => undefined);
      const lost = outboxes.reduce((sum, outbox) => sum + outbox.size, 0);
      if (lost > 0) logger.error('records were lost before they could be stored', { times: lost });
      await heart.stop(connection.send).catch(() => undefined);
      for (const made of connections) made.close();
    },
  };
}
