import { expect, test } from 'vitest';
import { createUpkeep } from '../../../src/application/storage/upkeep.ts';
import { type Store, type Table, write } from '../../../src/ports/storage/store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { storageParts } from '../../support/storage.ts';

type Row = { readonly until: number | null };

const tableOf = (name: string): Table<Row> => ({
  name,
  texts: {},
  numbers: {},
  expiresAt: ({ until }) => until,
});
const tables = [tableOf('first'), tableOf('second')];

async function fill(store: Store, count: number, until: number | null): Promise<void> {
  for (const table of tables) {
    const rows = Array.from({ length: count }, (_, index) => write(table, `${until} ${index}`, { until }));
    await store.commit(rows);
  }
}

/** The number of expired rows of each table that are still stored. Removes them. */
const expired = (store: Store): Promise<readonly number[]> =>
  Promise.all(tables.map((table) => store.removeExpired(table, 10_000)));

test('an upkeep removes all that has expired in all tables, at the start and each minute', async () => {
  const clock = createFakeClock();
  const { store } = storageParts(clock);
  await fill(store, 500, clock.now() - 1);
  await fill(store, 450, clock.now() + 30_000);
  await fill(store, 5, null);
  const upkeep = createUpkeep({ store, clock, tables });
  await clock.advance(1_000);
  expect(await expired(store)).toEqual([0, 0]);
  await clock.advance(62_000);
  expect(await expired(store)).toEqual([0, 0]);
  for (const table of tables) expect(await store.count(table, {})).toBe(5);
  upkeep.close();
  expect(clock.pending()).toBe(0);
});

test('an upkeep goes on after an outage, and not after its end', async () => {
  const clock = createFakeClock();
  const { store } = storageParts(clock);
  const upkeep = createUpkeep({ store, clock, tables });
  await fill(store, 1, clock.now() + 1);
  store.leave();
  await clock.advance(61_000);
  store.comeBack();
  await clock.advance(60_000);
  expect(await expired(store)).toEqual([0, 0]);
  upkeep.close();
  await fill(store, 1, clock.now() + 1);
  await clock.advance(200_000);
  expect(await expired(store)).toEqual([1, 1]);
});
