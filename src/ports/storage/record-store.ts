import type { RecordFilter } from '../../domain/record-filter.ts';

/** The part of a listing that a caller requests. */
export interface PageRequest {
  /** Maximum number of items, 1 to 200. */
  readonly limit: number;
  /** Number of the newest items to skip, 0 or more. */
  readonly offset: number;
}

/** A part of a listing, newest first. */
export interface Page<T> extends PageRequest {
  /** The number of records that are stored now and fit the filter, over all pages. */
  readonly total: number;
  /** The items of this page. */
  readonly items: readonly T[];
}

/**
 * A collection of finished records. Records are plain JSON: a record that is read equals the one that was put, and
 * shares no object with it. Every member rejects with `unavailable` within its command timeout when the store is
 * unreachable.
 */
export interface RecordStore<R, S> {
  /**
   * Stores a record under its id. Replaces a record with that id, which keeps its position in listings. Rejects with
   * `conflict` where the collection is full and does not evict.
   */
  put(record: R): Promise<void>;
  /** The record with that id; undefined when it is not stored, was evicted or has expired, or the id is malformed. */
  get(id: string): Promise<R | undefined>;
  /**
   * Summaries, newest first by the time of their first `put`; with a filter only those that fit it. Without one the
   * time does not depend on the number of records, with one it grows linearly and the event loop is not blocked.
   */
  list(page: PageRequest, filter?: RecordFilter): Promise<Page<S>>;
  /** Removes a record. Resolves to false when there was none. */
  delete(id: string): Promise<boolean>;
}

/** The state of the store: if records can be stored now, as far as is known without a round trip. */
export interface StorageHealth {
  /**
   * Throws `unavailable` when the store is known to be unreachable. Called before work with side effects, so that
   * nothing is done whose record could not be stored.
   */
  assertAvailable(): void;
}

/** Work that a client has named by an idempotency key. */
export interface IdempotencyClaim {
  /** Digest of the key with its scope. The store never sees the key itself. */
  readonly key: string;
  /** Digest of the request's body. */
  readonly fingerprint: string;
  /** The caller that does the work: unique for each claim. */
  readonly owner: string;
  /** The ids of the records that the work will make, chosen before it. */
  readonly reference: string;
  /** The time for which the answer is kept, in milliseconds. */
  readonly keepMs: number;
}

/** The answer to the first request with a key. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for an answer that is not kept. */
  readonly body: string | null;
}

/**
 * The outcome of a claim. `claimed`: the caller does the work under `reference`, which is that of the lapsed claim when
 * it goes on with its work (`isResumed`). `mismatch`: the key stands for another body. `in_progress`: another owner
 * does the work. `lapsed`: the owner is gone; a claim that takes over gets the key. `completed`: the work is done.
 */
export type ClaimOutcome =
  | { readonly status: 'claimed'; readonly reference: string; readonly isResumed: boolean }
  | { readonly status: 'mismatch' }
  | { readonly status: 'in_progress'; readonly reference: string }
  | { readonly status: 'lapsed'; readonly reference: string; readonly isSameBody: boolean }
  | { readonly status: 'completed'; readonly reference: string; readonly answer: KeptAnswer };

/**
 * Idempotency keys and the answers to their first requests. A claim is held while its process lives; that of a process
 * that is gone lapses within 60 seconds. Every member rejects with `unavailable` as `RecordStore` does.
 */
export interface IdempotencyStore {
  /**
   * Claims a key in one atomic step. With `takeOver` it replaces a lapsed claim, and keeps its reference where the body
   * is the same. A claim whose reply was lost lapses as well.
   */
  claim(claim: IdempotencyClaim, takeOver?: boolean): Promise<ClaimOutcome>;
  /** Keeps the answer. Ignored when the claim was taken over. */
  complete(claim: IdempotencyClaim, answer: KeptAnswer): Promise<void>;
  /** Frees the key. Ignored when the claim was taken over or completed. */
  release(claim: IdempotencyClaim): Promise<void>;
  /** Holds the claim no longer, because nobody knows whether the work was done: it lapses. */
  abandon(claim: IdempotencyClaim): void;
}
