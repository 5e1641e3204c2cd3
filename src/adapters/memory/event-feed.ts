import { invalid } from '../../domain/errors.ts';
import { matchesFilter } from '../../domain/feed-event.ts';
import type { SubjectEvent } from '../../domain/subject-event.ts';
import { createFeedWindow } from '../../lib/async/feed-window.ts';
import { type EventFeed, FEED_SIZE } from '../../ports/storage/event-feed.ts';

/** Creates a feed of this process: the newest 10,000 events. */
export function createMemoryEventFeed(): EventFeed {
  const window = createFeedWindow<SubjectEvent>(FEED_SIZE);
  return {
    publish: window.add,
    follow: window.follow,
    async list(filter, { limit, cursor }) {
      const events: SubjectEvent[] = [];
      let last = 0;
      let position = cursor === undefined ? window.position : parseCursor(cursor) - 1;
      if (position > window.position) position = window.position;
      for (let item = window.at(position); item !== undefined; item = window.at(--position)) {
        if (item === 'gap' || !matchesFilter(item, filter)) continue;
        if (events.length === limit) return { events, nextCursor: String(last) };
        events.push(item);
        last = position;
      }
      return { events, nextCursor: null };
    },
  };
}

/** A cursor is the position of the last event of the page before. */
function parseCursor(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw invalid(['cursor: must be the next_cursor of a page']);
  return Number(cursor);
}
