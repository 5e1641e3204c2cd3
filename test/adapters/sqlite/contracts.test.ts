import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach } from 'vitest';
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
import { createFiles } from '../../support/sqlite/files.ts';

const files = createFiles();

afterEach(() => files.removeAll());

runLogContract('sqlite', async () => {
  const { adapters } = await files.make();
  return { log: adapters.ports.runs, written: () => Promise.resolve() };
});

runLogOracle('sqlite', async () => ({
  log: (await files.make()).adapters.ports.runs,
  written: async () => undefined,
}));

idempotencyStoreContract('sqlite', async () => {
  const { adapters } = await files.make();
  return { store: adapters.ports.idempotency, wait: sleep, lapseMs: 0 };
});

const ports = async () => (await files.make()).adapters.ports;

inboxStoreContract('sqlite', ports);
conversationStoreContract('sqlite', ports);
exampleStoreContract('sqlite', ports);
definitionStoreContract('sqlite', async () => (await ports()).workflows);
runVersionsContract('sqlite', ports);
scheduleStoreContract('sqlite', async () => (await ports()).schedules);
statsStoreContract('sqlite', async () => (await ports()).stats);
erasureMarksContract('sqlite', async () => {
  const { erasures } = await ports();
  return [erasures, erasures];
});
