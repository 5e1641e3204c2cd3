import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach } from 'vitest';
import { createBufferedRecords } from '../../../src/adapters/sqlite/records/buffered-records.ts';
import { createRecordStore, createStoredRecords } from '../../../src/adapters/sqlite/records/record-store.ts';
import { conversationStoreContract } from '../../contracts/conversation-store.ts';
import { exampleStoreContract } from '../../contracts/example-store.ts';
import { idempotencyStoreContract } from '../../contracts/idempotency-store.ts';
import { inboxStoreContract } from '../../contracts/inbox-store.ts';
import type { PeopleStores } from '../../contracts/inbox-store-samples.ts';
import {
  recordStoreContract,
  type SampleRecord,
  sampleFilterFields,
  summarizeSample,
} from '../../contracts/record-store.ts';
import { runLogContract } from '../../contracts/run-log.ts';
import { runLogOracle } from '../../contracts/run-log-oracle.ts';
import { createFiles, DAY_MS } from '../../support/sqlite/files.ts';

const files = createFiles();

afterEach(() => files.removeAll());

const collection = {
  name: 'traces',
  idOf: ({ id }: SampleRecord) => id,
  summarize: summarizeSample,
  filterFields: sampleFilterFields,
  retentionMs: DAY_MS,
} as const;

recordStoreContract('sqlite', async () => {
  const connection = await files.connect();
  return createRecordStore(createStoredRecords(collection, connection));
});

recordStoreContract('sqlite with a buffer', async () => {
  const connection = await files.connect();
  const records = createStoredRecords(collection, connection);
  return createBufferedRecords(records, connection, () => undefined).store;
});

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

const makePeople = async (): Promise<PeopleStores> => (await files.make()).adapters.ports;

inboxStoreContract('sqlite', makePeople);
conversationStoreContract('sqlite', makePeople);
exampleStoreContract('sqlite', makePeople);
