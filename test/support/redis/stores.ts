import { randomUUID } from 'node:crypto';
import {
  createRedisStore,
  type RedisStore,
  type RedisStoreOptions,
} from '../../../src/adapters/redis/store.ts';
import { createProcessId, digestOf } from '../../../src/adapters/shared/process-id.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import type { OwnerTimes } from '../../../src/application/storage/run-owners.ts';
import {
  createStorage,
  type Storage,
  type StorageOptions,
  storageTables,
} from '../../../src/application/storage/storage.ts';
import type { StoragePorts } from '../../../src/ports/ports.ts';
import { type RecordingLogger, recordLogs } from '../fakes.ts';

/** A process under test with everything that it stores, the prefix of its keys, and its log. */
export interface StoresUnderTest extends RedisStore {
  readonly ports: StoragePorts;
  readonly runQueue: Storage['runQueue'];
  readonly processId: string;
  readonly prefix: string;
  readonly logger: RecordingLogger;
}

/** Options of a process under test. */
export type StoresOptions = Partial<RedisStoreOptions & StorageOptions>;

/** Creates processes, each with a prefix of its own unless it is given one. */
export interface StoresFactory {
  /** Creates and starts a process. */
  make(url: string, options?: StoresOptions): Promise<StoresUnderTest>;
  /** Creates a process without starting it. */
  prepare(url: string, options?: StoresOptions): StoresUnderTest;
  /** Closes all processes. */
  closeAll(): Promise<void>;
}

export const DAY_MS = 86_400_000;

/** Short times after which a process counts as gone. */
export const quickTimes = {
  checkEveryMs: 200,
  times: {
    aliveEveryMs: 200,
    goneAfterMs: 2_000,
    stableForMs: 1_000,
    lookEveryMs: 200,
    freeForMs: 1_000,
  } satisfies OwnerTimes,
};

export function createStoresFactory(): StoresFactory {
  const created: StoresUnderTest[] = [];
  const prepare: StoresFactory['prepare'] = (url, options = {}) => {
    const logger = recordLogs();
    const { prefix = `test-${randomUUID()}:`, processId = createProcessId(), clock = systemClock } = options;
    const redis = createRedisStore({
      url,
      timeoutMs: 500,
      tables: storageTables,
      logger,
      ...options,
      prefix,
      clock,
    });
    const { close, ...storage } = createStorage(
      { store: redis.store, clock, random: Math.random },
      {
        logger,
        digest: digestOf,
        traceRetentionMs: 7 * DAY_MS,
        runRetentionMs: 30 * DAY_MS,
        ...options,
        processId,
      },
    );
    let closing: Promise<void> | undefined;
    async function closeAll(): Promise<void> {
      await close();
      await redis.close();
    }
    const one: StoresUnderTest = {
      ...redis,
      ...storage,
      prefix,
      processId,
      logger,
      async close() {
        closing ??= closeAll();
        await closing;
      },
    };
    created.push(one);
    return one;
  };
  return {
    prepare,
    async make(url, options) {
      const prepared = prepare(url, options);
      await prepared.start();
      return prepared;
    },
    async closeAll() {
      await Promise.all(created.splice(0).map((one) => one.close()));
    },
  };
}

/** Waits until a condition holds; throws after `withinMs` milliseconds with its description. */
export async function until(
  description: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`timed out: ${description}`);
}
