import { createMinuteTable } from '../../../domain/stats/counters.ts';
import type { StatsStore } from '../../../ports/storage/stats-store.ts';

/** Creates counters of this process alone. */
export function createMemoryStatsStore(): StatsStore {
  const table = createMinuteTable();
  let running = 0;
  return {
    add: table.add,
    setRunning(runs) {
      running = runs;
    },
    read: async (from, until) => ({ minutes: table.read(from, until), running }),
  };
}
