/** The keys of everything in the store. All start with the prefix; the key of a record ends with its id. */
export interface Keys {
  /** Prefix of the keys of a collection's records. */
  records(collection: string): string;
  /** Sorted set of a collection's ids, by the microsecond of their first put. */
  index(collection: string): string;
  /** Prefix of the keys of the ids of workflows, which end with the key of the workflow. */
  readonly workflowKeys: string;
  /** Prefix of the keys of runs. */
  readonly runs: string;
  /** Prefix of the keys of the sorted sets of run ids, one for each workflow. */
  readonly runIndices: string;
  /**
   * Prefix of the keys of the sorted sets of run ids, one for each customer, which end with the digest of the customer.
   */
  readonly customerRuns: string;
  /** Sorted set of the ids of the replicas that share the store, by the millisecond of their last heartbeat. */
  readonly replicas: string;
  /** Prefix of the keys of the sets of active run ids, one for each replica. */
  readonly activeRuns: string;
  /** Prefix of the keys of the lists of events of runs. */
  readonly events: string;
  /** Prefix of the keys of the definitions that runs keep, which end with a digest. */
  readonly definitions: string;
  /** Sorted set of the ids of all runs; its scores are those of the indices of workflows, or later. */
  readonly allRuns: string;
  /** Exists once the runs of version 0.6 are in `allRuns`. */
  readonly oldRunsIndexed: string;
  /**
   * As `replicas` and `activeRuns`, of the replicas that keep logs of runs. Those of version 0.6 do not find their
   * runs, which they could not end.
   */
  readonly logReplicas: string;
  readonly activeLogs: string;
  /** Sorted set of the ids of runs that wait for a replica to claim them, by the millisecond since when. */
  readonly unclaimed: string;
  /** Sorted set of the ids of runs that somebody must look at, by their `wakeAt`: see `RunSummary`. */
  readonly due: string;
  /** Sorted set of the ids of runs that wait, by the millisecond when they are to be kept from expiring next. */
  readonly parked: string;
  /** Prefix of the keys of the sets of ids of runs with a signal, one for each replica. */
  readonly signals: string;
  /** Prefix of the channels of runs. */
  readonly channels: string;
  /** Prefix of the keys of request counters. */
  readonly rates: string;
  /** Prefix of the keys of idempotency keys, which end with a digest. */
  readonly idempotency: string;
  /** Prefix of the keys of the marks of erased customers, which end with the digest of a customer. */
  readonly erasures: string;
  /** Stream of the newest events of the whole service. */
  readonly feed: string;
  /** Prefix of the keys of inbox items. */
  readonly items: string;
  /** Sorted set of the ids of all inbox items, by their ranks. */
  readonly allItems: string;
  /** Prefixes of the keys of the sorted sets of open and of claimed items, by their ranks, which end with a kind. */
  readonly openItems: string;
  readonly claimedItems: string;
  /** Sorted set of the ids of inbox items that change by themselves, by the millisecond when they do. */
  readonly itemTimers: string;
  /**
   * Prefix of the keys of conversations, which end with a digest: their ids are texts of users. The key of the list of
   * entries is that of the conversation with `:entries`.
   */
  readonly conversations: string;
  /** Sorted set of the digests of all conversations, by the millisecond of their last change. */
  readonly allConversations: string;
  /** Prefix of the keys of examples, one hash for each dataset. */
  readonly examples: string;
  /**
   * Prefixes of the keys of sorted sets of ids of examples, by the microsecond of their first put, for each dataset.
   */
  readonly allExamples: string;
  examplesOf(status: string): string;
  /** Prefix of the keys of schedules. */
  readonly schedules: string;
  /** Sorted set of the ids of all schedules, by the microsecond of their creation. */
  readonly allSchedules: string;
  /** Prefix of the keys of what was counted, one for each minute. */
  readonly stats: string;
  /** Hash of how many runs each replica runs. */
  readonly statsRunning: string;
}

/** Creates the keys that start with `prefix`. Replicas of all versions share them, so they never change. */
export function createKeys(prefix: string): Keys {
  return {
    records: (collection) => `${prefix}${collection}:`,
    index: (collection) => `${prefix}index:${collection}`,
    workflowKeys: `${prefix}workflow-key:`,
    runs: `${prefix}execution:`,
    runIndices: `${prefix}index:execution:`,
    customerRuns: `${prefix}index:customer-execution:`,
    replicas: `${prefix}processes`,
    activeRuns: `${prefix}running:`,
    events: `${prefix}events:`,
    definitions: `${prefix}definition:`,
    allRuns: `${prefix}index:execution`,
    oldRunsIndexed: `${prefix}old-runs-indexed`,
    logReplicas: `${prefix}replicas`,
    activeLogs: `${prefix}active:`,
    unclaimed: `${prefix}unclaimed`,
    due: `${prefix}due`,
    parked: `${prefix}parked`,
    signals: `${prefix}signals:`,
    channels: `${prefix}changed:`,
    rates: `${prefix}rate:`,
    idempotency: `${prefix}idempotency:`,
    erasures: `${prefix}erased:`,
    feed: `${prefix}events`,
    items: `${prefix}item:`,
    allItems: `${prefix}index:item`,
    openItems: `${prefix}index:item:open:`,
    claimedItems: `${prefix}index:item:claimed:`,
    itemTimers: `${prefix}index:item:timers`,
    conversations: `${prefix}conversation:`,
    allConversations: `${prefix}index:conversation`,
    examples: `${prefix}example:`,
    allExamples: `${prefix}index:example:all:`,
    examplesOf: (status) => `${prefix}index:example:${status}:`,
    schedules: `${prefix}schedule:`,
    allSchedules: `${prefix}index:schedule`,
    stats: `${prefix}stats:`,
    statsRunning: `${prefix}stats-running`,
  };
}
