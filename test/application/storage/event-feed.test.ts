import { expect, test } from 'vitest';
import { createEventFeed, feedTable } from '../../../src/application/storage/event-feed.ts';
import type { SubjectEvent } from '../../../src/domain/subject-event.ts';
import type { EventFeed, FeedFollower } from '../../../src/ports/storage/event-feed.ts';
import type { Store } from '../../../src/ports/storage/store.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { sharedParts, storageParts } from '../../support/storage.ts';

function event(seq: number, id = 'w'): SubjectEvent {
  const subject = { kind: 'workflow', id } as const;
  return { seq, type: 'workflow.created', at: seq, subject, data: { name: 'n' } };
}

/** Two processes that share a feed. */
function twoProcesses() {
  const clock = createFakeClock();
  const [one, other] = sharedParts(2, clock);
  if (one === undefined || other === undefined) throw new Error('there are two');
  return {
    clock,
    stores: { one: one.store, other: other.store },
    one: createEventFeed({ ...one, processId: 'one' }),
    other: createEventFeed({ ...other, processId: 'other' }),
  };
}

/** Reads all that is new. */
function reader(follower: FeedFollower) {
  const items: (number | 'gap')[] = [];
  let position = follower.position();
  return () => {
    const news = follower.read(position, 20_000);
    position = news.position;
    items.push(...news.items.map((item) => (item === 'gap' ? item : item.seq)));
    return items;
  };
}

async function listAll(feed: EventFeed, limit: number, workflowId?: string): Promise<number[]> {
  const seen: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await feed.list({ workflowId }, { limit, cursor });
    expect(page.events.length).toBeLessThanOrEqual(limit);
    seen.push(...page.events.map(({ seq }) => seq));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return seen;
}

async function storedEvents(store: Store): Promise<number[]> {
  const rows = await store.range(feedTable, { limit: 100_000 });
  return rows.flatMap(({ row }) => row.events.map(({ seq }) => seq));
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('processes share the newest events, in pages and by filters', async () => {
  const { clock, one, other } = twoProcesses();
  for (let seq = 1; seq <= 1_200; seq++) one.publish(event(seq, seq % 2 === 0 ? 'even' : 'odd'));
  await clock.advance(1_000);
  const even = numbers(1, 600).map((index) => 2 * index);
  for (const limit of [200, 33, 7]) expect(await listAll(other, limit, 'even')).toEqual(even.toReversed());
  expect(await listAll(other, 150)).toEqual(numbers(1, 1_200).toReversed());
  expect(await other.list({ workflowId: 'none' }, { limit: 9 })).toEqual({ events: [], nextCursor: null });
});

test('pages are complete while events are added and the oldest are removed', async () => {
  const { clock, one, other } = twoProcesses();
  for (let seq = 1; seq <= 300; seq++) one.publish(event(seq));
  const first = await one.list({}, { limit: 100 });
  for (let seq = 301; seq <= 500; seq++) other.publish(event(seq));
  await clock.advance(1_000);
  const second = await one.list({}, { limit: 100, cursor: first.nextCursor ?? '' });
  expect(first.events.map(({ seq }) => seq)).toEqual(numbers(201, 300).toReversed());
  expect(second.events.map(({ seq }) => seq)).toEqual(numbers(101, 200).toReversed());
});

test.each(['', 'x', '1', '1.', '1.2.3', '-1.0', '1.9999', '99999999999999999.0'])(
  'a cursor that no page gave is rejected: %j',
  async (cursor) => {
    const { one } = twoProcesses();
    await expect(one.list({}, { limit: 1, cursor })).rejects.toMatchObject({ code: 'validation' });
  },
);

test('a process lists its own events at once', async () => {
  const { one } = twoProcesses();
  expect(await one.list({}, { limit: 5 })).toEqual({ events: [], nextCursor: null });
  one.publish(event(1));
  expect(await one.list({}, { limit: 5 })).toEqual({ events: [event(1)], nextCursor: null });
});

test('a follower gets events of its process at once, and those of others once, within two seconds', async () => {
  const { clock, one, other } = twoProcesses();
  one.publish(event(1));
  await clock.advance(1_000);
  const follower = other.follow();
  const read = reader(follower);
  other.publish(event(2));
  expect(read()).toEqual([2]);
  await settle();
  one.publish(event(3));
  const changed = follower.changed(follower.position(), new AbortController().signal);
  await clock.advance(2_000);
  await changed;
  expect(read()).toEqual([2, 3]);
  await clock.advance(5_000);
  expect(read()).toEqual([2, 3]);
  follower.close();
});

test('a follower gets events whose row is seen after one with a greater position, once and also late', async () => {
  const clock = createFakeClock();
  const [late, quick, other] = sharedParts(3, clock);
  if (late === undefined || quick === undefined || other === undefined) throw new Error('there are three');
  const hidden = new Set<string>();
  // As a database does whose rows get their positions before they are committed.
  const range: Store['range'] = async (table, request) => {
    const rows = await other.store.range(table, { ...request, limit: 1_000 });
    return rows.filter(({ id }) => !hidden.has(id)).slice(0, request.limit);
  };
  const feeds = [late, quick].map((parts, index) => createEventFeed({ ...parts, processId: `${index}` }));
  const follower = createEventFeed({
    ...other,
    store: { ...other.store, range },
    processId: 'other',
  }).follow();
  const read = reader(follower);
  await clock.advance(1_000);
  hidden.add('1 0');
  hidden.add('2 0');
  for (const [index, feed] of feeds.entries()) feed.publish(event(index + 1));
  await clock.advance(2_000);
  expect(read()).toEqual([2]);
  hidden.delete('1 0');
  await clock.advance(1_000);
  expect(read()).toEqual([2, 1]);
  feeds[0]?.publish(event(3));
  feeds[1]?.publish(event(4));
  await clock.advance(3_000);
  hidden.clear();
  await clock.advance(20_000);
  expect(read()).toEqual([2, 1, 4, 3]);
  follower.close();
});

test('a follower gets what was written before it began and is seen only then', async () => {
  const clock = createFakeClock();
  const [one, other] = sharedParts(2, clock);
  if (one === undefined || other === undefined) throw new Error('there are two');
  const hidden = new Set(['2 one']);
  const range: Store['range'] = async (table, request) => {
    const rows = await other.store.range(table, { ...request, limit: 1_000 });
    return rows.filter(({ id }) => !hidden.has(id)).slice(0, request.limit);
  };
  const feed = createEventFeed({ ...one, processId: 'one' });
  for (let seq = 1; seq <= 3; seq++) {
    feed.publish(event(seq));
    await clock.advance(1_000);
  }
  const follower = createEventFeed({
    ...other,
    store: { ...other.store, range },
    processId: 'other',
  }).follow();
  const read = reader(follower);
  await clock.advance(2_000);
  expect(read()).toEqual([]);
  hidden.clear();
  await clock.advance(2_000);
  expect(read()).toEqual([2]);
  follower.close();
});

test('a follower that looks behind reads each event once, also in a full feed', async () => {
  const { clock, one, other } = twoProcesses();
  const follower = other.follow();
  const read = reader(follower);
  await clock.advance(1_000);
  const until = 40_000;
  for (let seq = 1; seq <= until; seq++) {
    one.publish(event(seq));
    if (seq % 1_000 === 0) await clock.advance(1_000);
    if (seq % 1_000 === 0) read();
  }
  await clock.advance(10_000);
  expect(read()).toEqual(numbers(1, until));
  follower.close();
});

test('nothing is read while nobody follows, and no timer is left', async () => {
  const { clock, stores, one, other } = twoProcesses();
  one.publish(event(1));
  await clock.advance(5_000);
  expect([stores.other.ranges, clock.pending()]).toEqual([0, 0]);
  const followers = [other.follow(), other.follow()];
  await clock.advance(3_000);
  followers[0]?.close();
  await clock.advance(3_000);
  expect(clock.pending()).toBe(1);
  followers[1]?.close();
  await clock.advance(1_000);
  const { ranges } = stores.other;
  await clock.advance(10_000);
  expect([stores.other.ranges, clock.pending()]).toEqual([ranges, 0]);
});

test('the newest 10,000 events are kept, and not many more', async () => {
  const { clock, stores, one, other } = twoProcesses();
  for (let seq = 1; seq <= 30_000; seq += 2) {
    one.publish(event(seq));
    other.publish(event(seq + 1));
    if (seq % 1_001 === 0) await clock.advance(1_000);
  }
  await clock.advance(5_000);
  const stored = new Set(await storedEvents(stores.one));
  expect(numbers(20_001, 30_000).filter((seq) => !stored.has(seq))).toEqual([]);
  expect(stored.size).toBeLessThanOrEqual(20_000);
});

test('processes that write little each leave no more than all others', async () => {
  const clock = createFakeClock();
  const processes = sharedParts(5, clock);
  for (const [index, parts] of processes.entries()) {
    const feed = createEventFeed({ ...parts, processId: `${index}` });
    for (let seq = 1; seq <= 4_000; seq++) feed.publish(event(index * 4_000 + seq));
    await feed.close();
  }
  const [{ store } = storageParts()] = processes;
  const stored = await storedEvents(store);
  expect(stored).toEqual(numbers(20_000 - stored.length + 1, 20_000));
  expect(stored.length).toBeLessThanOrEqual(10_000 + 5_000);
});

test('a follower that missed more than is kept is told by a gap', async () => {
  const { clock, stores, one, other } = twoProcesses();
  one.publish(event(1));
  await clock.advance(1_000);
  const follower = other.follow();
  const read = reader(follower);
  const ended = new AbortController();
  const reading = (async () => {
    while (!ended.signal.aborted) {
      await follower.changed(follower.position(), ended.signal);
      read();
    }
  })();
  await clock.advance(1_000);
  stores.other.leave();
  for (let seq = 2; seq <= 22_001; seq++) {
    one.publish(event(seq));
    if (seq % 1_000 === 0) await clock.advance(1_000);
  }
  await clock.advance(5_000);
  stores.other.comeBack();
  await clock.advance(2_000);
  ended.abort();
  await reading;
  const [first, ...kept] = read();
  expect(first).toBe('gap');
  expect(kept).toEqual(numbers(22_001 - kept.length + 1, 22_001));
  expect(kept.length).toBeGreaterThanOrEqual(10_000);
  follower.close();
});

test('a follower that began during an outage is told that it may have missed something', async () => {
  const { clock, stores, one, other } = twoProcesses();
  stores.other.leave();
  const follower = other.follow();
  const read = reader(follower);
  await clock.advance(2_000);
  one.publish(event(1));
  await clock.advance(2_000);
  stores.other.comeBack();
  await clock.advance(2_000);
  expect(read()).toEqual(['gap']);
  follower.close();
});

test('an outage loses only what does not fit, and says so', async () => {
  const { clock, stores, one, other } = twoProcesses();
  const follower = other.follow();
  const read = reader(follower);
  await clock.advance(2_000);
  stores.one.leave();
  await expect(one.list({}, { limit: 1 })).rejects.toMatchObject({ code: 'unavailable' });
  for (let seq = 1; seq <= 12_000; seq++) one.publish(event(seq));
  await clock.advance(3_000);
  stores.one.comeBack();
  await clock.advance(5_000);
  const items = read();
  expect(items[0]).toBe('gap');
  const kept = items.slice(1);
  expect(kept).toEqual(numbers(12_000 - kept.length + 1, 12_000));
  expect(kept.length).toBeGreaterThanOrEqual(5_000);
  follower.close();
});

test('events are stored once where the reply to a write was lost', async () => {
  const { clock, stores, one, other } = twoProcesses();
  const follower = other.follow();
  const read = reader(follower);
  await clock.advance(1_000);
  one.publish(event(1));
  stores.one.loseReply();
  await clock.advance(800);
  one.publish(event(2));
  await clock.advance(5_000);
  expect(await storedEvents(stores.one)).toEqual([1, 2]);
  expect(read()).toEqual([1, 2]);
  follower.close();
});

test('a feed that closes writes what waits, and leaves no timer', async () => {
  const { clock, one, other } = twoProcesses();
  other.follow();
  one.publish(event(1));
  await one.close();
  await other.close();
  await settle();
  expect(clock.pending()).toBe(0);
  expect(await listAll(other, 10)).toEqual([1]);
});
