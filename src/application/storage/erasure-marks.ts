import { ERASURE_MARK_MS, type ErasureMarks } from '../../ports/storage/erasure-marks.ts';
import { type Store, type Table, write } from '../../ports/storage/store.ts';

/** The marks, by digests of the customers. */
export const erasureTable: Table<{ readonly until: number }> = {
  name: 'erasures',
  texts: {},
  numbers: {},
  expiresAt: ({ until }) => until,
};

/** Creates the marks. A mark is the version of its row, which each erasure changes. */
export function createErasureMarks(store: Store, digestOf: (customerId: string) => string): ErasureMarks {
  return {
    async mark(customerId) {
      await store.commit([
        write(erasureTable, digestOf(customerId), { until: store.now() + ERASURE_MARK_MS }),
      ]);
    },
    async last(customerId) {
      const [found] = await store.read(erasureTable, [digestOf(customerId)]);
      return found === undefined ? undefined : String(found.version);
    },
  };
}
