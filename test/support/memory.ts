import { createMemoryStore } from '../../src/adapters/memory/store.ts';
import { createMemoryStorage, type MemoryLimits } from '../../src/adapters/memory-storage.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { RunLog } from '../../src/ports/storage/run-log.ts';
import type { Store } from '../../src/ports/storage/store.ts';

/** A log of runs in memory. */
export function memoryRunLog(
  limits: Partial<MemoryLimits['runs'] & Pick<MemoryLimits, 'unendedRunBytes'>> = {},
): RunLog {
  const { maxRows = 1_000, maxBytes = Number.POSITIVE_INFINITY, unendedRunBytes } = limits;
  const unended = unendedRunBytes === undefined ? {} : { unendedRunBytes };
  return createMemoryStorage({ limits: { runs: { maxRows, maxBytes }, ...unended } }).runs;
}

/** A store in memory that several processes may share, as far as its users know. */
export function sharedMemoryStore(clock: Pick<Clock, 'now'>): Store {
  return { ...createMemoryStore(clock), local: undefined };
}
