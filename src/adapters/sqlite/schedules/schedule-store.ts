import { conflict } from '../../../domain/errors.ts';
import { type StoredSchedule, wakeAtOf } from '../../../domain/schedule/schedule.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { MAX_SCHEDULES, type ScheduleStore } from '../../../ports/storage/schedule-store.ts';
import type { Connection } from '../connection.ts';
import { idOf, keyOf } from '../private-values.ts';
import { numberOf, parseOwn, textOf } from '../rows.ts';

/** Size of a row without its JSON, in bytes. */
const ROW_BYTES = 512;

/** Creates the store of schedules in the file, for at most `maxSchedules`. */
export function createStoredSchedules(connection: Connection, maxSchedules = MAX_SCHEDULES): ScheduleStore {
  const { prepare, read, write } = connection;
  const find = prepare('SELECT schedule FROM schedules WHERE id = ?');
  const add = prepare('INSERT INTO schedules VALUES (?, ?, ?, ?, ?)');
  const replace = prepare(
    'UPDATE schedules SET revision = ?, wake_at = ?, schedule = ? WHERE id = ? AND revision = ?',
  );
  const remove = prepare('DELETE FROM schedules WHERE id = ?');
  const count = prepare('SELECT count(*) AS count FROM schedules');
  const getPage = prepare('SELECT id FROM schedules ORDER BY position DESC LIMIT ? OFFSET ?');
  const getDue = prepare('SELECT id, wake_at FROM schedules WHERE wake_at <= ? ORDER BY wake_at, position');

  const countAll = (): number => numberOf(count.get(), 'count');

  function getByKey(key: string): StoredSchedule | undefined {
    const row = read(() => find.get(key));
    return row && parseOwn<StoredSchedule>(textOf(row, 'schedule'));
  }

  return {
    async create(stored) {
      const key = keyOf(stored.schedule.scheduleId);
      const json = JSON.stringify(stored);
      const isStored = await write(() => {
        if (find.get(key) !== undefined) return true;
        if (countAll() >= maxSchedules) return false;
        add.run(connection.nextPosition(), key, stored.revision, wakeAtOf(stored), json);
        return true;
      }, ROW_BYTES + json.length);
      if (!isStored) throw conflict(`there are ${maxSchedules} schedules already: delete one first`);
    },
    get: async (scheduleId) => getByKey(keyOf(scheduleId)),
    async list({ limit, offset }) {
      const { total, rows } = read(() => ({ total: countAll(), rows: getPage.all(limit, offset) }));
      const items: StoredSchedule[] = [];
      for (const row of rows) {
        const stored = getByKey(textOf(row, 'id'));
        if (stored !== undefined) items.push(stored);
        await yieldIfDue();
      }
      return { total, limit, offset, items };
    },
    async update(stored) {
      const { revision, schedule } = stored;
      const json = JSON.stringify(stored);
      return write(() => {
        const { changes } = replace.run(
          ...[revision, wakeAtOf(stored), json, keyOf(schedule.scheduleId), revision - 1],
        );
        return changes === 1;
      }, ROW_BYTES + json.length);
    },
    delete: (scheduleId) => write(() => remove.run(keyOf(scheduleId)).changes === 1, ROW_BYTES),
    due: async (until) =>
      read(() =>
        getDue
          .all(until)
          .map((row) => ({ scheduleId: idOf(textOf(row, 'id')), at: numberOf(row, 'wake_at') })),
      ),
  };
}
