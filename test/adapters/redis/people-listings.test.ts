import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { InboxItem } from '../../../src/domain/inbox/item.ts';
import { fitsInboxFilter, type InboxFilter } from '../../../src/domain/inbox/order.ts';
import { inOrder, mixedItems } from '../../contracts/inbox-store.ts';
import { at, claimed, sampleItem } from '../../contracts/inbox-store-samples.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory } from '../../support/redis/stores.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

describe('an inbox in Redis', () => {
  test('is listed over many batches, however many items have the same place', async () => {
    const { adapters } = await stores.make(server.url, { timeoutMs: 10_000 });
    const { inbox, conversations } = adapters.people;
    const ids = Array.from({ length: 700 }, (_, number) => `item-${1_000 + number}`);
    const ofCustomer = (id: string) => (id.endsWith('7') ? 'seven' : 'other');
    await Promise.all(ids.map((id) => inbox.create(sampleItem(id, { customerId: ofCustomer(id) }))));
    const sevens = ids.filter((id) => id.endsWith('7'));
    const { items } = await inbox.list({ customerId: 'seven' }, { limit: 200 });
    expect(items.map(({ itemId }) => itemId)).toEqual(sevens);
    const seen: string[] = [];
    for (let page = await inbox.list({}, { limit: 150 }); ; ) {
      seen.push(...page.items.map(({ itemId }) => itemId));
      if (page.next === null) break;
      page = await inbox.list({}, { limit: 150, after: page.next });
    }
    expect(seen).toEqual(ids);
    await Promise.all(ids.map((id) => conversations.enter(id, ofCustomer(id), at(0))));
    expect((await conversations.ofCustomer('seven')).toSorted()).toEqual(sevens);
  });

  const narrow: readonly InboxFilter[] = [
    ...([{ statuses: ['open'] }, { statuses: ['claimed'] }, { statuses: ['open', 'claimed'] }] as const),
    ...([{ assignee: 'ann' }, { assignee: 'zoe' }, { kinds: ['approval'] }] as const),
    ...([{ overdue: true }, { overdue: false }, { priorities: [5, 2] }] as const),
    ...[{ kinds: [] }, { priorities: [], overdue: true }],
    { kinds: ['draft', 'escalation'], assignee: 'bob', priorities: [1, 2, 3] },
    { kinds: ['draft', 'escalation', 'recovery'], overdue: false, priorities: [1, 4] },
  ];

  test.each(narrow)('is listed in order and in pages, among items that wait or all: %j', async (filter) => {
    const { adapters } = await stores.make(server.url);
    const { inbox } = adapters.people;
    await Promise.all(mixedItems.map((item) => inbox.create(item)));
    for (const statuses of [['open', 'claimed'], undefined, ['claimed', 'expired']] as const) {
      const shown = { statuses, ...filter };
      const fitting = inOrder(mixedItems.filter((item) => fitsInboxFilter(item, shown)));
      expect((await inbox.list(shown, { limit: 200 })).items).toEqual(fitting);
      const seen: InboxItem[] = [];
      for (let page = await inbox.list(shown, { limit: 3 }); ; ) {
        seen.push(...page.items);
        if (page.next === null) break;
        page = await inbox.list(shown, { limit: 3, after: page.next });
      }
      expect(seen).toEqual(fitting);
    }
  });

  test('is found fast where very many others wait: in one command, not one for each batch', async () => {
    const { adapters } = await stores.make(server.url, { timeoutMs: 10_000 });
    const { inbox } = adapters.people;
    const many = Array.from({ length: 1_000 }, (_, number) => sampleItem(`item-${number}`));
    await Promise.all(many.map((item) => inbox.create(item)));
    await inbox.create(sampleItem('approval', { kind: 'approval', priority: 5 }));
    await inbox.create(sampleItem('late', { isOverdue: true }));
    await inbox.create({ ...claimed(sampleItem('mine', { priority: 3 }), 'bob'), version: 1 });
    const waiting = { statuses: ['open', 'claimed'] } as const;
    const filters: readonly InboxFilter[] = [
      ...([{ kinds: ['approval'] }, { assignee: 'bob' }, { overdue: true, priorities: [4] }] as const),
      ...([{ priorities: [3], overdue: false }, { statuses: ['claimed'] }] as const),
    ];
    await server.command('CONFIG', 'RESETSTAT');
    for (const filter of filters) {
      const { items } = await inbox.list({ ...waiting, ...filter }, { limit: 50 });
      expect(items).toHaveLength(1);
    }
    const stats = String(await server.command('INFO', 'commandstats'));
    const reads = Number(/cmdstat_hmget:calls=(\d+)/.exec(stats)?.[1]);
    expect(reads).toBeLessThan(20);
  });

  test('is listed in parts where the items are large', async () => {
    const { adapters } = await stores.make(server.url, { timeoutMs: 10_000 });
    const { inbox } = adapters.people;
    const payload = { text: 'x'.repeat(300_000) };
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    for (const id of ids) await inbox.create(sampleItem(id, { payload }));
    const { items, next } = await inbox.list({}, { limit: 8 });
    expect(items.map(({ itemId }) => itemId)).toEqual(ids.slice(0, 8));
    expect(next).toMatchObject({ itemId: 'h' });
    const rest = await inbox.list({}, { limit: 8, after: next ?? undefined });
    expect(rest).toMatchObject({ items: [{ itemId: 'i' }], next: null });
  });
});
