import { randomUUID } from 'node:crypto';
import {
  createRedisStore,
  type RedisStore,
  type RedisStoreOptions,
} from '../../../src/adapters/redis/store.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import type { TableShape } from '../../../src/ports/storage/store.ts';
import { type RecordingLogger, recordLogs } from '../fakes.ts';

/** A store under test, with the prefix of its keys and its log. */
export interface RedisStoreUnderTest extends RedisStore {
  readonly prefix: string;
  readonly logger: RecordingLogger;
}

/** Creates stores with a prefix of their own. */
export interface RedisStores {
  /** Creates and starts a store. */
  make(url: string, options?: Partial<RedisStoreOptions>): Promise<RedisStoreUnderTest>;
  /** Creates a store without starting it. */
  prepare(url: string, options?: Partial<RedisStoreOptions>): RedisStoreUnderTest;
  /** Closes all stores. */
  closeAll(): Promise<void>;
}

/** Stores of some tables. Their timeout is longer than a busy machine needs. */
export function createRedisStores(tables: readonly TableShape[]): RedisStores {
  const created: RedisStore[] = [];
  const prepare: RedisStores['prepare'] = (url, options = {}) => {
    const logger = recordLogs();
    const prefix = options.prefix ?? `test-${randomUUID()}:`;
    const store = createRedisStore({
      url,
      prefix,
      timeoutMs: 5_000,
      tables,
      clock: systemClock,
      logger,
      ...options,
    });
    created.push(store);
    return { ...store, prefix, logger };
  };
  return {
    prepare,
    async make(url, options) {
      const prepared = prepare(url, options);
      await prepared.start();
      return prepared;
    },
    async closeAll() {
      await Promise.all(created.splice(0).map((store) => store.close()));
    },
  };
}
