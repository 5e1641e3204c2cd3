import { randomUUID } from 'node:crypto';
import {
  createRedisAdapters,
  type RedisAdapters,
  type RedisAdaptersOptions,
} from '../../../src/adapters/redis/adapters.ts';
import type { RecoveryTimes } from '../../../src/adapters/redis/run-log/recovery/recovery.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { type RecordingLogger, recordLogs } from '../fakes.ts';

/** Adapters under test, with their key prefix and their log. */
export interface StoresUnderTest {
  readonly adapters: RedisAdapters;
  readonly prefix: string;
  readonly logger: RecordingLogger;
}

/** Creates adapters with unique key prefixes. */
export interface StoresFactory {
  /** Creates and starts adapters. */
  make(url: string, options?: Partial<RedisAdaptersOptions>): Promise<StoresUnderTest>;
  /** Creates adapters without starting them. */
  prepare(url: string, options?: Partial<RedisAdaptersOptions>): StoresUnderTest;
  /** Closes all adapters. */
  closeAll(): Promise<void>;
}

export const DAY_MS = 86_400_000;

/** Short times of recovery. */
export const quickTimes = {
  checkEveryMs: 200,
  recovery: {
    goneAfterMs: 2_000,
    stableForMs: 1_000,
    everyMs: 200,
    unclaimedForMs: 1_000,
  } satisfies RecoveryTimes,
};

export function createStoresFactory(): StoresFactory {
  const created: RedisAdapters[] = [];
  const prepare: StoresFactory['prepare'] = (url, options = {}) => {
    const logger = recordLogs();
    const prefix = options.prefix ?? `test-${randomUUID()}:`;
    const adapters = createRedisAdapters({
      ...{ url, timeoutMs: 500, runRetentionMs: 30 * DAY_MS, clock: systemClock, logger },
      ...options,
      prefix,
    });
    created.push(adapters);
    return { adapters, prefix, logger };
  };
  return {
    prepare,
    async make(url, options) {
      const prepared = prepare(url, options);
      await prepared.adapters.start();
      return prepared;
    },
    async closeAll() {
      await Promise.all(created.splice(0).map((adapters) => adapters.close()));
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
