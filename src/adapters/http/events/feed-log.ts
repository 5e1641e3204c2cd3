import { type FeedFilter, matchesFilter } from '../../../domain/feed-event.ts';
import type { SubjectEvent } from '../../../domain/subject-event.ts';
import type { FeedFollower } from '../../../ports/storage/event-feed.ts';
import { encodeFrames, GAP_FRAME, plainFrame } from './frames.ts';
import type { StreamLog } from './stream-hub.ts';

/** The largest number of items that are read at a time. */
const MAX_ITEMS = 256;

/** The events of the feed that a filter describes, as streams send them: without ids and without an end. */
export function createFeedLog(follower: FeedFollower, filter: FeedFilter): StreamLog {
  const isWanted = (item: SubjectEvent | 'gap'): boolean => item === 'gap' || matchesFilter(item, filter);
  return {
    position: follower.position,
    read(after) {
      const { items, position } = follower.read(after, MAX_ITEMS);
      if (items.length === 0) return undefined;
      return () => {
        const wanted = items.filter(isWanted);
        const frames = wanted.map((item) => (item === 'gap' ? GAP_FRAME : plainFrame(item)));
        const bytes = encodeFrames(frames.join(''));
        return { position, events: wanted.length, bytes, isLast: false };
      };
    },
    changed: (after, signal) => follower.changed(after, signal),
    close: follower.close,
  };
}
