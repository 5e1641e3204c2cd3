import type { SubjectEvent } from '../../../domain/subject-event.ts';
import { FEED_SIZE } from '../../../ports/storage/event-feed.ts';
import type { RedisClient } from '../client/client.ts';
import { toStoreError } from '../client/errors.ts';

/** The events of this replica that wait to be written. */
export interface FeedOutbox {
  /** Number of events that wait. */
  readonly size: number;
  /** Adds an event. Of more than 10,000 the oldest are lost. */
  add(event: SubjectEvent): void;
  /** Writes all events in one round trip for each 500. Never rejects. */
  flush(client: RedisClient): Promise<void>;
}

/** Events of one command: few enough that it does not hold up the store. */
const BATCH_SIZE = 500;

/** The entry that says that events were lost. */
const GAP = '';

/** Creates an empty outbox that writes to the stream `key`. */
export function createFeedOutbox(replicaId: string, key: string): FeedOutbox {
  let waiting: SubjectEvent[] = [];
  let hasLost = false;
  let isFlushing = false;

  /** Drops the older half at once, because dropping single events from the front of a list is slow. */
  function limit(): void {
    if (waiting.length < FEED_SIZE) return;
    waiting = waiting.slice(-FEED_SIZE / 2);
    hasLost = true;
  }

  async function write(client: RedisClient, batch: readonly SubjectEvent[]): Promise<void> {
    const texts = [...(hasLost ? [GAP] : []), ...batch.map((event) => JSON.stringify(event))];
    const hadLost = hasLost;
    hasLost = false;
    try {
      await client.appendFeed([key], [replicaId, String(FEED_SIZE), ...texts]);
    } catch (error) {
      // Only an error reply tells that nothing was written. Else the events may be there: to write them again would
      // double them.
      const isUnwritten = toStoreError(error).kind === 'reply';
      if (isUnwritten) waiting = [...batch, ...waiting];
      if (!isUnwritten || hadLost) hasLost = true;
      limit();
      throw error;
    }
  }

  return {
    get size() {
      return waiting.length;
    },
    add(event) {
      waiting.push(event);
      limit();
    },
    async flush(client) {
      if (isFlushing) return;
      isFlushing = true;
      try {
        while (waiting.length > 0 || hasLost) await write(client, waiting.splice(0, BATCH_SIZE));
      } catch {
        // The connection reports the outage; the next heartbeat tries again.
      } finally {
        isFlushing = false;
      }
    },
  };
}
