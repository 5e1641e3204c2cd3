import type { Clock } from '../../ports/clock.ts';

/** Tells when a version of a workflow is stored, in milliseconds since the epoch. */
export type CreationTime = (id: string, version: number) => number;

/** The times of a clock that was put back by more than this, in milliseconds, are forgotten. */
const MAX_AHEAD_MS = 1_000;

/**
 * Creates a {@link CreationTime}: now, or a millisecond after the last time of the same id and version. A plan is found
 * by the three, and a caller may put several definitions under one id in one millisecond, each of which begins with
 * version 1.
 */
export function createCreationTime({ now }: Pick<Clock, 'now'>): CreationTime {
  /** The times that are not over yet. */
  const times = new Map<string, number>();
  let last = Number.NEGATIVE_INFINITY;

  return (id, version) => {
    const key = `${version}:${id}`;
    const present = now();
    if (present > last || present < last - MAX_AHEAD_MS) {
      times.clear();
      last = Number.NEGATIVE_INFINITY;
    }
    const known = times.get(key);
    const at = known === undefined ? present : Math.max(present, known + 1);
    times.set(key, at);
    last = Math.max(last, at);
    return at;
  };
}
