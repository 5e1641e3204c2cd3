/** The keys of everything kept in the store. All begin with the prefix; a record's key ends with its id. */
export interface Keys {
  /** What the keys of a collection's records begin with. */
  records(collection: string): string;
  /** The ids of a collection's records in order, by the microsecond of their first put. */
  index(collection: string): string;
  /** What the keys of executions begin with. */
  readonly executions: string;
  /** What the keys of the executions' indices begin with, one for each workflow. */
  readonly executionIndices: string;
  /** The processes that share the store, by the millisecond of their last sign of life. */
  readonly processes: string;
  /** What the keys of the sets begin with that name the runs under way in a process. */
  readonly running: string;
  /** What the keys of request counters begin with. */
  readonly rates: string;
}

/** Keys that begin with `prefix`. */
export function createKeys(prefix: string): Keys {
  return {
    records: (collection) => `${prefix}${collection}:`,
    index: (collection) => `${prefix}index:${collection}`,
    executions: `${prefix}execution:`,
    executionIndices: `${prefix}index:execution:`,
    processes: `${prefix}processes`,
    running: `${prefix}running:`,
    rates: `${prefix}rate:`,
  };
}
