import { conflict } from '../../domain/errors.ts';
import { type StoredSchedule, wakeAtOf } from '../../domain/schedule/schedule.ts';
import { MAX_SCHEDULES, type ScheduleStore } from '../../ports/storage/schedule-store.ts';
import { remove, type Stored, type Table, write } from '../../ports/storage/store.ts';
import { type StorageParts, update } from './update.ts';

/** The schedules, by their ids. */
export const scheduleTable: Table<StoredSchedule> = {
  name: 'schedules',
  texts: {},
  numbers: { wake_at: wakeAtOf },
  expiresAt: () => null,
};

/** Creates the store of schedules, for at most `maxSchedules`. */
export function createSchedules(parts: StorageParts, maxSchedules: number = MAX_SCHEDULES): ScheduleStore {
  const { store } = parts;

  async function find(scheduleId: string): Promise<Stored<StoredSchedule> | undefined> {
    const [found] = await store.read(scheduleTable, [scheduleId]);
    return found;
  }

  return {
    async create(stored) {
      const { scheduleId } = stored.schedule;
      const versions = await store.commit([write(scheduleTable, scheduleId, stored, { expects: null })]);
      if (versions === undefined) return;
      // Of several that are created at the same time, those that came last find that they are too many.
      const [beyond] = await store.range(scheduleTable, { offset: maxSchedules, limit: 1 });
      if (beyond === undefined) return;
      const own = await find(scheduleId);
      if (own === undefined || own.position < beyond.position) return;
      await store.commit([remove(scheduleTable, scheduleId, versions[0])]);
      throw conflict(`there are ${maxSchedules} schedules already: delete one first`);
    },
    get: async (scheduleId) => (await find(scheduleId))?.row,
    async list({ limit, offset }) {
      const [found, total] = await Promise.all([
        store.range(scheduleTable, { descending: true, limit, offset }),
        store.count(scheduleTable, {}),
      ]);
      return { total, limit, offset, items: found.map(({ row }) => row) };
    },
    async update(stored) {
      const { scheduleId } = stored.schedule;
      const { revision } = stored;
      const change = write(scheduleTable, scheduleId, stored);
      return update(parts, async () => {
        const known = await find(scheduleId);
        if (known?.row.revision !== revision - 1) return { changes: [], result: false };
        return { changes: [{ ...change, expects: known.version }], result: true };
      });
    },
    delete: (scheduleId) =>
      update(parts, async () => {
        const known = await find(scheduleId);
        if (known === undefined) return { changes: [], result: false };
        return { changes: [remove(scheduleTable, scheduleId, known.version)], result: true };
      }),
    async due(until) {
      const between = { wake_at: { until: Math.min(until, Number.MAX_SAFE_INTEGER - 1) + 1 } };
      const limit = 2 * maxSchedules;
      const found = await store.range(scheduleTable, { between, order: 'wake_at', limit });
      return found.flatMap(({ id, row }) => {
        const at = wakeAtOf(row);
        return at === null ? [] : [{ scheduleId: id, at }];
      });
    },
  };
}
