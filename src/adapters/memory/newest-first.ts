/** The place of a value in a {@link NewestFirst} list. */
export interface Place<T> {
  readonly value: T;
  older: Place<T> | undefined;
  newer: Place<T> | undefined;
}

/** Values in the order of their arrival. Adding and removing cost the same however many there are. */
export interface NewestFirst<T> {
  readonly size: number;
  /** Adds a value as the newest. */
  add(value: T): Place<T>;
  /** Takes a value out; its place must be one of this list, and is used up. */
  remove(place: Place<T>): void;
  /** Makes a value the newest, as though it came only now. */
  renew(place: Place<T>): void;
  /** The place of the value that came first, or undefined in an empty list. */
  oldest(): Place<T> | undefined;
  /** Values after skipping the `offset` newest, at most `limit`. Walks what it skips and returns, nothing else. */
  page(offset: number, limit: number): T[];
}

/** Makes an empty {@link NewestFirst} list. */
export function createNewestFirst<T>(): NewestFirst<T> {
  let newest: Place<T> | undefined;
  let oldest: Place<T> | undefined;
  let size = 0;

  function append(place: Place<T>): void {
    place.older = newest;
    if (newest === undefined) oldest = place;
    else newest.newer = place;
    newest = place;
    size++;
  }

  function unlink(place: Place<T>): void {
    if (place.older === undefined) oldest = place.newer;
    else place.older.newer = place.newer;
    if (place.newer === undefined) newest = place.older;
    else place.newer.older = place.older;
    // A place taken out must not keep its former neighbours alive.
    place.older = undefined;
    place.newer = undefined;
    size--;
  }

  return {
    get size() {
      return size;
    },
    add(value) {
      const place: Place<T> = { value, older: undefined, newer: undefined };
      append(place);
      return place;
    },
    remove: unlink,
    renew(place) {
      if (place === newest) return;
      unlink(place);
      append(place);
    },
    oldest: () => oldest,
    page(offset, limit) {
      const values: T[] = [];
      if (offset >= size) return values;
      let place = newest;
      for (let skipped = 0; skipped < offset; skipped++) place = place?.older;
      for (; place !== undefined && values.length < limit; place = place.older) values.push(place.value);
      return values;
    },
  };
}
