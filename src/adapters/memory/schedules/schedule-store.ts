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

/** The default of the bytes that all schedules may take. */
const DEFAULT_MAX_BYTES = 64 * 1_024 * 1_024;

/**
 * Creates a store of schedules in memory, for at most `maxSchedules`, and about `maxBytes` of them with their inputs.
 */
export function createMemoryScheduleStore(
  maxSchedules = MAX_SCHEDULES,
  maxBytes = DEFAULT_MAX_BYTES,
): ScheduleStore {
  const entries = new Map<string, ListNode<Entry>>();
  const order = createNewestFirst<Entry>();
  let bytes = 0;

  /** Counts an entry in place of another one. Throws `conflict` for a larger one that does not fit. */
  function count(next: Pick<Entry, 'json'> | undefined, before: Pick<Entry, 'json'> | undefined): void {
    const added = (next?.json.length ?? 0) - (before?.json.length ?? 0);
    if (added > 0 && bytes + added > maxBytes) {
      throw conflict(`the schedules with their inputs take ${maxBytes} bytes already: delete one first`);
    }
    bytes += added;
  }

  return {
    async create(stored) {
      const { scheduleId } = stored.schedule;
      if (entries.has(scheduleId)) return;
      if (entries.size >= maxSchedules) {
        throw conflict(`there are ${maxSchedules} schedules already: delete one first`);
      }
      const entry = toEntry(stored);
      count(entry, undefined);
      entries.set(scheduleId, order.add({ scheduleId, ...entry }));
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
      const next = toEntry(stored);
      count(next, entry);
      Object.assign(entry, next);
      return true;
    },
    async delete(scheduleId) {
      const node = entries.get(scheduleId);
      if (node === undefined) return false;
      order.remove(node);
      count(undefined, node.value);
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
