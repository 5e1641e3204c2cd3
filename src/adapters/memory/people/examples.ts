import type { DatasetExample } from '../../../domain/inbox/example.ts';
import type { ExampleStore } from '../../../ports/storage/example-store.ts';

/** The examples in memory. */
export interface Examples extends ExampleStore {
  /** Adds an example, in place of the one with its id. */
  add(example: DatasetExample): void;
}

interface Stored {
  readonly position: number;
  readonly example: DatasetExample;
}

/** The default of the memory that all examples may take, in bytes. */
const DEFAULT_MAX_BYTES = 64 * 1_024 * 1_024;

/** About what an example takes beside its message, in bytes. */
const EXAMPLE_BYTES = 1_024;

/** Creates {@link Examples}, at most `maxRecords` and about `maxBytes` of memory: of too many it removes the oldest. */
export function createExamples(maxRecords: number, maxBytes = DEFAULT_MAX_BYTES): Examples {
  const stored = new Map<string, Stored>();
  let bytes = 0;
  let positions = 0;

  const keyOf = (datasetId: string, exampleId: string): string => JSON.stringify([datasetId, exampleId]);

  const sizeOf = (entry: Stored | undefined): number =>
    entry === undefined ? 0 : EXAMPLE_BYTES + 2 * entry.example.message.length;

  function remove(key: string): boolean {
    bytes -= sizeOf(stored.get(key));
    return stored.delete(key);
  }

  function set(example: DatasetExample): void {
    const key = keyOf(example.datasetId, example.exampleId);
    const position = stored.get(key)?.position ?? ++positions;
    const entry = { position, example: structuredClone(example) };
    bytes += sizeOf(entry) - sizeOf(stored.get(key));
    stored.set(key, entry);
  }

  return {
    add(example) {
      set(example);
      for (const oldest of stored.keys()) {
        if (stored.size <= maxRecords && bytes <= maxBytes) return;
        remove(oldest);
      }
    },
    async counts(datasetId) {
      const counts = { proposed: 0, accepted: 0, rejected: 0 };
      for (const { example } of stored.values()) {
        if (example.datasetId === datasetId) counts[example.status] += 1;
      }
      return counts;
    },
    async list(datasetId, { status, customerId }, { limit, cursor = 0 }) {
      const found = [...stored.values()].filter(
        ({ position, example }) =>
          position > cursor &&
          example.datasetId === datasetId &&
          (status === undefined || example.status === status) &&
          (customerId === undefined || example.customerId === customerId),
      );
      const shown = found.slice(0, limit);
      const nextCursor = found.length > limit ? (shown.at(-1)?.position ?? null) : null;
      return { examples: structuredClone(shown.map(({ example }) => example)), nextCursor };
    },
    async get(datasetId, exampleId) {
      return structuredClone(stored.get(keyOf(datasetId, exampleId))?.example);
    },
    async update(example) {
      const isKnown = stored.has(keyOf(example.datasetId, example.exampleId));
      if (isKnown) set(example);
      return isKnown;
    },
    async delete(datasetId, exampleId) {
      return remove(keyOf(datasetId, exampleId));
    },
  };
}
