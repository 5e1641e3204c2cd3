/** The queue of runs, with times in which the jobs of a replica that is gone are found after seconds. */
import { createBullmqRunQueue as create } from '../../../../src/adapters/redis/bullmq.ts';

export * from '../../../../src/adapters/redis/bullmq.ts';

export const createBullmqRunQueue: typeof create = (options) =>
  create({ ...options, times: { lockMs: 2_000, searchEveryMs: 500 } });
