import { notFound } from '../../domain/errors.ts';
import type { ScheduleChange } from '../../domain/schedule/fires.ts';
import type { StoredSchedule } from '../../domain/schedule/schedule.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import type { Ports } from '../../ports/ports.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';

/** Makes the next state of a schedule at a time; undefined leaves it as it is. */
export type ChangeSchedule = (stored: StoredSchedule, now: number) => Awaitable<ScheduleChange | undefined>;

/**
 * Changes schedules and emits their events. Every member rejects with `unavailable` when the store cannot be reached.
 */
export interface ScheduleWriter {
  /** A schedule. Rejects with `not_found`. */
  get(scheduleId: string): Promise<StoredSchedule>;
  /**
   * Changes a schedule as it is then: what another process changes meanwhile is never lost. Resolves to the state after
   * the change, with what `make` has returned of it. Rejects with `not_found`, and with what `make` throws.
   */
  change(
    scheduleId: string,
    make: ChangeSchedule,
  ): Promise<{ readonly stored: StoredSchedule; readonly change: ScheduleChange | undefined }>;
}

/** Creates a {@link ScheduleWriter}. */
export function createScheduleWriter({
  clock,
  events,
  schedules,
}: Pick<Ports, 'clock' | 'events' | 'schedules'>): ScheduleWriter {
  async function get(scheduleId: string): Promise<StoredSchedule> {
    const stored = await schedules.get(scheduleId);
    if (stored === undefined) throw notFound('schedule', scheduleId);
    return stored;
  }

  return {
    get,
    change: (scheduleId, make) =>
      retryOnConflict('schedule', async () => {
        const stored = await get(scheduleId);
        const change = await make(stored, clock.now());
        if (change === undefined) return { stored, change };
        if (!(await schedules.update(change.stored))) return undefined;
        for (const event of change.events) events(event);
        return { stored: change.stored, change };
      }),
  };
}
