import type { JobsOptions } from 'bullmq';
import type { ScheduleWake } from '../../../ports/storage/schedule-store.ts';

/** What a job carries: the wake. */
export type FireData = ScheduleWake;

/**
 * How much earlier than the time of a wake its job is ready, in milliseconds. The worker waits for the rest: BullMQ, which
 * does not ask Redis for its version, waits for delayed jobs by whole seconds.
 */
export const FIRE_LEAD_MS = 1_000;

/** The name of the queue, and of its jobs. */
export const FIRE_QUEUE_NAME = 'fires';
export const FIRE_JOB_NAME = 'fire';

/**
 * The id of the job of a wake: `schedule-`, the id of the schedule, `-` and the time. The id is written as in JSON, which
 * keeps every string apart, with `:`, which BullMQ refuses, as `%3A` and `%` as `%25`.
 */
export function fireJobIdOf({ scheduleId, at }: ScheduleWake): string {
  const text = JSON.stringify(scheduleId).slice(1, -1);
  return `schedule-${text.replaceAll('%', '%25').replaceAll(':', '%3A')}-${at}`;
}

/** The options of the job of a wake. A job that has ended is always removed: while it is kept, its id cannot be added. */
export function fireJobOptions(wake: ScheduleWake, now: number): JobsOptions {
  return {
    jobId: fireJobIdOf(wake),
    delay: Math.max(0, wake.at - now - FIRE_LEAD_MS),
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
  };
}
