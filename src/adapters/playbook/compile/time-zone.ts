import { zoneClock } from '../../shared/time-zone.ts';

/** A time span in which a time zone keeps its offset. Times are in milliseconds since the epoch. */
export interface OffsetSpan {
  /** What is added to a time to get the local one, in milliseconds. */
  readonly offset: number;
  /** The first time after it. */
  readonly end: number;
}

/** A week: no time zone changes its offset twice within one. */
const WINDOW_MS = 7 * 86_400_000;

const MINUTE_MS = 60_000;

/**
 * Creates the function that finds the span which a time falls in. It asks `Intl` for one offset a week, and keeps the
 * spans that it has found: a few a year. Going back in time beyond them, or far ahead, makes it begin anew.
 */
export function createOffsetSpans(timeZone: string): (time: number) => OffsetSpan {
  const offsetAt = (time: number): number => zoneClock(timeZone).shownAt(time) - time;
  let begin = 0;
  let known: OffsetSpan[] = [];

  /** Finds the spans of the next window, and joins the first to the last known span where they have the same offset. */
  function extend(from: number): void {
    for (const span of spansWithin(from, from + WINDOW_MS, offsetAt)) {
      const last = known.at(-1);
      if (last?.offset === span.offset) known.pop();
      known.push(span);
    }
  }

  return (time) => {
    const first = Math.floor(time / WINDOW_MS) * WINDOW_MS;
    const reached = known.at(-1)?.end ?? begin;
    if (time < begin || first > reached) {
      begin = first;
      known = [];
    }
    for (let end = known.at(-1)?.end ?? begin; end <= time; end += WINDOW_MS) extend(end);
    const found = known.findLast(({ end }, at) => time < end && (known[at - 1]?.end ?? begin) <= time);
    if (found === undefined) throw new Error('a time is in no span');
    return found;
  };
}

/** The one or two spans between two times. */
function spansWithin(from: number, to: number, offsetAt: (time: number) => number): readonly OffsetSpan[] {
  const before = offsetAt(from);
  const after = offsetAt(to);
  if (before === after) return [{ offset: before, end: to }];
  // Offsets change at a full minute.
  let [low, high] = [from / MINUTE_MS, to / MINUTE_MS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return [
    { offset: before, end: high * MINUTE_MS },
    { offset: after, end: to },
  ];
}
