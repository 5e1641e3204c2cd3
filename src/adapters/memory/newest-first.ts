/** A value in a {@link NewestFirst} list. */
export interface ListNode<T> {
  readonly value: T;
  older: ListNode<T> | undefined;
  newer: ListNode<T> | undefined;
}

/** A doubly linked list in the order of arrival: the time to add or remove does not depend on the size. */
export interface NewestFirst<T> {
  readonly size: number;
  /** Adds a value as the newest. */
  add(value: T): ListNode<T>;
  /** Removes a node, which must be in this list. */
  remove(node: ListNode<T>): void;
  /** Moves a node, which must be in this list, to the newest end. */
  moveToNewest(node: ListNode<T>): void;
  /** The node of the newest value, or undefined in an empty list. */
  newest(): ListNode<T> | undefined;
  /** The node of the oldest value, or undefined in an empty list. */
  oldest(): ListNode<T> | undefined;
  /** All values, newest first. The list must not change meanwhile. */
  values(): Iterable<T>;
  /** At most `limit` values, newest first, after skipping `offset`. The time grows with `offset` and `limit`. */
  page(offset: number, limit: number): T[];
}

/** Creates an empty {@link NewestFirst} list. */
export function createNewestFirst<T>(): NewestFirst<T> {
  let newest: ListNode<T> | undefined;
  let oldest: ListNode<T> | undefined;
  let size = 0;

  function append(node: ListNode<T>): void {
    node.older = newest;
    if (newest === undefined) oldest = node;
    else newest.newer = node;
    newest = node;
    size++;
  }

  function unlink(node: ListNode<T>): void {
    if (node.older === undefined) oldest = node.newer;
    else node.older.newer = node.newer;
    if (node.newer === undefined) newest = node.older;
    else node.newer.older = node.older;
    // Removed nodes must not reference each other, or the garbage collector could not free them.
    node.older = undefined;
    node.newer = undefined;
    size--;
  }

  return {
    get size() {
      return size;
    },
    add(value) {
      const node: ListNode<T> = { value, older: undefined, newer: undefined };
      append(node);
      return node;
    },
    remove: unlink,
    moveToNewest(node) {
      if (node === newest) return;
      unlink(node);
      append(node);
    },
    newest: () => newest,
    oldest: () => oldest,
    *values() {
      for (let node = newest; node !== undefined; node = node.older) yield node.value;
    },
    page(offset, limit) {
      const values: T[] = [];
      if (offset >= size) return values;
      let node = newest;
      for (let skipped = 0; skipped < offset; skipped++) node = node?.older;
      for (; node !== undefined && values.length < limit; node = node.older) values.push(node.value);
      return values;
    },
  };
}
