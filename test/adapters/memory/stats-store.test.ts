import { expect, test } from 'vitest';
import { createMemoryStatsStore } from '../../../src/adapters/memory/stats/stats-store.ts';
import { counters } from '../../../src/domain/stats/counters.ts';
import { countsOf, minuteAt, statsStoreContract } from '../../contracts/stats-store.ts';
import { heldBytes } from '../../support/heap.ts';

statsStoreContract('memory', async () => createMemoryStatsStore());

test('counters in memory are those of a day, whatever the clock says', async () => {
  const store = createMemoryStatsStore();
  store.add(minuteAt(1_000_000), 'tools.calls');
  for (let minute = 0; minute < 3_000; minute++) store.add(minuteAt(minute), 'tools.calls');
  expect(await countsOf(store, 0, 1_500)).toEqual({});
  expect(Object.keys(await countsOf(store, 1_560, 3_000))).toHaveLength(1_440);
  expect(await countsOf(store, 1_000_000, 1_000_001)).toEqual({});
});

test('counters in memory take no more than a few megabytes for weeks of full minutes', () => {
  const store = createMemoryStatsStore();
  const before = heldBytes();
  for (let minute = 0; minute < 20_000; minute++) {
    for (const counter of counters) store.add(minuteAt(minute), counter);
  }
  expect(heldBytes() - before).toBeLessThan(5_000_000);
  store.add(minuteAt(20_000), 'tools.calls');
});
