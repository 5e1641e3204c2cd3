import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SubjectEvent } from '../../../src/domain/subject-event.ts';
import type { FeedFollower } from '../../../src/ports/storage/event-feed.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, quickTimes, until } from '../../support/redis/stores.ts';

let server: RedisServer;
const stores = createStoresFactory();

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

const event = (seq: number, id = 'w'): SubjectEvent => ({
  ...{ seq, type: 'workflow.created', at: seq, subject: { kind: 'workflow', id }, data: { name: 'n' } },
});

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

async function twoReplicas() {
  const first = await stores.make(server.url, quickTimes);
  const second = await stores.make(server.url, { ...quickTimes, prefix: first.prefix });
  return { first: first.adapters.feed, second: second.adapters.feed, prefix: first.prefix };
}

test('replicas share the newest events, in pages', async () => {
  const { first, second } = await twoReplicas();
  for (let seq = 1; seq <= 1_200; seq++) first.publish(event(seq, seq % 2 === 0 ? 'even' : 'odd'));
  await until('all are written', async () => (await second.list({}, { limit: 1 })).events[0]?.seq === 1_200);
  const seen: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await second.list({ workflowId: 'even' }, { limit: 200, cursor });
    seen.push(...page.events.map(({ seq }) => seq));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(Array.from({ length: 600 }, (_, index) => 1_200 - 2 * index));
  await expect(second.list({}, { limit: 1, cursor: 'x' })).rejects.toMatchObject({ code: 'validation' });
});

test('a follower gets local events at once, and those of other replicas once, soon', async () => {
  const { first, second } = await twoReplicas();
  first.publish(event(1));
  await until('it is written', async () => (await second.list({}, { limit: 1 })).events.length === 1);
  const follower = second.follow();
  const read = reader(follower);
  second.publish(event(2));
  expect(read()).toEqual([2]);
  // The follower begins at the newest event of the store.
  await new Promise((resolve) => setTimeout(resolve, 300));
  first.publish(event(3));
  await until('the other event arrives', () => read().includes(3), 5_000);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(read()).toEqual([2, 3]);
  follower.close();
});

test('many events between two heartbeats are written before some are lost', async () => {
  const { adapters, prefix } = await stores.make(server.url, { ...quickTimes, checkEveryMs: 60_000 });
  const { adapters: other } = await stores.make(server.url, { ...quickTimes, prefix });
  for (let seq = 1; seq <= 12_000; seq++) {
    adapters.feed.publish(event(seq));
    if (seq % 1_000 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await until('the last are written', async () => {
    const { events } = await other.feed.list({}, { limit: 1 });
    return (events[0]?.seq ?? 0) > 10_000;
  });
});

test('an outage loses only what does not fit, and says so', async () => {
  const { first, second, prefix } = await twoReplicas();
  const follower = second.follow();
  const read = reader(follower);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await server.kill();
  await expect(second.list({}, { limit: 1 })).rejects.toMatchObject({ code: 'unavailable' });
  for (let seq = 1; seq <= 12_000; seq++) first.publish(event(seq));
  await server.restart();
  await until('the newest event arrives', () => read().includes(12_000));
  const items = read();
  expect(items).toContain('gap');
  const kept = items.filter((item) => item !== 'gap');
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 12_000 - kept.length + index + 1));
  expect(kept.length).toBeGreaterThanOrEqual(5_000);
  expect(await server.keys(prefix)).toContain(`${prefix}events`);
  follower.close();
});
