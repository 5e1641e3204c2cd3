import type { DatasetExample, ExampleStatus } from '../../domain/inbox/example.ts';
import { definedMembers } from '../../lib/defined.ts';
import type { ExampleStore } from '../../ports/storage/example-store.ts';
import { type Change, remove, type Table, write } from '../../ports/storage/store.ts';
import { type StorageParts, update } from './update.ts';

/** Names of rows and values of indexes that consist of two parts. */
const pairOf = (datasetId: string, part: string): string => JSON.stringify([datasetId, part]);

/** The examples of all datasets. They never expire. The id of a row is a JSON array of both ids. */
export const exampleTable: Table<DatasetExample> = {
  name: 'examples',
  texts: {
    dataset: ({ datasetId }) => datasetId,
    dataset_status: ({ datasetId, status }) => pairOf(datasetId, status),
    dataset_customer: ({ datasetId, customerId }) => pairOf(datasetId, customerId),
  },
  numbers: {},
  expiresAt: () => null,
  isPrivate: () => true,
};

/** The change that stores an example. One that is there keeps its place. */
export function writeExample(example: DatasetExample, expects?: number): Change {
  return write(exampleTable, pairOf(example.datasetId, example.exampleId), example, { expects });
}

/** Creates the examples in a store. */
export function createExampleStore(parts: StorageParts): ExampleStore {
  const { store } = parts;

  async function find(datasetId: string, exampleId: string) {
    const [stored] = await store.read(exampleTable, [pairOf(datasetId, exampleId)]);
    return stored;
  }

  /** Commits a change of an example that is there. Resolves to false where there is none. */
  function change(datasetId: string, exampleId: string, changeOf: (version: number) => Change) {
    return update(parts, async () => {
      const stored = await find(datasetId, exampleId);
      return {
        changes: stored === undefined ? [] : [changeOf(stored.version)],
        result: stored !== undefined,
      };
    });
  }

  return {
    async counts(datasetId) {
      const count = (status: ExampleStatus) =>
        store.count(exampleTable, { where: { dataset_status: pairOf(datasetId, status) } });
      const counts = await Promise.all([count('proposed'), count('accepted'), count('rejected')]);
      const [proposed, accepted, rejected] = counts;
      return { proposed, accepted, rejected };
    },
    async list(datasetId, { status, customerId }, { limit, cursor }) {
      const where = definedMembers({
        dataset: status === undefined && customerId === undefined ? datasetId : undefined,
        dataset_status: status === undefined ? undefined : pairOf(datasetId, status),
        dataset_customer: customerId === undefined ? undefined : pairOf(datasetId, customerId),
      });
      const after = cursor === undefined ? undefined : { value: cursor, id: '' };
      const found = await store.range(exampleTable, { where, after, limit: limit + 1 });
      const shown = found.slice(0, limit);
      const nextCursor = found.length > limit ? (shown.at(-1)?.position ?? null) : null;
      return { examples: shown.map(({ row }) => row), nextCursor };
    },
    get: async (datasetId, exampleId) => (await find(datasetId, exampleId))?.row,
    async update(example) {
      // Encoded at once: the caller may change its object later.
      const written = writeExample(example);
      return change(example.datasetId, example.exampleId, (expects) => ({ ...written, expects }));
    },
    delete: (datasetId, exampleId) =>
      change(datasetId, exampleId, (version) => remove(exampleTable, pairOf(datasetId, exampleId), version)),
  };
}
