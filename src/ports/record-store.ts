/** Which part of a listing is wanted. */
export interface PageRequest {
  /** At most this many, 1 to 200. */
  readonly limit: number;
  /** After skipping this many of the newest, 0 or more. */
  readonly offset: number;
}

/** A part of a listing, newest first. */
export interface Page<T> extends PageRequest {
  /** How many are retained now, over all pages. */
  readonly total: number;
  readonly items: readonly T[];
}

/**
 * A collection of finished records. Records are plain JSON; what is read equals what was put and is aliased to
 * nothing. Every member rejects with `unavailable` when the store cannot be reached, within its command time-out.
 */
export interface RecordStore<R, S> {
  /**
   * Keeps a record under its id; a record that is there already is replaced and keeps its place. Rejects with
   * `conflict` where the collection is full and evicts nothing.
   */
  put(record: R): Promise<void>;
  /** The record with that id, or undefined: never stored, evicted, expired and malformed ids look the same. */
  get(id: string): Promise<R | undefined>;
  /** Summaries, newest first by the time of their first `put`. */
  list(page: PageRequest): Promise<Page<S>>;
  /** Removes a record; false when there was none. */
  delete(id: string): Promise<boolean>;
}

/** Whether records can be kept right now, as far as is known without asking. */
export interface StorageHealth {
  /**
   * Throws `unavailable` when the store is known to be out of reach. Asked before anything that acts on the world,
   * so that nothing is done whose record could not be kept. Costs no round trip.
   */
  assertAvailable(): void;
}
