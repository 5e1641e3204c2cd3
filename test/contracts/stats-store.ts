import { describe, expect, test } from 'vitest';
import {
  addCounts,
  type Counter,
  MINUTE_MS,
  namedCounts,
  noCounts,
} from '../../src/domain/stats/counters.ts';
import type { StatsStore } from '../../src/ports/storage/stats-store.ts';

/** The begin of a minute. */
export const minuteAt = (minute: number): number => Date.UTC(2026, 0, 1) + minute * MINUTE_MS;

/** The counts of a store in a span of minutes, added up by minute. */
export async function countsOf(
  store: StatsStore,
  from: number,
  until: number,
): Promise<Record<number, Record<string, number>>> {
  const { minutes } = await store.read(minuteAt(from), minuteAt(until));
  const sums = new Map<number, ReturnType<typeof noCounts>>();
  for (const { at, counts } of minutes) {
    const sum = sums.get(at) ?? noCounts();
    addCounts(sum, counts);
    sums.set(at, sum);
  }
  const named = [...sums].map(([at, sum]) => [(at - minuteAt(0)) / MINUTE_MS, namedCounts(sum)] as const);
  return Object.fromEntries(named.filter(([, counts]) => Object.keys(counts).length > 0));
}

/** The promises of every store of counters to the process that counts. */
export function statsStoreContract(name: string, make: () => Promise<StatsStore>): void {
  describe(`${name} as a store of counters`, () => {
    test('has nothing at first', async () => {
      const store = await make();
      expect(await countsOf(store, 0, 60)).toEqual({});
      expect((await store.read(minuteAt(0), minuteAt(60))).running).toBe(0);
    });

    test('has what this process adds at once, by minutes', async () => {
      const store = await make();
      store.add(minuteAt(1), 'messages.answered');
      store.add(minuteAt(1) + 59_999, 'messages.answered');
      store.add(minuteAt(2), 'latency.40');
      store.add(minuteAt(1) + 1, 'tools.not_found');
      expect(await countsOf(store, 0, 60)).toEqual({
        1: { 'messages.answered': 2, 'tools.not_found': 1 },
        2: { 'latency.40': 1 },
      });
    });

    test('reads a span from inclusive until exclusive', async () => {
      const store = await make();
      for (const minute of [1, 2, 3, 4]) store.add(minuteAt(minute), 'tools.calls');
      expect(Object.keys(await countsOf(store, 2, 4))).toEqual(['2', '3']);
      expect(await countsOf(store, 4, 4)).toEqual({});
    });

    test('has all minutes of a day', async () => {
      const store = await make();
      for (let minute = 0; minute < 1_440; minute++) store.add(minuteAt(minute), 'runs.started');
      const counts = await countsOf(store, 0, 1_440);
      expect(Object.keys(counts)).toHaveLength(1_440);
    });

    test('gives counts that do not change afterwards', async () => {
      const store = await make();
      store.add(minuteAt(0), 'tools.calls');
      const { minutes } = await store.read(minuteAt(0), minuteAt(1));
      store.add(minuteAt(0), 'tools.calls');
      expect(minutes.map(({ counts }) => namedCounts(counts))).toEqual([{ 'tools.calls': 1 }]);
    });

    test('has how many runs this process runs', async () => {
      const store = await make();
      store.setRunning(3);
      store.setRunning(2);
      expect((await store.read(minuteAt(0), minuteAt(1))).running).toBe(2);
    });

    test('ignores a counter that it does not know', async () => {
      const store = await make();
      store.add(minuteAt(0), 'latency.100000' satisfies Counter);
      expect(await countsOf(store, 0, 1)).toEqual({});
    });
  });
}
