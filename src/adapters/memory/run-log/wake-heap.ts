/** A value in a {@link WakeHeap}. */
export interface WakeEntry<T> {
  readonly value: T;
  readonly wakeAt: number;
  /** Orders the values with the same `wakeAt`. */
  readonly position: number;
  /** Its place in the heap. */
  index: number;
}

/** Values by the time at which somebody must look at them. The time to add or remove one is logarithmic. */
export interface WakeHeap<T> {
  /** Adds a value. */
  add(value: T, wakeAt: number, position: number): WakeEntry<T>;
  /** Removes an entry, which must be in this heap. */
  remove(entry: WakeEntry<T>): void;
  /** At most `limit` entries whose time is before `before`, earliest first. They stay in the heap. */
  firstBefore(before: number, limit: number): readonly WakeEntry<T>[];
}

/** Creates an empty {@link WakeHeap}. */
export function createWakeHeap<T>(): WakeHeap<T> {
  /** Each entry comes before those at twice its place plus 1 and 2. */
  const entries: WakeEntry<T>[] = [];

  function put(entry: WakeEntry<T>, index: number): void {
    entries[index] = entry;
    entry.index = index;
  }

  /** Puts an entry at a free place, or above it. */
  function moveUp(entry: WakeEntry<T>, from: number): void {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const other = entries[above];
      if (other === undefined || !isBefore(entry, other)) break;
      put(other, index);
      index = above;
    }
    put(entry, index);
  }

  /** Puts an entry at a free place, or below it. Returns where. */
  function moveDown(entry: WakeEntry<T>, from: number): number {
    let index = from;
    for (;;) {
      const [left, right] = [entries[2 * index + 1], entries[2 * index + 2]];
      const next = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
      if (next === undefined || !isBefore(next, entry)) break;
      const below = next.index;
      put(next, index);
      index = below;
    }
    put(entry, index);
    return index;
  }

  function insert(entry: WakeEntry<T>): void {
    entries.push(entry);
    moveUp(entry, entries.length - 1);
  }

  function remove({ index }: WakeEntry<T>): void {
    const last = entries.pop();
    if (last === undefined || index === entries.length) return;
    if (moveDown(last, index) === index) moveUp(last, index);
  }

  return {
    add(value, wakeAt, position) {
      const entry = { value, wakeAt, position, index: 0 };
      insert(entry);
      return entry;
    },
    remove,
    firstBefore(before, limit) {
      const found: WakeEntry<T>[] = [];
      while (found.length < limit) {
        const first = entries[0];
        if (first === undefined || first.wakeAt >= before) break;
        remove(first);
        found.push(first);
      }
      for (const entry of found) insert(entry);
      return found;
    },
  };
}

function isBefore(one: WakeEntry<unknown>, other: WakeEntry<unknown>): boolean {
  return one.wakeAt < other.wakeAt || (one.wakeAt === other.wakeAt && one.position < other.position);
}
