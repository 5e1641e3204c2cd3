import { afterEach } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/store.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createStoredRunQueue, type StoredRunQueue } from '../../../src/application/storage/run-queue.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { controlRuns, runQueueContract } from '../../contracts/run-queue.ts';

const made: StoredRunQueue[] = [];

afterEach(() => {
  for (const { close } of made.splice(0)) close();
});

runQueueContract('a store in memory', async (limits) => {
  const queue = createStoredRunQueue({
    store: createMemoryStore(systemClock),
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    self: 'one',
  });
  queue.start();
  made.push(queue);
  return controlRuns(queue.queue, limits);
});
