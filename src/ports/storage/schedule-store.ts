import type { StoredSchedule } from '../../domain/schedule/schedule.ts';
import type { Page, PageRequest } from './record-store.ts';

/** A time at which a process should look after a schedule. */
export interface ScheduleWake {
  readonly scheduleId: string;
  /** In milliseconds since the epoch, an integer. */
  readonly at: number;
}

/** The most schedules that a store keeps. A further one is rejected: schedules are never evicted, and do not expire. */
export const MAX_SCHEDULES = 1_000;

/**
 * The schedules with their fires. Each member is one atomic step, and rejects with `unavailable` within its command
 * timeout when the store cannot be reached: what it wrote may be stored even then. Schedules are plain JSON: one that
 * is read equals the one that was stored, and shares no object with it. What `create`, `update` and `delete` have
 * resolved for outlives the process, as far as the store does.
 */
export interface ScheduleStore {
  /**
   * Stores a new schedule, of revision 1. Ignores one whose id is stored already. Rejects with `conflict` where
   * {@link MAX_SCHEDULES} are stored.
   */
  create(stored: StoredSchedule): Promise<void>;
  /** A schedule, or undefined. */
  get(scheduleId: string): Promise<StoredSchedule | undefined>;
  /** Schedules, newest first by their creation in this store. */
  list(page: PageRequest): Promise<Page<StoredSchedule>>;
  /**
   * Replaces a schedule, in one atomic step, where the stored one has the revision before it (`stored.revision - 1`).
   * It keeps its place in listings. Resolves to false, with nothing changed, for another revision and an unknown
   * schedule. Of several processes that update the same revision, one succeeds.
   */
  update(stored: StoredSchedule): Promise<boolean>;
  /** Removes a schedule. Resolves to true for exactly one caller, and to false where there is none. */
  delete(scheduleId: string): Promise<boolean>;
  /**
   * All schedules whose `wakeAtOf` is at or before a time in milliseconds since the epoch, with that time, earliest
   * first.
   */
  due(until: number): Promise<readonly ScheduleWake[]>;
}
