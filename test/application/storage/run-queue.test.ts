import { afterEach } from 'vitest';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createStoredRunQueue, type StoredRunQueue } from '../../../src/application/storage/run-queue.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { controlRuns, runQueueContract } from '../../contracts/run-queue.ts';
import { sharedMemoryStore } from '../../support/memory.ts';

const made: StoredRunQueue[] = [];

afterEach(() => {
  for (const { close } of made.splice(0)) close();
});

runQueueContract('a store in memory', async (limits) => {
  const queue = createStoredRunQueue({
    store: sharedMemoryStore(systemClock),
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    self: 'one',
  });
  queue.start();
  made.push(queue);
  return controlRuns(queue.queue, limits);
});
