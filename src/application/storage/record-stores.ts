import { routingRecords, traceRecords } from '../../domain/collections.ts';
import type { Trace, TraceSummary } from '../../domain/message/trace.ts';
import type { RoutingResult, RoutingSummary } from '../../domain/routing/routing.ts';
import { resolvesWithin } from '../../lib/async/resolves-within.ts';
import type { Logger } from '../../ports/logger.ts';
import type { StoragePorts } from '../../ports/ports.ts';
import type { Change, TableShape } from '../../ports/storage/store.ts';
import { createDefinitions, definitionTables } from './definitions.ts';
import { createErasureMarks, erasureTable } from './erasure-marks.ts';
import { createEventFeed, feedTable } from './event-feed.ts';
import { createIdempotency, idempotencyTable } from './idempotency.ts';
import { createRecords, type Records, recordTable } from './records.ts';
import { createSchedules, scheduleTable } from './schedules.ts';
import { createStats, statsTables } from './stats.ts';
import type { StorageParts } from './update.ts';
import { createWriteBuffer } from './write-buffer.ts';

/** Options of {@link createRecordStores}. */
export interface RecordStoresOptions {
  /** The id of this process: no other one that shares the store has it, and none after it. */
  readonly processId: string;
  readonly logger: Logger;
  /** A digest from which a text cannot be told. */
  readonly digestOf: (text: string) => string;
  /** Retention of traces from their creation, in milliseconds; 7 days when absent. */
  readonly traceRetentionMs?: number | undefined;
  /** Retention of routed goals from their creation, in milliseconds; 30 days when absent. */
  readonly routeRetentionMs?: number | undefined;
  /** True where no other process can use the store while this one does. */
  readonly isAlone?: boolean | undefined;
  /** Called for every record that was lost because it could not be stored in time. Must not throw. */
  readonly onDropped?: (() => void) | undefined;
}

/** Records of all kinds but runs and what people work on. */
export interface RecordStores
  extends Pick<StoragePorts, 'workflows' | 'schedules' | 'idempotency' | 'erasures' | 'feed' | 'stats'> {
  readonly traces: Records<Trace, TraceSummary>;
  readonly routes: Records<RoutingResult, RoutingSummary>;
  /** The number of records that wait for the store. */
  readonly buffered: number;
  /** Writes what waits, for a few seconds at most, and ends what repeats. Never rejects. */
  close(): Promise<void>;
}

/** The tables of these records. */
export const recordTables: readonly TableShape[] = [
  recordTable<Trace, TraceSummary>(traceRecords),
  recordTable<RoutingResult, RoutingSummary>(routingRecords),
  ...definitionTables,
  scheduleTable,
  idempotencyTable,
  erasureTable,
  feedTable,
  ...statsTables,
];

/** The limits of each buffer. */
const BUFFER = { maxItems: 10_000, maxBytes: 64 * 1_024 * 1_024 };

/** The most that `close` waits for, in milliseconds. */
const CLOSE_MS = 2_000;

/** Creates the stores of one process. Traces and routed goals wait in memory while the store is away. */
export function createRecordStores(parts: StorageParts, options: RecordStoresOptions): RecordStores {
  const { store, clock } = parts;
  const { processId, logger, digestOf, isAlone, onDropped = () => undefined } = options;
  const { traceRetentionMs = traceRecords.retentionMs } = options;
  const { routeRetentionMs = routingRecords.retentionMs } = options;
  const traceTable = recordTable<Trace, TraceSummary>({ ...traceRecords, retentionMs: traceRetentionMs });
  const routeTable = recordTable<RoutingResult, RoutingSummary>({
    ...routingRecords,
    retentionMs: routeRetentionMs,
  });
  const createBuffer = () =>
    // A store of this process is never away.
    store.local === undefined
      ? createWriteBuffer<Change>({ store, logger, clock, onDropped: () => onDropped(), ...BUFFER })
      : undefined;
  const buffers = { traces: createBuffer(), routes: createBuffer() };
  const buffered = (): number => (buffers.traces?.size ?? 0) + (buffers.routes?.size ?? 0);
  const idempotency = createIdempotency({ store, clock, isAlone });
  const feed = createEventFeed({ store, clock, processId });
  const stats = createStats({ store, clock, processId, isAlone });

  async function closeAll(): Promise<void> {
    idempotency.close();
    for (const buffer of Object.values(buffers)) buffer?.close();
    await Promise.all([buffers.traces?.flush(), buffers.routes?.flush(), feed.close(), stats.close()]);
  }

  return {
    traces: createRecords(parts, traceRecords, traceTable, buffers.traces),
    routes: createRecords(parts, routingRecords, routeTable, buffers.routes),
    workflows: createDefinitions(parts),
    schedules: createSchedules(parts),
    idempotency,
    erasures: createErasureMarks(store, digestOf),
    feed,
    stats,
    get buffered() {
      return buffered();
    },
    async close() {
      await resolvesWithin(closeAll(), { clock, timeoutMs: CLOSE_MS });
      const lost = buffered();
      if (lost > 0) logger.error('records were lost before they could be stored', { times: lost });
    },
  };
}
