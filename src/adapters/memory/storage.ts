import { routingRecords, traceRecords } from '../../domain/collections.ts';
import type { StoragePorts } from '../../ports/ports.ts';
import { createMemoryDefinitionStore } from './definitions/definition-store.ts';
import { createMemoryErasureMarks } from './erasure-marks.ts';
import { createMemoryEventFeed } from './event-feed.ts';
import { createMemoryIdempotencyStore } from './idempotency-store.ts';
import { createMemoryPeople } from './people/people.ts';
import { createMemoryRecordStore, DEFAULT_MAX_BYTES } from './record-store.ts';
import { createMemoryRunLog } from './run-log/run-log.ts';
import { createMemoryScheduleStore } from './schedules/schedule-store.ts';
import { createMemoryStatsStore } from './stats/stats-store.ts';
import { memoryStorageHealth } from './storage-health.ts';

/** The limit of a collection (decisions, section 7). */
const MAX_RECORDS = 10_000;

/** The limit of workflow definitions. A further one is rejected: definitions are never evicted. */
const MAX_DEFINITIONS = 1_000;

/** Creates stores for all records in memory, with limits on their number and size. */
export function memoryStorage(): StoragePorts {
  const traces = createMemoryRecordStore({ ...traceRecords, maxRecords: MAX_RECORDS });
  return {
    storage: memoryStorageHealth,
    traces,
    ...createMemoryPeople(traces),
    workflows: createMemoryDefinitionStore({ maxRecords: MAX_DEFINITIONS }),
    runs: createMemoryRunLog({ maxRecords: MAX_RECORDS }),
    schedules: createMemoryScheduleStore(),
    routes: createMemoryRecordStore({ ...routingRecords, maxRecords: MAX_RECORDS }),
    idempotency: createMemoryIdempotencyStore({ maxRecords: MAX_RECORDS, maxBytes: DEFAULT_MAX_BYTES }),
    erasures: createMemoryErasureMarks(),
    feed: createMemoryEventFeed(),
    stats: createMemoryStatsStore(),
  };
}
