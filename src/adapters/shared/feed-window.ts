import type { SubjectEvent } from '../../domain/subject-event.ts';
import { onAbort } from '../../lib/async/on-abort.ts';
import type { FeedFollower } from '../../ports/storage/event-feed.ts';

/** How many events a feed keeps. */
export const FEED_SIZE = 10_000;

/** The newest items of a feed that this process knows, by position: 1, 2, 3 … in the order in which they were added. */
export interface FeedWindow {
  /** The position of the newest item. */
  readonly position: number;
  /** How many followers there are. */
  readonly followers: number;
  /** Adds an item. Never throws. */
  add(item: SubjectEvent | 'gap'): void;
  /** The item at a position; undefined for one that is no longer kept. */
  at(position: number): SubjectEvent | 'gap' | undefined;
  /** As `EventFeed.follow`. */
  follow(): FeedFollower;
}

/** Creates an empty window of `size` items. */
export function createFeedWindow(size: number = FEED_SIZE): FeedWindow {
  const ring: (SubjectEvent | 'gap')[] = [];
  const waiting = new Set<() => void>();
  let position = 0;
  let followers = 0;

  function at(wanted: number): SubjectEvent | 'gap' | undefined {
    return wanted > position - size && wanted <= position ? ring[wanted % size] : undefined;
  }

  function read(after: number, limit: number) {
    // A reader that has lost events goes on with the newest, so that it does not lose more at once.
    const isBehind = after < position - size;
    const first = isBehind ? position - limit + 1 : after + 1;
    const last = Math.min(position, first + limit - 1);
    const items: (SubjectEvent | 'gap')[] = isBehind ? ['gap'] : [];
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
