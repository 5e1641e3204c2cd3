/** The keys of everything in the store. All start with the prefix; the key of a record ends with its id. */
export interface Keys {
  /** Prefix of the keys of a collection's records. */
  records(collection: string): string;
  /** Sorted set of a collection's ids, by the microsecond of their first put. */
  index(collection: string): string;
  /** Prefix of the keys of runs. */
  readonly runs: string;
  /** Prefix of the keys of the sorted sets of run ids, one for each workflow. */
  readonly runIndices: string;
  /** Sorted set of the ids of the replicas that share the store, by the millisecond of their last heartbeat. */
  readonly replicas: string;
  /** Prefix of the keys of the sets of active run ids, one for each replica. */
  readonly activeRuns: string;
  /** Prefix of the keys of request counters. */
  readonly rates: string;
  /** Prefix of the keys of idempotency keys, which end with a digest. */
  readonly idempotency: string;
}

/** Creates the keys that start with `prefix`. Replicas of all versions share them, so they never change. */
export function createKeys(prefix: string): Keys {
  return {
    records: (collection) => `${prefix}${collection}:`,
    index: (collection) => `${prefix}index:${collection}`,
    runs: `${prefix}execution:`,
    runIndices: `${prefix}index:execution:`,
    replicas: `${prefix}processes`,
    activeRuns: `${prefix}running:`,
    rates: `${prefix}rate:`,
    idempotency: `${prefix}idempotency:`,
  };
}
