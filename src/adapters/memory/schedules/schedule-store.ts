import { conflict } from '../../../domain/errors.ts';
import { type StoredSchedule, wakeAtOf } from '../../../domain/schedule/schedule.ts';
import {
  MAX_SCHEDULES,
  type ScheduleStore,
  type ScheduleWake,
} from '../../../ports/storage/schedule-store.ts';
import { createNewestFirst, type ListNode } from '../newest-first.ts';

/** A stored schedule, with the text of its JSON, which shares no object with what callers hold. */
interface Entry {
  readonly scheduleId: string;
  json: string;
  revision: number;
  wakeAt: number | null;
}

/** Creates a store of schedules in memory, for at most `maxSchedules`. */
export function createMemoryScheduleStore(maxSchedules = MAX_SCHEDULES): ScheduleStore {
  const entries = new Map<string, ListNode<Entry>>();
  const order = createNewestFirst<Entry>();

  return {
    async create(stored) {
      const { scheduleId } = stored.schedule;
      if (entries.has(scheduleId)) return;
      if (entries.size >= maxSchedules) {
        throw conflict(`there are ${maxSchedules} schedules already: delete one first`);
      }
      entries.set(scheduleId, order.add({ scheduleId, ...toEntry(stored) }));
    },
    async get(scheduleId) {
      const node = entries.get(scheduleId);
      return node && read(node.value);
    },
    async list({ limit, offset }) {
      return { total: order.size, limit, offset, items: order.page(offset, limit).map(read) };
    },
    async update(stored) {
      const entry = entries.get(stored.schedule.scheduleId)?.value;
      if (entry?.revision !== stored.revision - 1) return false;
      Object.assign(entry, toEntry(stored));
      return true;
    },
    async delete(scheduleId) {
      const node = entries.get(scheduleId);
      if (node === undefined) return false;
      order.remove(node);
      return entries.delete(scheduleId);
    },
    async due(until) {
      const wakes: ScheduleWake[] = [];
      for (const { scheduleId, wakeAt } of order.values()) {
        if (wakeAt !== null && wakeAt <= until) wakes.push({ scheduleId, at: wakeAt });
      }
      return wakes.sort((a, b) => a.at - b.at);
    },
  };
}

function toEntry(stored: StoredSchedule): Omit<Entry, 'scheduleId'> {
  return { json: JSON.stringify(stored), revision: stored.revision, wakeAt: wakeAtOf(stored) };
}

function read({ json }: Entry): StoredSchedule {
  return JSON.parse(json);
}
