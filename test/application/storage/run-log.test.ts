import { afterEach } from 'vitest';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createRunLog, type StoredRunLog } from '../../../src/application/storage/run-log.ts';
import { sharedTimes } from '../../../src/application/storage/run-owners.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { runLogContract } from '../../contracts/run-log.ts';
import { runLogOracle } from '../../contracts/run-log-oracle.ts';
import { sharedMemoryStore } from '../../support/memory.ts';

const made: StoredRunLog[] = [];

afterEach(async () => {
  for (const log of made.splice(0)) await log.close();
});

async function make() {
  const log = createRunLog({
    store: sharedMemoryStore(systemClock),
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    self: 'process-1',
    digest: (text) => text,
    retentionMs: 3_600_000 * 24 * 365 * 100,
    times: sharedTimes,
  });
  made.push(log);
  return { log: log.log, written: async () => undefined };
}

runLogContract('a store in memory', make);
runLogOracle('a store in memory', make);
