/** Values in an order. The time to add or remove one grows with the square root of their number at most. */
export interface Sorted<T> {
  readonly size: number;
  /** Adds a value, which must not be there. To add the greatest one is quickest. */
  add(value: T): void;
  /** Removes a value, if it is there. */
  remove(value: T): void;
  /**
   * The values after a place, or before it where `descending`; all when it is absent. They must not change meanwhile.
   */
  values(descending?: boolean, after?: T): Iterable<T>;
}

/** The most values of a block. */
const BLOCK = 512;

/**
 * Creates an empty list. `compare` is negative where the first value comes first, and 0 for a value and itself alone,
 * or for places that are only compared.
 */
export function createSorted<T>(compare: (one: T, other: T) => number): Sorted<T> {
  /** None of them is empty, and each ends before the next one begins. */
  const blocks: T[][] = [];
  let size = 0;

  /** The first block whose last value is not before the value; the number of blocks where there is none. */
  function blockOf(value: T): number {
    let [low, high] = [0, blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const last = blocks[middle]?.at(-1);
      if (last !== undefined && compare(last, value) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first place in a block whose value is not before the value. */
  function placeIn(block: readonly T[], value: T): number {
    let [low, high] = [0, block.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const found = block[middle];
      if (found !== undefined && compare(found, value) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function insert(value: T): void {
    const index = blockOf(value);
    const block = blocks[index];
    if (block === undefined) {
      const last = blocks.at(-1);
      if (last !== undefined && last.length < BLOCK) last.push(value);
      else blocks.push([value]);
      return;
    }
    block.splice(placeIn(block, value), 0, value);
    if (block.length > BLOCK) blocks.splice(index + 1, 0, block.splice(BLOCK / 2));
  }

  function* ascending(after: T | undefined): Generator<T> {
    let index = after === undefined ? 0 : blockOf(after);
    let place = after === undefined ? 0 : placeIn(blocks[index] ?? [], after);
    for (; index < blocks.length; index++, place = 0) {
      const block = blocks[index] ?? [];
      for (; place < block.length; place++) {
        const value = block[place];
        if (value !== undefined && (after === undefined || compare(value, after) > 0)) yield value;
      }
    }
  }

  function* descending(before: T | undefined): Generator<T> {
    let index = before === undefined ? blocks.length - 1 : Math.min(blockOf(before), blocks.length - 1);
    for (; index >= 0; index--) {
      const block = blocks[index] ?? [];
      const end = before === undefined ? block.length : placeIn(block, before);
      for (let place = end - 1; place >= 0; place--) {
        const value = block[place];
        if (value !== undefined) yield value;
      }
    }
  }

  return {
    get size() {
      return size;
    },
    add(value) {
      insert(value);
      size += 1;
    },
    remove(value) {
      const index = blockOf(value);
      const block = blocks[index];
      if (block === undefined) return;
      const place = placeIn(block, value);
      const found = block[place];
      if (found === undefined || compare(found, value) !== 0) return;
      if (block.length === 1) blocks.splice(index, 1);
      else block.splice(place, 1);
      size -= 1;
    },
    values: (isDescending = false, after) => (isDescending ? descending(after) : ascending(after)),
  };
}
