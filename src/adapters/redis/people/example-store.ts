import { type DatasetExample, exampleStatuses } from '../../../domain/inbox/example.ts';
import type { ExampleFilter, ExamplePage, ExampleStore } from '../../../ports/storage/example-store.ts';
import { ignoreWrongType, StoreError, throwUnavailable } from '../client/errors.ts';
import { parseStored } from '../client/stored-json.ts';
import type { Keys } from '../keys.ts';
import { memberText } from '../records/filtered-records.ts';
import type { PeopleParts } from './parts.ts';
import { toStoredId } from './stored-ids.ts';

/** The most examples that a script reads at a time. */
const BATCH_SIZE = 200;

/** The keys that `put_example` takes. */
export function datasetKeys(keys: Keys, datasetId: string): string[] {
  const id = toStoredId(datasetId);
  return [keys.examples + id, keys.allExamples + id, ...statusKeys(keys, datasetId)];
}

function statusKeys(keys: Keys, datasetId: string): string[] {
  return exampleStatuses.map((status) => keys.examplesOf(status) + toStoredId(datasetId));
}

const decode = (json: string): DatasetExample | undefined =>
  parseStored<DatasetExample>(json, [], ({ exampleId }) => typeof exampleId === 'string');

/** Creates the examples of all replicas. */
export function createRedisExamples({ keys, connection, writes }: PeopleParts): ExampleStore {
  async function list(
    datasetId: string,
    { status, customerId }: ExampleFilter,
    { limit, cursor = 0 }: { readonly limit: number; readonly cursor?: number | undefined },
  ): Promise<ExamplePage> {
    const id = toStoredId(datasetId);
    const index = (status === undefined ? keys.allExamples : keys.examplesOf(status)) + id;
    const texts = JSON.stringify(customerId === undefined ? [] : [[memberText({ customerId })]]);
    const found: { readonly place: number; readonly example: DatasetExample }[] = [];
    const count = String(customerId === undefined ? Math.min(BATCH_SIZE, limit + 1) : BATCH_SIZE);
    let from: number | undefined = cursor;
    while (from !== undefined && found.length <= limit) {
      const values: string[] = [String(from), count, texts];
      const batch = await connection.run('EVALSHA', (client) =>
        client.scanExamples([keys.examples + id, index], values),
      );
      for (const { place, json } of batch.examples) {
        const example = decode(json);
        const fits = customerId === undefined || example?.customerId === customerId;
        if (example !== undefined && fits) found.push({ place, example });
      }
      if (batch.last !== undefined && !(batch.last > from)) throw new StoreError('reply', 'UNEXPECTED');
      from = batch.last;
    }
    const shown = found.slice(0, limit);
    const nextCursor = found.length > limit ? (shown.at(-1)?.place ?? null) : null;
    return { examples: shown.map(({ example }) => example), nextCursor };
  }

  async function counts(datasetId: string) {
    const [proposed = 0, accepted = 0, rejected = 0] = await connection.run('EVALSHA', (client) =>
      client.countExamples(statusKeys(keys, datasetId), []),
    );
    return { proposed, accepted, rejected };
  }

  async function get(datasetId: string, exampleId: string): Promise<DatasetExample | undefined> {
    const json = await connection
      .run('HGET', (client) => client.hGet(keys.examples + toStoredId(datasetId), toStoredId(exampleId)))
      .catch(ignoreWrongType);
    return typeof json === 'string' ? decode(json) : undefined;
  }

  async function update(example: DatasetExample): Promise<boolean> {
    const values = [toStoredId(example.exampleId), JSON.stringify(example), example.status];
    const updated = await writes.run((client, deadline) =>
      client.updateExample(datasetKeys(keys, example.datasetId), [deadline, ...values]),
    );
    return updated === 1;
  }

  async function remove(datasetId: string, exampleId: string): Promise<boolean> {
    const deleted = await writes.run((client, deadline) =>
      client.deleteExample(datasetKeys(keys, datasetId), [deadline, toStoredId(exampleId)]),
    );
    return deleted === 1;
  }

  return {
    counts: (datasetId) => counts(datasetId).catch(throwUnavailable),
    list: (datasetId, filter, page) => list(datasetId, filter, page).catch(throwUnavailable),
    get: (datasetId, exampleId) => get(datasetId, exampleId).catch(throwUnavailable),
    update: (example) => update(example).catch(throwUnavailable),
    delete: (datasetId, exampleId) => remove(datasetId, exampleId).catch(throwUnavailable),
  };
}
