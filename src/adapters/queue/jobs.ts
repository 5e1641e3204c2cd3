import type { JobsOptions } from 'bullmq';

/** What a job carries. */
export interface JobData {
  readonly executionId: string;
}

/** The name of the queue, and of its jobs. */
export const QUEUE_NAME = 'runs';
export const JOB_NAME = 'run';

/**
 * Prefix of the keys of BullMQ for the service's own prefix: with the name of the queue they are
 * `<prefix>queue:runs:wait`, `<prefix>queue:runs:active` and so on. No other key of the service begins so.
 */
export function bullmqPrefix(prefix: string): string {
  return `${prefix}queue`;
}

/**
 * The id of the job of a run: `r.` and the id of the run, in which `:` is written as `%3A` and `%` as `%25`. BullMQ
 * refuses ids with `:` and integers, and the key of a job named `wait` or `meta` would be one of its own keys.
 */
export function jobIdOf(runId: string): string {
  return `r.${runId.replaceAll('%', '%25').replaceAll(':', '%3A')}`;
}

/** The options of the job of a run. A job that has ended is always removed: while it is kept, its id cannot be added. */
export function jobOptions(runId: string): JobsOptions {
  return { jobId: jobIdOf(runId), attempts: 1, removeOnComplete: true, removeOnFail: true };
}
