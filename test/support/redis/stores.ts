import { randomUUID } from 'node:crypto';
import { createRedisStore, type RedisStoreOptions } from '../../../src/adapters/redis/store.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { type StorageOptions, storageTables } from '../../../src/application/storage/storage.ts';
import type { TableShape } from '../../../src/ports/storage/store.ts';
import { recordLogs } from '../fakes.ts';
import { createFactory, createProcess, DAY_MS } from '../stores.ts';

/** Stores of some tables, each with a prefix of its own unless it is given one, and a log. */
export const createRedisStores = (tables: readonly TableShape[]) =>
  createFactory((url, options: Partial<RedisStoreOptions>) => {
    const logger = recordLogs();
    const prefix = options.prefix ?? `test-${randomUUID()}:`;
    // Longer than a busy machine needs.
    const defaults = { timeoutMs: 5_000, clock: systemClock, tables, logger };
    return { ...createRedisStore({ ...defaults, ...options, url, prefix }), prefix, logger };
  });

/** Options of a process under test. */
export type StoresOptions = Partial<RedisStoreOptions & StorageOptions>;

/** Processes with everything that they store, each with a prefix of its own unless it is given one. */
export const createStoresFactory = () =>
  createFactory((url, options: StoresOptions) => {
    const logger = recordLogs();
    const prefix = options.prefix ?? `test-${randomUUID()}:`;
    const defaults = { timeoutMs: 500, clock: systemClock, tables: storageTables, logger };
    const redis = createRedisStore({ ...defaults, ...options, url, prefix });
    const retention = { traceRetentionMs: 7 * DAY_MS, runRetentionMs: 30 * DAY_MS };
    const { close, ...storage } = createProcess(redis.store, { logger, ...retention, ...options });
    let closing: Promise<void> | undefined;
    async function closeBoth(): Promise<void> {
      await close();
      await redis.close();
    }
    return {
      ...redis,
      ...storage,
      prefix,
      logger,
      async close() {
        closing ??= closeBoth();
        await closing;
      },
    };
  });

/** A process of {@link createStoresFactory}. */
export type StoresUnderTest = ReturnType<ReturnType<typeof createStoresFactory>['prepare']>;
