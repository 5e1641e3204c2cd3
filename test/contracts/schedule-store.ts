import { describe, expect, test } from 'vitest';
import { MAX_FIRES, START_LEASE_MS, type StoredSchedule } from '../../src/domain/schedule/schedule.ts';
import type { ScheduleStore } from '../../src/ports/storage/schedule-store.ts';
import { hostileIds } from './inbox-store-samples.ts';
import { changed, hostileSchedule, sampleFire, sampleSchedule } from './schedule-store-samples.ts';

/** All schedules of a listing, read page by page. */
async function listAll(store: ScheduleStore, limit: number): Promise<readonly StoredSchedule[]> {
  const seen: StoredSchedule[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await store.list({ limit, offset });
    expect(page).toMatchObject({ limit, offset });
    seen.push(...page.items);
    if (page.items.length < limit) {
      expect(page.total).toBe(seen.length);
      return seen;
    }
  }
}

const idsOf = (listed: readonly StoredSchedule[]) => listed.map(({ schedule }) => schedule.scheduleId);

/** The promises of every store of schedules. `make` creates an empty one; the tests of the adapter clean up. */
export function scheduleStoreContract(name: string, make: () => Promise<ScheduleStore>): void {
  describe(`${name} as a store of schedules`, () => {
    test('finds nothing while it is empty', async () => {
      const store = await make();
      expect(await store.get('a')).toBeUndefined();
      expect(await store.list({ limit: 10, offset: 0 })).toEqual({
        total: 0,
        limit: 10,
        offset: 0,
        items: [],
      });
      expect(await store.update(changed(sampleSchedule('a'), {}))).toBe(false);
      expect(await store.delete('a')).toBe(false);
      expect(await store.due(Number.MAX_SAFE_INTEGER)).toEqual([]);
      expect(await store.get('a')).toBeUndefined();
    });

    test('returns what was stored, and shares no object with it', async () => {
      const store = await make();
      const stored = hostileSchedule('a');
      const text = JSON.stringify(stored);
      await store.create(stored);
      Object.assign(stored.schedule.input, { changed: true });
      const read = await store.get('a');
      expect(JSON.stringify(read)).toBe(text);
      Object.assign(read?.schedule ?? {}, { cron: 'changed' });
      const [listed] = await listAll(store, 1);
      expect(JSON.stringify(listed)).toBe(text);
      Object.assign(listed?.schedule ?? {}, { cron: 'changed' });
      expect(JSON.stringify(await store.get('a'))).toBe(text);
    });

    test('ignores a schedule that is stored already, also one that has changed since', async () => {
      const store = await make();
      const first = sampleSchedule('a');
      await store.create(first);
      const second = changed(first, { lastSeq: 7 });
      expect(await store.update(second)).toBe(true);
      await store.create({ ...first, lastSeq: 9 });
      expect(await store.get('a')).toEqual(second);
      expect(await listAll(store, 10)).toEqual([second]);
    });

    test('keeps schedules of any id apart', async () => {
      const store = await make();
      for (const id of hostileIds) await store.create(hostileSchedule(id));
      for (const id of hostileIds) expect(await store.get(id)).toEqual(hostileSchedule(id));
      expect(idsOf(await listAll(store, 7))).toEqual(hostileIds.toReversed());
      const due = await store.due(Date.UTC(2030, 0, 1));
      expect(due.map(({ scheduleId }) => scheduleId).toSorted()).toEqual(hostileIds.toSorted());
      for (const id of hostileIds) expect(await store.delete(id)).toBe(true);
      expect(await listAll(store, 10)).toEqual([]);
    });

    test.each([1, 3, 10, 200])('lists the newest first, in pages of %i', async (limit) => {
      const store = await make();
      const all = Array.from({ length: 10 }, (_, index) => sampleSchedule(`schedule-${(index * 7) % 10}`));
      for (const stored of all) await store.create(stored);
      expect(await listAll(store, limit)).toEqual(all.toReversed());
      expect(await store.list({ limit, offset: 10 })).toMatchObject({ total: 10, items: [] });
    });

    test('keeps the place of a schedule that changes, and gives a new one to one that comes back', async () => {
      const store = await make();
      for (const id of ['a', 'b', 'c']) await store.create(sampleSchedule(id));
      await store.update(changed(sampleSchedule('a'), { nextFireAt: 1 }));
      expect(idsOf(await listAll(store, 2))).toEqual(['c', 'b', 'a']);
      await store.delete('b');
      await store.create(sampleSchedule('b'));
      expect(idsOf(await listAll(store, 2))).toEqual(['b', 'c', 'a']);
    });

    test('changes the expected revision alone', async () => {
      const store = await make();
      const first = sampleSchedule('a');
      await store.create(first);
      const second = changed(first, { nextFireAt: null, fires: [sampleFire('run-1')] });
      for (const revision of [1, 3, 4, 0]) expect(await store.update({ ...second, revision })).toBe(false);
      expect(await store.get('a')).toEqual(first);
      expect(await store.update(second)).toBe(true);
      expect(await store.update(second)).toBe(false);
      expect(await store.get('a')).toEqual(second);
      expect(await store.update(changed(second, { fires: [] }))).toBe(true);
      expect(await store.get('a')).toMatchObject({ revision: 3, fires: [] });
    });

    test('lets one of several processes change a revision', async () => {
      const store = await make();
      let stored = sampleSchedule('a');
      await store.create(stored);
      for (let round = 0; round < 20; round++) {
        const candidates = Array.from({ length: 10 }, (_, index) =>
          changed(stored, { fires: [sampleFire(`run-${round}-${index}`)] }),
        );
        const outcomes = await Promise.all(candidates.map((candidate) => store.update(candidate)));
        const winners = candidates.filter((_, index) => outcomes[index]);
        expect(winners).toHaveLength(1);
        stored = winners[0] ?? stored;
        expect(await store.get('a')).toEqual(stored);
      }
    });

    test('deletes a schedule for one of several callers, and no change brings it back', async () => {
      const store = await make();
      await store.create(sampleSchedule('a'));
      await store.create(sampleSchedule('b'));
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.delete('a')));
      expect(outcomes.filter((isDeleted) => isDeleted)).toHaveLength(1);
      expect(await store.update(changed(sampleSchedule('a'), {}))).toBe(false);
      expect(await store.get('a')).toBeUndefined();
      expect(idsOf(await listAll(store, 10))).toEqual(['b']);
      expect((await store.due(Number.MAX_SAFE_INTEGER)).map(({ scheduleId }) => scheduleId)).toEqual(['b']);
    });

    test('finds what is due: the next fire, a start that takes too long, and at once what is queued', async () => {
      const store = await make();
      await store.create(sampleSchedule('fires', { nextFireAt: 50_000 }));
      await store.create(sampleSchedule('disabled', { nextFireAt: null }));
      await store.create(
        sampleSchedule('runs', { nextFireAt: null, fires: [sampleFire('run-1', { since: 10 })] }),
      );
      await store.create(
        sampleSchedule('starts', {
          nextFireAt: 60_000,
          fires: [sampleFire('run-1', { status: 'starting', since: 10_000 })],
        }),
      );
      await store.create(
        sampleSchedule('waits', {
          nextFireAt: null,
          fires: [sampleFire('run-1'), sampleFire('run-2', { status: 'queued', since: 20_000 })],
        }),
      );
      const waits = { scheduleId: 'waits', at: 20_000 };
      const starts = { scheduleId: 'starts', at: 10_000 + START_LEASE_MS };
      const fires = { scheduleId: 'fires', at: 50_000 };
      expect(await store.due(19_999)).toEqual([]);
      expect(await store.due(20_000)).toEqual([waits]);
      expect(await store.due(40_000)).toEqual([waits, starts]);
      expect(await store.due(Number.MAX_SAFE_INTEGER)).toEqual([waits, starts, fires]);
    });

    test('follows changes of what is due', async () => {
      const store = await make();
      let stored = sampleSchedule('a', { nextFireAt: 1_000 });
      await store.create(stored);
      const steps: readonly [Partial<StoredSchedule>, number | null][] = [
        [{ nextFireAt: 2_000 }, 2_000],
        [{ nextFireAt: null }, null],
        [{ fires: [sampleFire('run-1', { status: 'queued', since: 5 })] }, 5],
        [{ fires: [], nextFireAt: 8_640_000_000_000_000 }, 8_640_000_000_000_000],
        [{ nextFireAt: 0 }, 0],
      ];
      for (const [changes, at] of steps) {
        stored = changed(stored, changes);
        expect(await store.update(stored)).toBe(true);
        const expected = at === null ? [] : [{ scheduleId: 'a', at }];
        expect(await store.due(8_640_000_000_000_000)).toEqual(expected);
        if (at !== null) expect(await store.due(at - 1)).toEqual([]);
      }
    });

    test('stores as many fires as a schedule can have, and an input of a megabyte', async () => {
      const store = await make();
      const { schedule } = sampleSchedule('a');
      const fires = Array.from({ length: MAX_FIRES }, (_, index) => sampleFire(`run-${index}`));
      const stored = sampleSchedule('a', {
        schedule: { ...schedule, input: { text: 'ü'.repeat(500_000) } },
        fires,
      });
      await store.create(stored);
      expect(await store.get('a')).toEqual(stored);
    });
  });
}
