/** Random values that depend only on a seed. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** True with the given probability. */
  flip(probability: number): boolean;
  /** One of the items. Throws a `RangeError` where there are none. */
  pick<T>(items: readonly T[]): T;
}

/** Creates a small generator (mulberry32). The seed is any safe integer. */
export function createRandom(seed: number): Random {
  // Bitwise operators use only the lower 32 bits of a seed.
  const upper = Math.floor(seed / 4_294_967_296);
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(upper, 0xc2b2ae35)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    flip: (probability) => next() < probability,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('there are no items to pick from');
      return item;
    },
  };
}
