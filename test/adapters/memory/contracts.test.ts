import { createMemoryStorage } from '../../../src/adapters/memory-storage.ts';
import { conversationStoreContract } from '../../contracts/conversation-store.ts';
import { definitionStoreContract } from '../../contracts/definition-store.ts';
import { erasureMarksContract } from '../../contracts/erasure-marks.ts';
import { exampleStoreContract } from '../../contracts/example-store.ts';
import { idempotencyStoreContract } from '../../contracts/idempotency-store.ts';
import { inboxStoreContract } from '../../contracts/inbox-store.ts';
import { runLogContract } from '../../contracts/run-log.ts';
import { runLogOracle } from '../../contracts/run-log-oracle.ts';
import { runVersionsContract } from '../../contracts/run-versions.ts';
import { scheduleStoreContract } from '../../contracts/schedule-store.ts';
import { statsStoreContract } from '../../contracts/stats-store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const written = () => Promise.resolve();
const ports = async () => createMemoryStorage();
const runLog = async () => ({ log: createMemoryStorage().runs, written });

runLogContract('memory', runLog);
runLogOracle('memory', runLog);
runVersionsContract('memory', ports);
inboxStoreContract('memory', ports);
conversationStoreContract('memory', ports);
exampleStoreContract('memory', ports);
definitionStoreContract('memory', async () => createMemoryStorage().workflows);
scheduleStoreContract('memory', async () => createMemoryStorage().schedules);
statsStoreContract('memory', async () => createMemoryStorage().stats);

erasureMarksContract('memory', async () => {
  const { erasures } = createMemoryStorage();
  return [erasures, erasures];
});

idempotencyStoreContract('memory', async () => {
  const clock = createFakeClock();
  const { idempotency } = createMemoryStorage({ clock });
  return { store: idempotency, wait: (ms) => clock.advance(ms), lapseMs: 0 };
});
