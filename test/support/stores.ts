import { createProcessId, digestOf } from '../../src/adapters/shared/process-id.ts';
import { systemClock } from '../../src/adapters/shared/system.ts';
import type { OwnerTimes } from '../../src/application/storage/run-owners.ts';
import { createStorage, type Storage, type StorageOptions } from '../../src/application/storage/storage.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { Store } from '../../src/ports/storage/store.ts';

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

/** Creates stores, or processes over them, which a test closes together. */
export interface Factory<Options, Made> {
  /** Creates and starts one. */
  make(url: string, options?: Options): Promise<Made>;
  /** Creates one without starting it. */
  prepare(url: string, options?: Options): Made;
  closeAll(): Promise<void>;
}

/** A factory of what `create` returns. */
export function createFactory<
  Options extends object,
  Made extends { start(): Promise<void>; close(): Promise<void> },
>(create: (url: string, options: Partial<Options>) => Made): Factory<Partial<Options>, Made> {
  const created: Made[] = [];
  const prepare = (url: string, options: Partial<Options> = {}): Made => {
    const one = create(url, options);
    created.push(one);
    return one;
  };
  return {
    prepare,
    async make(url, options) {
      const one = prepare(url, options);
      await one.start();
      return one;
    },
    async closeAll() {
      await Promise.all(created.splice(0).map((one) => one.close()));
    },
  };
}

/** Everything that a process stores in an engine. Records are kept for longer than the age of any sample. */
export function createProcess(
  store: Store,
  { clock = systemClock, ...options }: Partial<StorageOptions & { readonly clock: Clock }> = {},
): Storage & { readonly processId: string } {
  const { processId = createProcessId() } = options;
  const storage = createStorage(
    { store, clock, random: Math.random },
    {
      logger: silentLogger,
      digest: digestOf,
      traceRetentionMs: 10_000 * DAY_MS,
      runRetentionMs: 10_000 * DAY_MS,
      ...options,
      processId,
    },
  );
  return { ...storage, processId };
}
