/** The worker of the queue, with times in which the jobs of a replica that is gone are found after seconds. */
import { startRunWorker as start } from '../../../../src/adapters/queue/worker.ts';

export * from '../../../../src/adapters/queue/worker.ts';

export const startRunWorker: typeof start = (options) =>
  start({ ...options, times: { lockMs: 2_000, searchEveryMs: 500 } });
