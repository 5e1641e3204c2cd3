import { describe, expect, test } from 'vitest';
import {
  createRecords,
  type RecordCollection,
  recordTable,
} from '../../../src/application/storage/records.ts';
import { createWriteBuffer } from '../../../src/application/storage/write-buffer.ts';
import type { Change } from '../../../src/ports/storage/store.ts';
import {
  recordStoreContract,
  type SampleRecord,
  type SampleSummary,
  sample,
  sampleFilterFields,
  summarizeSample,
} from '../../contracts/record-store.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { recordLogs } from '../../support/fakes.ts';
import { type ProcessParts, sharedParts, storageParts } from '../../support/storage.ts';

const collection: RecordCollection<SampleRecord, SampleSummary> = {
  name: 'samples',
  idOf: ({ id }) => id,
  summarize: summarizeSample,
  filterFields: sampleFilterFields,
};

const firstPage = { limit: 50, offset: 0 };

function createPlain(parts: ProcessParts, retentionMs?: number) {
  return createRecords(parts, collection, recordTable({ ...collection, retentionMs }));
}

function createBuffered(parts: ProcessParts) {
  const { store, clock } = parts;
  const logger = recordLogs();
  const buffer = createWriteBuffer<Change>({
    store,
    clock,
    logger,
    onDropped: () => undefined,
    maxItems: 100,
    maxBytes: 1_000_000,
  });
  return { buffer, records: createRecords(parts, collection, recordTable(collection), buffer) };
}

recordStoreContract('rows with a buffer', async () => createBuffered(storageParts()).records);

describe('records in rows', () => {
  test('are put by one commit', async () => {
    const parts = storageParts();
    await createPlain(parts).put(sample(1));
    expect(parts.store.commits).toBe(1);
  });

  test('are shared by processes, and deleted by one of them', async () => {
    const [one, other] = sharedParts(2).map((parts) => createPlain(parts));
    await one?.put(sample(1));
    expect(await other?.get('sample-1')).toMatchObject({ title: 'Sample 1' });
    const deleted = await Promise.all([one?.delete('sample-1'), other?.delete('sample-1')]);
    expect(deleted.toSorted()).toEqual([false, true]);
  });

  test('expire by their creation, however often they are replaced', async () => {
    const clock = createFakeClock();
    const records = createPlain(storageParts(clock), 1_000);
    const record = sample(1, { createdAt: new Date(clock.now()).toISOString() });
    await records.put(record);
    await clock.advance(999);
    await records.put({ ...record, title: 'Replaced' });
    expect(await records.get('sample-1')).toMatchObject({ title: 'Replaced' });
    await clock.advance(1);
    expect(await records.get('sample-1')).toBeUndefined();
    expect((await records.list(firstPage)).total).toBe(0);
  });

  test('are rejected while the store is away', async () => {
    const parts = storageParts();
    const records = createPlain(parts);
    parts.store.leave();
    const works = [records.put(sample(1)), records.get('a'), records.list(firstPage), records.delete('a')];
    await Promise.all(works.map((work) => expect(work).rejects.toMatchObject({ code: 'unavailable' })));
  });

  test('with a buffer wait while the store is away, and can be read', async () => {
    const parts = storageParts(createFakeClock());
    const { records, buffer } = createBuffered(parts);
    parts.store.leave();
    await records.put(sample(1, { body: 'first' }));
    await records.put(sample(1, { body: 'second' }));
    expect(await records.get('sample-1')).toMatchObject({ body: 'second' });
    await expect(records.get('sample-2')).rejects.toMatchObject({ code: 'unavailable' });
    parts.store.return();
    expect((await records.list(firstPage)).items).toMatchObject([{ id: 'sample-1' }]);
    expect([buffer.size, (await records.get('sample-1'))?.body]).toEqual([0, 'second']);
  });

  test('that wait are not stored once they are deleted', async () => {
    const parts = storageParts(createFakeClock());
    const { records } = createBuffered(parts);
    parts.store.leave();
    await records.put(sample(1));
    await expect(records.delete('sample-1')).rejects.toMatchObject({ code: 'unavailable' });
    await records.put(sample(2));
    parts.store.comeBack();
    await settle();
    expect((await records.list(firstPage)).items).toMatchObject([{ id: 'sample-2' }]);
  });

  test('are stored, and wait, together with what belongs to them', async () => {
    const parts = storageParts(createFakeClock());
    const { store } = parts;
    const { records } = createBuffered(parts);
    const together = () => store.commit([sample(1), sample(2)].map(records.change));
    store.leave();
    await records.store(records.change(sample(1)), together);
    expect(await records.get('sample-1')).toMatchObject({ title: 'Sample 1' });
    store.comeBack();
    expect((await records.list(firstPage)).items.map(({ id }) => id)).toEqual(['sample-2', 'sample-1']);
  });
});
