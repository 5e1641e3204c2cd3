import { afterEach, expect, test } from 'vitest';
import { createStoredSchedules } from '../../../src/adapters/sqlite/schedules/schedule-store.ts';
import { scheduleStoreContract } from '../../contracts/schedule-store.ts';
import { changed, hostileSchedule, sampleSchedule } from '../../contracts/schedule-store-samples.ts';
import { createFiles } from '../../support/sqlite/files.ts';

const files = createFiles();

afterEach(() => files.removeAll());

scheduleStoreContract('sqlite', async () => (await files.make()).adapters.ports.schedules);

test('a file has its schedules after a restart, in their order, and a new one comes after them', async () => {
  const { path, adapters } = await files.make();
  const before = adapters.ports.schedules;
  for (const id of ['b', 'a']) await before.create(hostileSchedule(id));
  const second = changed(hostileSchedule('b'), { nextFireAt: 1_000 });
  expect(await before.update(second)).toBe(true);
  await adapters.close();

  const { schedules } = files.open(path).adapters.ports;
  await schedules.create(sampleSchedule('c'));
  const { items } = await schedules.list({ limit: 10, offset: 0 });
  expect(items).toEqual([sampleSchedule('c'), hostileSchedule('a'), second]);
  expect(await schedules.due(1_000)).toEqual([{ scheduleId: 'b', at: 1_000 }]);
  expect(await schedules.update(second)).toBe(false);
});

test('a full store of schedules in a file refuses a further one, not one that is stored', async () => {
  const store = createStoredSchedules(await files.connect(), 2);
  for (const id of ['a', 'b', 'a']) await store.create(sampleSchedule(id));
  await expect(store.create(sampleSchedule('c'))).rejects.toMatchObject({ code: 'conflict' });
  await store.delete('a');
  await store.create(sampleSchedule('c'));
});
