import { invalid } from '../../domain/errors.ts';
import { matchesFilter } from '../../domain/feed-event.ts';
import type { SubjectEvent } from '../../domain/subject-event.ts';
import { createFeedWindow, type FeedWindow } from '../../lib/async/feed-window.ts';
import type { Clock } from '../../ports/clock.ts';
import { type EventFeed, FEED_SIZE, type FeedPage } from '../../ports/storage/event-feed.ts';
import { type Place, remove, type Store, type Stored, type Table, write } from '../../ports/storage/store.ts';

/** Some events of one process, in their order. They share a row, because a row for each would cost far more. */
interface FeedRow {
  readonly process: string;
  /** True where events before these were lost. */
  readonly hasGap: boolean;
  readonly events: readonly SubjectEvent[];
}

/** The events, in the order of the positions of their rows. */
export const feedTable: Table<FeedRow> = {
  name: 'feed',
  texts: {},
  numbers: {},
  expiresAt: () => null,
};

/** The store and the process of a feed. */
interface FeedParts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  readonly processId: string;
}

/** Milliseconds after which events are written, and after which those of other processes are read. */
const WRITE_AFTER_MS = 750;
const READ_EVERY_MS = 1_000;

/** So many events that wait are written without waiting for longer. */
const WRITE_AT_ONCE = 2_000;

/** The most events of a row. */
const EVENTS_PER_ROW = 100;

/** Rows of one commit. */
const ROWS_PER_COMMIT = 5;

/** Rows of a page: half of what the feed has at least, so that followers can keep up. */
const ROWS_PER_PAGE = FEED_SIZE / EVENTS_PER_ROW / 2;

/**
 * A row may be seen so much later than one with a greater position, in milliseconds: a store may give positions before
 * it commits, and no commit takes longer.
 */
const BEHIND_MS = 5_000;

/** Rows that are known at the beginning: what is seen later among them is new. */
const ROWS_AT_BEGIN = 20;

/** After so many events that this process has written, it removes those that are too old. */
const TRIM_EVERY = FEED_SIZE / 2;

/**
 * Creates the feed of a process. Its own events reach its followers at once; those of other processes are read only
 * while there are followers.
 */
export function createEventFeed(parts: FeedParts): EventFeed & {
  /** Writes what waits, as far as the store is there, and ends what repeats. Never rejects. */
  close(): Promise<void>;
} {
  const { store } = parts;
  const window = createFeedWindow<SubjectEvent>(FEED_SIZE);
  const outbox = createOutbox(parts);
  const poller = createPoller(parts, window);

  return {
    publish(event) {
      window.add(event);
      outbox.add(event);
    },
    follow() {
      const follower = window.follow();
      poller.start();
      return follower;
    },
    async list(filter, { limit, cursor }) {
      await outbox.flush();
      const from = cursor === undefined ? undefined : parseCursor(cursor);
      const page: SubjectEvent[] = [];
      let next = '';
      for await (const row of newestFirst(store, from && { value: from.position + 1, id: '' })) {
        const end = row.position === from?.position ? from.index : row.row.events.length;
        for (let index = end - 1; index >= 0; index--) {
          const event = row.row.events[index];
          if (event === undefined || !matchesFilter(event, filter)) continue;
          if (page.length === limit) return { events: page, nextCursor: next } satisfies FeedPage;
          page.push(event);
          next = `${row.position}.${index}`;
        }
      }
      return { events: page, nextCursor: null };
    },
    async close() {
      poller.close();
      await outbox.close();
    },
  };
}

/** The place of the last event of the page before: the position of its row, and its index there. */
function parseCursor(cursor: string): { readonly position: number; readonly index: number } {
  const [, position = '', index = ''] = /^(\d{1,16})\.(\d{1,3})$/.exec(cursor) ?? [];
  if (position === '') throw invalid(['cursor: must be the next_cursor of a page']);
  return { position: Number(position), index: Number(index) };
}

/** The rows of the feed, from the newest one, or the one before a place, to the oldest. */
async function* newestFirst(store: Store, from: Place | undefined): AsyncGenerator<Stored<FeedRow>> {
  let after = from;
  let limit = 10;
  for (;;) {
    const rows = await store.range(feedTable, { descending: true, after, limit });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = { value: last.position, id: last.id };
    limit = Math.min(2 * limit, ROWS_PER_PAGE);
  }
}

/** A row that waits to be written. It changes no more once this was tried, so that it can be tried again. */
interface Batch {
  readonly id: string;
  readonly events: SubjectEvent[];
  hasGap: boolean;
  isTried: boolean;
}

/** The events of this process that wait to be written: of more than 10,000 the newest. */
function createOutbox({ store, clock, processId }: FeedParts) {
  let batches: Batch[] = [];
  let waiting = 0;
  let created = 0;
  // The first time it removes what processes have left that have written little.
  let writtenSinceTrim = TRIM_EVERY;
  let flushing: Promise<void> | undefined;
  let cancelWrite: (() => void) | undefined;
  let isClosed = false;

  function openBatch(): Batch {
    const last = batches.at(-1);
    if (last !== undefined && !last.isTried && last.events.length < EVENTS_PER_ROW) return last;
    const batch = { id: `${++created} ${processId}`, events: [], hasGap: false, isTried: false };
    batches.push(batch);
    return batch;
  }

  /** Drops the older half at once: a feed that is behind is of little use. */
  function makeRoom(): void {
    if (waiting <= FEED_SIZE) return;
    batches = batches.slice(Math.ceil(batches.length / 2));
    waiting = batches.reduce((sum, { events }) => sum + events.length, 0);
    for (const first of batches.slice(0, 1)) first.hasGap = true;
  }

  async function writeAll(): Promise<void> {
    cancelWrite?.();
    cancelWrite = undefined;
    while (batches.length > 0) {
      const rows = batches.slice(0, ROWS_PER_COMMIT);
      for (const batch of rows) batch.isTried = true;
      // Written again, a row stays as it is, where it is.
      await store.commit(
        rows.map(({ id, events, hasGap }) => write(feedTable, id, { process: processId, hasGap, events })),
      );
      batches = batches.filter((batch) => !rows.includes(batch));
      waiting = batches.reduce((sum, { events }) => sum + events.length, 0);
      writtenSinceTrim += rows.reduce((sum, { events }) => sum + events.length, 0);
    }
    if (writtenSinceTrim >= TRIM_EVERY) {
      writtenSinceTrim = 0;
      await trim(store);
    }
  }

  /** Never rejects: what could not be written is tried again. */
  function flush(): Promise<void> {
    flushing ??= writeAll()
      .catch(() => undefined)
      .finally(() => {
        flushing = undefined;
        writeLater();
      });
    return flushing;
  }

  function writeLater(): void {
    if (isClosed || batches.length === 0) return;
    cancelWrite ??= clock.after(WRITE_AFTER_MS, () => void flush());
  }

  return {
    add(event: SubjectEvent): void {
      openBatch().events.push(event);
      waiting += 1;
      makeRoom();
      if (waiting % WRITE_AT_ONCE === 0) void flush();
      else writeLater();
    },
    flush,
    async close(): Promise<void> {
      isClosed = true;
      cancelWrite?.();
      await flush();
    },
  };
}

/** Removes all rows but those of the newest 10,000 events. */
async function trim(store: Store): Promise<void> {
  let kept = 0;
  let removed: string[] = [];
  for await (const { id, row } of newestFirst(store, undefined)) {
    if (kept >= FEED_SIZE) removed.push(id);
    kept += row.events.length;
    if (removed.length < ROWS_PER_PAGE) continue;
    await store.commit(removed.map((old) => remove(feedTable, old)));
    removed = [];
  }
  if (removed.length > 0) await store.commit(removed.map((old) => remove(feedTable, old)));
}

/** Adds the events of other processes to the window, from the newest row on, while there are followers. */
function createPoller({ store, clock, processId }: FeedParts, window: FeedWindow<SubjectEvent>) {
  let isPolling = false;
  let cancelPoll: (() => void) | undefined;
  let isClosed = false;
  /** Rows are read after this position: no row up to it is still to come. Undefined before the first one is known. */
  let settled: number | undefined;
  /** When the rows after it were seen first, by their positions. */
  const seen = new Map<number, number>();
  let newest = 0;
  let hasMissed = false;

  /** Notes that a row was seen. Returns false for one that was seen before. */
  function see(position: number): boolean {
    if (seen.has(position)) return false;
    seen.set(position, clock.monotonic());
    newest = Math.max(newest, position);
    return true;
  }

  /** Goes on behind the rows that were seen before a time. */
  function settle(until: number): void {
    for (const [position, at] of seen) if (at <= until) settled = Math.max(settled ?? 0, position);
    for (const position of seen.keys()) if (position <= (settled ?? 0)) seen.delete(position);
  }

  async function begin(): Promise<void> {
    const rows = await store.range(feedTable, { descending: true, limit: ROWS_AT_BEGIN });
    const oldest = rows.length === ROWS_AT_BEGIN ? rows.at(-1) : undefined;
    for (const { position } of rows) see(position);
    settled = oldest?.position ?? 0;
    if (hasMissed) window.add('gap');
    hasMissed = false;
  }

  async function readNews(after: number): Promise<void> {
    const rows = await store.range(feedTable, { after: { value: after, id: '' }, limit: ROWS_PER_PAGE });
    // Rows that were not read can be removed only where a full page is left.
    const last = rows.length === ROWS_PER_PAGE ? rows.at(-1) : undefined;
    if (last !== undefined && newest > 0 && last.position > newest) {
      const [oldest] = await store.range(feedTable, { limit: 1 });
      if (oldest !== undefined && oldest.position > newest) window.add('gap');
    }
    for (const { position, row } of rows) {
      if (!see(position) || row.process === processId) continue;
      if (row.hasGap) window.add('gap');
      for (const event of row.events) window.add(event);
    }
    if (last !== undefined) await readNews(last.position);
  }

  async function poll(): Promise<void> {
    cancelPoll = undefined;
    if (window.followers === 0 || isClosed) {
      isPolling = false;
      settled = undefined;
      seen.clear();
      newest = 0;
      hasMissed = false;
      return;
    }
    try {
      const startedAt = clock.monotonic();
      if (settled === undefined) {
        await begin();
      } else {
        await readNews(settled);
        settle(startedAt - BEHIND_MS);
      }
    } catch {
      // A process that knows no row yet cannot tell what it missed.
      hasMissed ||= settled === undefined;
    }
    if (!isClosed) cancelPoll = clock.after(READ_EVERY_MS, () => void poll());
  }

  return {
    start(): void {
      if (isPolling || isClosed) return;
      isPolling = true;
      void poll();
    },
    close(): void {
      isClosed = true;
      cancelPoll?.();
    },
  };
}
