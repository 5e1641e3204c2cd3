/**
 * The last erasures of customers. Work that has begun before an erasure, in any process that shares the records, leaves
 * no record after it. Members reject with `unavailable` as those of `RecordStore`.
 */
export interface ErasureMarks {
  /** Marks a customer as erased now, for {@link ERASURE_MARK_MS}. */
  mark(customerId: string): Promise<void>;
  /** The last mark, which no other one equals; undefined for none that is kept. */
  last(customerId: string): Promise<string | undefined>;
}

/** Time for which a mark is kept, in milliseconds: longer than a routed goal takes. */
export const ERASURE_MARK_MS = 3_600_000;

/** Resolves to true where the customer has been erased since the work began. Never rejects. */
export type WasErased = () => Promise<boolean>;

/**
 * Called before work whose records are stored at its end. Once they are stored, the function that it resolves to tells
 * whether they must be deleted again, because an erasure has not seen them. For no customer nothing is read.
 */
export type BeginErasable = (customerId: string | null) => Promise<WasErased>;
