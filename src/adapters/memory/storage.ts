import { routingRecords, traceRecords, workflowRecords } from '../../domain/collections.ts';
import type { StoragePorts } from '../../ports/ports.ts';
import { createMemoryRecordStore } from './record-store.ts';
import { createMemoryRunStore } from './run-store.ts';
import { memoryStorageHealth } from './storage-health.ts';

/** Records that a collection keeps (decisions, section 7). */
const MAX_RECORDS = 10_000;

/** Workflow definitions that are kept; a further one is refused, because definitions are never evicted. */
const MAX_DEFINITIONS = 1_000;

/** All records in memory, bounded. */
export function memoryStorage(): StoragePorts {
  return {
    storage: memoryStorageHealth,
    traces: createMemoryRecordStore({ ...traceRecords, maxRecords: MAX_RECORDS }),
    workflows: createMemoryRecordStore({
      ...workflowRecords,
      maxRecords: MAX_DEFINITIONS,
      maxBytes: Number.POSITIVE_INFINITY,
      refuseWhenFull: true,
    }),
    runs: createMemoryRunStore({ maxRecords: MAX_RECORDS }),
    routes: createMemoryRecordStore({ ...routingRecords, maxRecords: MAX_RECORDS }),
  };
}
