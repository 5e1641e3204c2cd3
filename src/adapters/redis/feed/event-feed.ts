import { randomUUID } from 'node:crypto';
import { invalid } from '../../../domain/errors.ts';
import { matchesFilter } from '../../../domain/feed-event.ts';
import type { SubjectEvent } from '../../../domain/subject-event.ts';
import { createFeedWindow } from '../../../lib/async/feed-window.ts';
import type { Clock } from '../../../ports/clock.ts';
import { type EventFeed, FEED_SIZE } from '../../../ports/storage/event-feed.ts';
import type { RedisClient } from '../client/client.ts';
import type { Connection } from '../client/connection.ts';
import { throwUnavailable, toStoreError } from '../client/errors.ts';
import type { Keys } from '../keys.ts';
import { createFeedOutbox } from './feed-outbox.ts';
import { followFeed, parseEvent } from './feed-poller.ts';

/** A feed that all replicas share, and what fills it. */
export interface RedisEventFeed extends EventFeed {
  /** Writes the events that were published since the last call. Called with every heartbeat; never rejects. */
  flush(client: RedisClient): Promise<void>;
}

/** After so many events that wait, they are written without waiting for the heartbeat. */
const FLUSH_EVERY = 2_000;

/** How many entries are read at a time. */
const READ_COUNT = 1_000;

/**
 * Creates the feed of a replica. Its own events reach its followers at once; they are written together with the
 * heartbeat, or earlier where there are many, and those of other replicas are read only while there are followers.
 */
export function createRedisEventFeed(
  keys: Keys,
  connection: Pick<Connection, 'run'>,
  clock: Pick<Clock, 'after'>,
): RedisEventFeed {
  const replicaId = randomUUID();
  const window = createFeedWindow<SubjectEvent>(FEED_SIZE);
  const outbox = createFeedOutbox(replicaId, keys.feed);
  const startPolling = followFeed({
    replicaId,
    key: keys.feed,
    connection,
    clock,
    window,
    readCount: READ_COUNT,
  });

  return {
    publish(event) {
      window.add(event);
      outbox.add(event);
      // Under heavy load the next heartbeat would come too late.
      if (outbox.size % FLUSH_EVERY === 0)
        void connection.run('EVALSHA', outbox.flush).catch(() => undefined);
    },
    flush: outbox.flush,
    follow() {
      const follower = window.follow();
      startPolling();
      return follower;
    },
    async list(filter, { limit, cursor }) {
      const events: SubjectEvent[] = [];
      let last = '';
      let from = cursor === undefined ? '+' : idBefore(cursor);
      // The stream is trimmed only roughly, so that it may be somewhat longer.
      for (let read = 0; read < FEED_SIZE; read += READ_COUNT) {
        const entries = await connection
          .run('EVALSHA', (client) => client.listFeed([keys.feed], [from, String(READ_COUNT)]))
          .catch((error: unknown) => throwUnavailable(toStoreError(error)));
        for (const { id, text } of entries) {
          const event = parseEvent(text);
          if (event === undefined || !matchesFilter(event, filter)) continue;
          if (events.length === limit) return { events, nextCursor: last };
          events.push(event);
          last = id;
        }
        const oldest = entries.at(-1);
        if (oldest === undefined || entries.length < READ_COUNT) break;
        from = idBefore(oldest.id);
      }
      return { events, nextCursor: null };
    },
  };
}

/** The largest number of an id. */
const MAX_NUMBER = (1n << 64n) - 1n;

/** The id just before one: the range commands of Redis before 6.2 know no exclusive ends. */
function idBefore(id: string): string {
  const [, ms = '', number = ''] = /^(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
  if (ms === '') throw invalid(['cursor: must be the next_cursor of a page']);
  if (number !== '0') return `${ms}-${BigInt(number) - 1n}`;
  return ms === '0' ? '0-0' : `${BigInt(ms) - 1n}-${MAX_NUMBER}`;
}
