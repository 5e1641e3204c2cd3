/** The first fire time of a schedule after a time, both in milliseconds since the epoch; null where none comes. */
export type NextFire = (after: number) => number | null;

/** The last fire time up to `now`, where `first` is one. Takes at most some 50 calls, however many passed. */
export function lastFireUntil(nextFire: NextFire, first: number, now: number): number {
  const second = nextFire(first);
  if (second === null || second > now) return first;
  let last = second;
  /** Nothing fires after it, up to `now`. */
  let none = now;
  while (last < none) {
    const middle = Math.floor((last + none) / 2);
    const next = nextFire(middle);
    if (next !== null && next <= now) last = next;
    else if (middle === last) return last;
    else none = middle;
  }
  return last;
}
