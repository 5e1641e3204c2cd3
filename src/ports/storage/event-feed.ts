import type { FeedFilter } from '../../domain/feed-event.ts';
import type { SubjectEvent } from '../../domain/subject-event.ts';

/** The number of events that a feed keeps: the newest ones of all processes. */
export const FEED_SIZE = 10_000;

/** The part of the feed that a caller requests. */
export interface FeedRequest {
  /** Maximum number of events, 1 to 200. */
  readonly limit: number;
  /** The `nextCursor` of the page before; the newest events when absent. */
  readonly cursor?: string | undefined;
}

/** A part of the feed, newest first. */
export interface FeedPage {
  readonly events: readonly SubjectEvent[];
  /** Where the next page begins; null after the last one. */
  readonly nextCursor: string | null;
}

/** The events after a position. */
export interface FeedNews {
  /** In their order. A `gap` stands where events were lost. */
  readonly items: readonly (SubjectEvent | 'gap')[];
  /** The position of the last item. */
  readonly position: number;
}

/** Follows the feed from the time that it was created. Positions count within this process only. */
export interface FeedFollower {
  /** The position of the newest item now. */
  position(): number;
  /** At most `limit` items after a position; fewer than the newest 10,000 are never lost. */
  read(after: number, limit: number): FeedNews;
  /** Resolves once there is something after the position, or `signal` is aborted. Never rejects. */
  changed(after: number, signal: AbortSignal): Promise<void>;
  /** Ends the following. Must be called once. */
  close(): void;
}

/**
 * The events of the whole service: the newest 10,000 of all processes that share the store. It may lose events while
 * the store is away, and says so with a gap.
 */
export interface EventFeed {
  /** Adds an event. Returns at once and never throws: the event may reach the store a second later. */
  publish(event: SubjectEvent): void;
  /**
   * Events, newest first. Rejects with `validation` for a cursor that it did not give, and with `unavailable` when the
   * store cannot be reached.
   */
  list(filter: FeedFilter, request: FeedRequest): Promise<FeedPage>;
  /** Follows what happens from now on, in this process and, up to two seconds later, in the others. */
  follow(): FeedFollower;
}
