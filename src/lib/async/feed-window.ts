import { onAbort } from './on-abort.ts';

/** Reads a window from the time that it was created. */
interface Follower<T> {
  /** The position of the newest item now. */
  position(): number;
  /** At most `limit` items after a position, and the position of the last one; after a `gap` where some are lost. */
  read(after: number, limit: number): { readonly items: readonly (T | 'gap')[]; readonly position: number };
  /** Resolves once there is something after the position, or `signal` is aborted. Never rejects. */
  changed(after: number, signal: AbortSignal): Promise<void>;
  /** Ends the following. Must be called once. */
  close(): void;
}

/** The newest items of a feed that this process knows, by position: 1, 2, 3 … in the order in which they were added. */
export interface FeedWindow<T> {
  /** The position of the newest item. */
  readonly position: number;
  /** The number of followers. */
  readonly followers: number;
  /** Adds an item. Never throws. */
  add(item: T | 'gap'): void;
  /** The item at a position; undefined for one that is no longer kept. */
  at(position: number): T | 'gap' | undefined;
  /** Follows what is added from now on. */
  follow(): Follower<T>;
}

/** Creates an empty window of `size` items. */
export function createFeedWindow<T>(size: number): FeedWindow<T> {
  const ring: (T | 'gap')[] = [];
  const waiting = new Set<() => void>();
  let position = 0;
  let followers = 0;

  function at(wanted: number): T | 'gap' | undefined {
    return wanted > position - size && wanted <= position ? ring[wanted % size] : undefined;
  }

  function read(after: number, limit: number) {
    // A reader that has lost events goes on with the newest, so that it does not lose more at once.
    const isBehind = after < position - size;
    const first = isBehind ? position - limit + 1 : after + 1;
    const last = Math.min(position, first + limit - 1);
    const items: (T | 'gap')[] = isBehind ? ['gap'] : [];
    for (let next = first; next <= last; next++) {
      const item = at(next);
      if (item !== undefined) items.push(item);
    }
    return { items, position: last };
  }

  function changed(after: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (position > after || signal.aborted) return resolve();
      const done = (): void => {
        waiting.delete(done);
        unsubscribe();
        resolve();
      };
      const unsubscribe = onAbort(signal, done);
      waiting.add(done);
    });
  }

  return {
    get position() {
      return position;
    },
    get followers() {
      return followers;
    },
    add(item) {
      position += 1;
      ring[position % size] = item;
      if (waiting.size > 0) for (const done of [...waiting]) done();
    },
    at,
    follow() {
      followers += 1;
      return {
        position: () => position,
        read,
        changed,
        close() {
          followers -= 1;
        },
      };
    },
  };
}
