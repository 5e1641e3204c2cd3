import { describe, expect, test } from 'vitest';
import { createSchedules } from '../../../src/application/storage/schedules.ts';
import { changed, sampleSchedule } from '../../contracts/schedule-store-samples.ts';
import { sharedParts, storageParts } from '../../support/storage.ts';

describe('schedules in rows', () => {
  test('are no more than their limit, which is told, and one that is stored may come again', async () => {
    const store = createSchedules(storageParts(), 2);
    for (const id of ['a', 'b', 'a']) await store.create(sampleSchedule(id));
    await expect(store.create(sampleSchedule('c'))).rejects.toMatchObject({
      code: 'conflict',
      message: 'there are 2 schedules already: delete one first',
    });
    expect(await store.get('c')).toBeUndefined();
    await store.create(sampleSchedule('a'));
    await store.delete('a');
    await store.create(sampleSchedule('c'));
    expect((await store.list({ limit: 9, offset: 0 })).total).toBe(2);
  });

  test('are as many as their limit where several processes create them at the same time', async () => {
    const stores = sharedParts(3).map((parts) => createSchedules(parts, 10));
    const outcomes = await Promise.allSettled(
      stores.flatMap((store, process) =>
        Array.from({ length: 8 }, (_, index) => store.create(sampleSchedule(`${process} ${index}`))),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(await stores[0]?.due(Number.MAX_SAFE_INTEGER)).toHaveLength(10);
  });

  test('are changed and deleted by one of several processes', async () => {
    const [one, other] = sharedParts(2).map((parts) => createSchedules(parts));
    await one?.create(sampleSchedule('a'));
    const next = changed(sampleSchedule('a'), { lastSeq: 1 });
    const updated = await Promise.all([one?.update(next), other?.update(next)]);
    expect(updated.toSorted()).toEqual([false, true]);
    const deleted = await Promise.all([one?.delete('a'), other?.delete('a')]);
    expect(deleted.toSorted()).toEqual([false, true]);
  });
});
