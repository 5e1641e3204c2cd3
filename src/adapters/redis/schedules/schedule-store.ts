import { conflict } from '../../../domain/errors.ts';
import { type StoredSchedule, wakeAtOf } from '../../../domain/schedule/schedule.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { Page, PageRequest } from '../../../ports/storage/record-store.ts';
import {
  MAX_SCHEDULES,
  type ScheduleStore,
  type ScheduleWake,
} from '../../../ports/storage/schedule-store.ts';
import type { Connection } from '../client/connection.ts';
import { ignoreWrongType, throwUnavailable } from '../client/errors.ts';
import type { FencedWrites } from '../client/fenced-writes.ts';
import { parseStored } from '../client/stored-json.ts';
import type { Keys } from '../keys.ts';
import { fromStoredId, toStoredId } from '../people/stored-ids.ts';

/** Creates the store of the schedules of all replicas, for at most `maxSchedules`. */
export function createRedisScheduleStore(
  keys: Keys,
  connection: Pick<Connection, 'run'>,
  writes: FencedWrites,
  maxSchedules = MAX_SCHEDULES,
): ScheduleStore {
  const keyOf = (id: string): string => keys.schedules + toStoredId(id);
  const keysOf = (id: string): string[] => [keyOf(id), keys.allSchedules];

  async function create(stored: StoredSchedule): Promise<void> {
    const { scheduleId } = stored.schedule;
    const values = [...valuesOf(stored), String(maxSchedules)];
    const outcome = await writes
      .run((client, deadline) => client.createSchedule(keysOf(scheduleId), [deadline, ...values]))
      .catch(throwUnavailable);
    if (outcome === 'full') throw conflict(`there are ${maxSchedules} schedules already: delete one first`);
  }

  async function get(scheduleId: string): Promise<StoredSchedule | undefined> {
    const json = await connection
      .run('HGET', (client) => client.hGet(keyOf(scheduleId), 'json'))
      .catch(ignoreWrongType);
    return typeof json === 'string' ? decode(scheduleId, json) : undefined;
  }

  async function list({ limit, offset }: PageRequest): Promise<Page<StoredSchedule>> {
    const values = ['0', String(offset), String(limit), keys.schedules];
    const page = await connection.run('EVALSHA', (client) =>
      client.listSchedules([keys.allSchedules], values),
    );
    const items: StoredSchedule[] = [];
    for (const [storedId, json] of page.items) {
      const id = fromStoredId(storedId);
      const found = json === '' ? await get(id) : decode(id, json);
      if (found !== undefined) items.push(found);
      await yieldIfDue();
    }
    return { total: page.total, limit, offset, items };
  }

  async function update(stored: StoredSchedule): Promise<boolean> {
    const key = keyOf(stored.schedule.scheduleId);
    const values = [...valuesOf(stored), String(stored.revision - 1)];
    const updated = await writes.run((client, deadline) =>
      client.updateSchedule([key], [deadline, ...values]),
    );
    return updated === 1;
  }

  async function remove(scheduleId: string): Promise<boolean> {
    const id = toStoredId(scheduleId);
    const deleted = await writes.run((client, deadline) =>
      client.deleteSchedule(keysOf(scheduleId), [deadline, id]),
    );
    return deleted === 1;
  }

  async function due(until: number): Promise<readonly ScheduleWake[]> {
    const values = [keys.schedules, String(until)];
    const found = await connection.run('EVALSHA', (client) =>
      client.dueSchedules([keys.allSchedules], values),
    );
    return found.map(({ id, at }) => ({ scheduleId: fromStoredId(id), at })).sort((a, b) => a.at - b.at);
  }

  return {
    create,
    get: (scheduleId) => get(scheduleId).catch(throwUnavailable),
    list: (page) => list(page).catch(throwUnavailable),
    update: (stored) => update(stored).catch(throwUnavailable),
    delete: (scheduleId) => remove(scheduleId).catch(throwUnavailable),
    due: (until) => due(until).catch(throwUnavailable),
  };
}

/** What the scripts store of a schedule. */
function valuesOf(stored: StoredSchedule): string[] {
  const wakeAt = wakeAtOf(stored);
  return [
    toStoredId(stored.schedule.scheduleId),
    String(stored.revision),
    wakeAt === null ? '' : String(wakeAt),
    JSON.stringify(stored),
  ];
}

function decode(scheduleId: string, json: string): StoredSchedule | undefined {
  return parseStored<StoredSchedule>(json, ['fires'], ({ schedule }) => schedule?.scheduleId === scheduleId);
}
