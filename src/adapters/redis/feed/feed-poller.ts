import type { SubjectEvent } from '../../../domain/subject-event.ts';
import type { FeedWindow } from '../../../lib/async/feed-window.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Connection } from '../client/connection.ts';
import { parseStored } from '../client/stored-json.ts';
import type { FeedEntries } from './feed-scripts.ts';

/** Options of {@link followFeed}. */
export interface FollowOptions {
  /** Entries of this replica are skipped: its followers have them already. */
  readonly replicaId: string;
  readonly key: string;
  readonly connection: Pick<Connection, 'run'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly window: FeedWindow<SubjectEvent>;
  /** How many entries are read at a time. */
  readonly readCount: number;
}

/** Milliseconds between two reads. */
const POLL_MS = 500;

/**
 * Returns a function that starts to add the events of other replicas to the window. It reads from the newest entry on, and
 * stops when there are no more followers.
 */
export function followFeed(options: FollowOptions): () => void {
  const { replicaId, key, connection, clock, window, readCount } = options;
  let isPolling = false;
  let lastId: string | undefined;
  let hasMissed = false;

  async function start(): Promise<void> {
    const [newest] = await connection.run('EVALSHA', (client) => client.listFeed([key], ['+', '1']));
    lastId = newest?.id ?? '0-0';
    if (hasMissed) window.add('gap');
    hasMissed = false;
  }

  function add({ oldestId, entries }: FeedEntries, after: string): void {
    // The oldest entry is a newer one: those between were trimmed before they were read.
    if (after !== '0-0' && oldestId !== '' && compareIds(oldestId, after) > 0) window.add('gap');
    for (const entry of entries) {
      lastId = entry.id;
      if (entry.replicaId !== replicaId) window.add(parseEvent(entry.text) ?? 'gap');
    }
  }

  async function readNews(after: string): Promise<void> {
    const values = [after, String(readCount)];
    const news = await connection.run('EVALSHA', (client) => client.readFeed([key], values));
    add(news, after);
    if (news.entries.length === readCount && lastId !== undefined) await readNews(lastId);
  }

  async function poll(): Promise<void> {
    if (window.followers === 0) {
      isPolling = false;
      lastId = undefined;
      hasMissed = false;
      return;
    }
    try {
      if (lastId === undefined) await start();
      else await readNews(lastId);
    } catch {
      // The connection reports the outage. A replica that knows no entry yet cannot tell what it missed.
      hasMissed ||= lastId === undefined;
    }
    clock.after(POLL_MS, () => void poll());
  }

  return () => {
    if (isPolling) return;
    isPolling = true;
    void poll();
  };
}

/** The event of an entry; undefined where events were lost, and for what another program wrote. */
export function parseEvent(text: string): SubjectEvent | undefined {
  return parseStored<SubjectEvent>(text, [], ({ seq, subject }) => seq > 0 && typeof subject === 'object');
}

/** Compares two ids of a stream: below 0, 0 or above 0. */
function compareIds(one: string, other: string): number {
  const [oneMs = 0, oneNumber = 0] = one.split('-').map(Number);
  const [otherMs = 0, otherNumber = 0] = other.split('-').map(Number);
  return oneMs - otherMs || oneNumber - otherNumber;
}
