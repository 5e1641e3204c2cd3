/** Chance that can be repeated: the same draws for the same seed. */
export interface Chance {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** True with the given probability. */
  flip(probability: number): boolean;
  /** One of some items; throws where there are none. */
  pick<T>(items: readonly T[]): T;
}

/** A small generator (mulberry32) whose draws depend on the seed alone, which is any safe integer. */
export function createChance(seed: number): Chance {
  // Bitwise operators see the lower half of a seed only.
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
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
  };
}
