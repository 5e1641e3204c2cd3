import {
  addCount,
  type Counter,
  type Counts,
  type MinuteCounts,
  type MutableCounts,
  minuteOf,
  noCounts,
} from './counters.ts';

/** The counts of one process in the last day, about 2 MB when all minutes are full. */
export interface MinuteTable {
  /** Adds 1 to a counter, in the minute of a time. */
  add(at: number, counter: Counter): void;
  /** The counts of the minute that begins at a time; undefined where nothing was counted. */
  get(at: number): Counts | undefined;
  /** The minutes that begin in a span, until exclusive. */
  read(from: number, until: number): readonly MinuteCounts[];
}

/** A day, the running minute, and some in case that the clock is set. */
const MAX_MINUTES = 1_445;

/** Creates an empty table. Of too many minutes the one that was counted first is dropped. */
export function createMinuteTable(): MinuteTable {
  const minutes = new Map<number, MutableCounts>();
  let last: { readonly at: number; readonly counts: MutableCounts } | undefined;

  function countsAt(at: number): MutableCounts {
    if (last?.at === at) return last.counts;
    const counts = minutes.get(at) ?? noCounts();
    minutes.set(at, counts);
    last = { at, counts };
    const [first] = minutes.keys();
    if (minutes.size > MAX_MINUTES && first !== undefined) minutes.delete(first);
    return counts;
  }

  return {
    add: (at, counter) => addCount(countsAt(minuteOf(at)), counter),
    get: (at) => minutes.get(at),
    read(from, until) {
      const found: MinuteCounts[] = [];
      for (const [at, counts] of minutes) {
        if (at >= from && at < until) found.push({ at, counts: counts.slice() });
      }
      return found;
    },
  };
}
