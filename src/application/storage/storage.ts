import type { Logger } from '../../ports/logger.ts';
import type { StoragePorts } from '../../ports/ports.ts';
import type { TableShape } from '../../ports/storage/store.ts';
import { conversationTable } from './conversations.ts';
import { exampleTable } from './examples.ts';
import { inboxTable } from './inbox.ts';
import { createPeople } from './people.ts';
import { createRecordStores, recordTables } from './record-stores.ts';
import { createRunLog } from './run-log.ts';
import { type OwnerTimes, sharedTimes } from './run-owners.ts';
import { createStoredRunQueue, queueTable, type StoredRunQueue } from './run-queue.ts';
import { runTables } from './run-tables.ts';
import type { StorageParts } from './update.ts';
import { createUpkeep } from './upkeep.ts';

/** Options of {@link createStorage}. */
export interface StorageOptions {
  /** The name of this process: no other one that shares the store has it, and none after it. */
  readonly processId: string;
  readonly logger: Logger;
  /** A digest from which a text cannot be told. */
  readonly digest: (text: string) => string;
  /**
   * Retention of traces from their creation, of inbox items from their end, and of conversations from their last
   * change, in milliseconds.
   */
  readonly traceRetentionMs: number;
  /** Retention of ended runs and of routed goals, in milliseconds. */
  readonly runRetentionMs: number;
  /** The most inbox items that may wait for another one that is not of a message to be stored; 100,000 when absent. */
  readonly maxWaitingItems?: number | undefined;
  /** When another process counts as gone; `sharedTimes` when absent. */
  readonly times?: OwnerTimes | undefined;
  /**
   * True where no other process can use the store while this one does: what those before it had under way is left. So
   * it is by default with a store in this process.
   */
  readonly isAlone?: boolean | undefined;
  /** Called for every record that was lost because it could not be stored in time. Must not throw. */
  readonly onDropped?: (() => void) | undefined;
}

/** Everything that the service keeps, in one store. */
export interface Storage {
  readonly ports: StoragePorts;
  /** The queue of runs of all processes that share the store, for durable runs. */
  readonly runQueue: Pick<StoredRunQueue, 'queue' | 'start'>;
  /** Writes what waits, for two seconds at most, and ends what repeats. Never rejects. */
  close(): Promise<void>;
}

const MAX_WAITING_ITEMS = 100_000;

/** All tables of {@link createStorage}, which a store is made for. */
export const storageTables: readonly TableShape[] = [
  ...recordTables,
  inboxTable,
  conversationTable,
  exampleTable,
  ...runTables,
  queueTable,
];

/** Creates everything that is stored, over one store. */
export function createStorage(parts: StorageParts, options: StorageOptions): Storage {
  const { store, clock } = parts;
  const { processId, logger, digest, traceRetentionMs, runRetentionMs } = options;
  const { maxWaitingItems = MAX_WAITING_ITEMS, times = sharedTimes, onDropped } = options;
  const { isAlone = store.local !== undefined } = options;
  const records = createRecordStores(parts, {
    processId,
    logger,
    digestOf: digest,
    traceRetentionMs,
    routeRetentionMs: runRetentionMs,
    isAlone,
    onDropped,
  });
  const people = createPeople(parts, { traceRetentionMs, maxWaitingItems, traces: records.traces });
  const queue = createStoredRunQueue({ ...parts, logger, self: processId });
  const runs = createRunLog({
    ...parts,
    logger,
    self: processId,
    digest,
    retentionMs: runRetentionMs,
    times,
    isAlone,
    queue,
  });
  // A store of this process removes by itself what has expired.
  const upkeep =
    store.local === undefined
      ? createUpkeep({ store, clock, tables: storageTables, more: runs.removeUnused })
      : undefined;
  const { traces, routes, workflows, schedules, idempotency, erasures, feed, stats } = records;
  return {
    ports: {
      storage: { assertAvailable: store.assertAvailable },
      traces,
      routes,
      workflows,
      schedules,
      idempotency,
      erasures,
      feed,
      stats,
      runs: runs.log,
      ...people,
    },
    runQueue: queue,
    async close() {
      upkeep?.close();
      queue.close();
      await Promise.all([records.close(), runs.close()]);
    },
  };
}
