import { routingRecords, traceRecords, workflowRecords } from '../../domain/collections.ts';
import type { StoragePorts } from '../../ports/ports.ts';
import type { RedisAdapters } from './adapters.ts';

/**
 * All records in the shared store. What was done already when its record is put, a message or a routed goal, waits
 * for the store while it is away; a definition is refused instead.
 */
export function redisStorage(redis: RedisAdapters): StoragePorts {
  return {
    storage: redis.storage,
    traces: redis.deferringRecordStore(traceRecords),
    workflows: redis.recordStore(workflowRecords),
    runs: redis.executionStore,
    routes: redis.deferringRecordStore(routingRecords),
  };
}
