/** The part of a listing that a caller requests. */
export interface PageRequest {
  /** Maximum number of items, 1 to 200. */
  readonly limit: number;
  /** Number of the newest items to skip, 0 or more. */
  readonly offset: number;
}

/** A part of a listing, newest first. */
export interface Page<T> extends PageRequest {
  /** How many records are stored now, over all pages. */
  readonly total: number;
  /** The items of this page. */
  readonly items: readonly T[];
}

/**
 * A collection of finished records. Records are plain JSON: a record that is read equals the one that was put, and shares
 * no object with it. Every member rejects with `unavailable` within its command timeout when the store is unreachable.
 */
export interface RecordStore<R, S> {
  /**
   * Stores a record under its id. Replaces a record with that id, which keeps its position in listings. Rejects with
   * `conflict` where the collection is full and does not evict.
   */
  put(record: R): Promise<void>;
  /** The record with that id; undefined when it is not stored, was evicted or has expired, or the id is malformed. */
  get(id: string): Promise<R | undefined>;
  /** Summaries, newest first by the time of their first `put`. */
  list(page: PageRequest): Promise<Page<S>>;
  /** Removes a record. Resolves to false when there was none. */
  delete(id: string): Promise<boolean>;
}

/** Whether records can be stored now, as far as is known without a round trip. */
export interface StorageHealth {
  /**
   * Throws `unavailable` when the store is known to be unreachable. Called before work with side effects, so that
   * nothing is done whose record could not be stored.
   */
  assertAvailable(): void;
}
