import { hash, randomUUID } from 'node:crypto';
import { ERASURE_MARK_MS, type ErasureMarks } from '../../ports/storage/erasure-marks.ts';

/** Creates marks for one process, of digests of the customers. */
export function createMemoryErasureMarks(now: () => number = () => performance.now()): ErasureMarks {
  /** In the order in which they were set. */
  const marks = new Map<string, { readonly mark: string; readonly until: number }>();
  const digestOf = (customerId: string): string => hash('sha256', customerId, 'base64url');

  function removeExpired(): void {
    for (const [digest, { until }] of marks) {
      if (until > now()) return;
      marks.delete(digest);
    }
  }

  return {
    async mark(customerId) {
      removeExpired();
      const digest = digestOf(customerId);
      marks.delete(digest);
      marks.set(digest, { mark: randomUUID(), until: now() + ERASURE_MARK_MS });
    },
    async last(customerId) {
      removeExpired();
      return marks.get(digestOf(customerId))?.mark;
    },
  };
}
