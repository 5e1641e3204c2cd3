import { routingRecords } from '../../domain/collections.ts';
import type { StoragePorts } from '../../ports/ports.ts';
import type { RedisAdapters } from './adapters.ts';

/**
 * All records in the shared store. While it is unavailable, messages and routed goals are buffered, because their work
 * is already done; a workflow definition is rejected.
 */
export function redisStorage(redis: RedisAdapters): StoragePorts {
  return {
    storage: redis.storage,
    ...redis.people,
    workflows: redis.definitions,
    runs: redis.runLog,
    schedules: redis.schedules,
    routes: redis.bufferedRecordStore({ ...routingRecords, retentionMs: redis.runRetentionMs }),
    idempotency: redis.idempotencyStore,
    erasures: redis.erasures,
    feed: redis.feed,
    stats: redis.stats,
  };
}
