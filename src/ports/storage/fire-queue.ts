import type { ScheduleWake } from './schedule-store.ts';

/**
 * Wakes a process when a schedule has something to do. It only wakes: the store of schedules is the truth, and a wake
 * that is lost, comes twice, late, or a little early does no harm, because the processes look for overdue schedules
 * from time to time as well. A queue belongs to one process, or is shared by several: then any one of them is woken.
 */
export interface FireQueue {
  /** Sets who is woken. Called once, before the first `add`. The handler never rejects. */
  process(handler: (scheduleId: string) => Promise<void>): void;
  /**
   * Wakes at a time, however far off; at once for one that has passed. Ignored for a wake of the same schedule and time
   * that waits already, by any process that shares the queue. One that has been handed to the handler may be added
   * again, once the handler has resolved. Rejects with `unavailable` when a shared queue cannot be reached, and after
   * `close`; it may have been added even then.
   */
  add(wake: ScheduleWake): Promise<void>;
  /**
   * Wakes no more, leaves no timer, and resolves when no handler runs any more. What waits in a shared queue is left to
   * the other processes.
   */
  close(): Promise<void>;
}
