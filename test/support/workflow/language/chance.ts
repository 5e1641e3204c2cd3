import { itemAt } from '../../../../src/lib/array.ts';

/** Chance from a seed: the same seed makes the same choices. */
export interface Chance {
  /** A whole number from 0 to `count - 1`. */
  int(count: number): number;
  /** True once in so many times, on average. */
  oneIn(count: number): boolean;
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** Up to `most` members of a list, each at most once, in the order of the list. */
  some<T>(list: readonly T[], most: number): T[];
  /** The list in any order. */
  shuffled<T>(list: readonly T[]): T[];
}

/** Creates chance from a seed. */
export function chanceFrom(seed: number): Chance {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const int = (count: number): number => Math.floor(random() * count);
  function shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((value) => ({ value, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ value }) => value);
  }
  return {
    int,
    oneIn: (count) => int(count) === 0,
    pick: (list) => itemAt(list, int(list.length)),
    some(list, most) {
      const chosen = new Set(shuffled(list).slice(0, int(Math.min(most, list.length) + 1)));
      return list.filter((value) => chosen.has(value));
    },
    shuffled,
  };
}
