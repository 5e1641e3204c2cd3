import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RedisAdaptersOptions } from '../../../src/adapters/redis/adapters.ts';
import type { InboxItem } from '../../../src/domain/inbox/item.ts';
import {
  at,
  claimed,
  handled,
  replyTo,
  resolved,
  sampleExample,
  sampleItem,
} from '../../contracts/inbox-store-samples.ts';
import { createRedisEngine } from '../../support/redis/engine.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, until } from '../../support/redis/stores.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

/** Two replicas that share their records. */
async function makeReplicas(options: Partial<RedisAdaptersOptions> = {}) {
  const one = await stores.make(server.url, options);
  const two = await stores.make(server.url, { ...options, prefix: one.prefix });
  return { one, two, prefix: one.prefix };
}

const ofService = (key: string) => key.endsWith('replicas') || key.endsWith('processes');
const numberOf = async (...command: readonly string[]) => Number(await server.command(...command));

/** The keys of records, without those of the replicas. */
async function recordKeys(prefix: string): Promise<string[]> {
  const keys = await server.keys(prefix);
  return keys.map((key) => key.slice(prefix.length)).filter((key) => !ofService(key));
}

const claim = { assignee: 'ann', claimedUntil: at(3_600_000) };

describe('an inbox that replicas share', () => {
  test('gives each of 1,000 items to exactly one of 50 callers in two replicas', async () => {
    const { one, two } = await makeReplicas({ timeoutMs: 10_000 });
    const inboxes = [one.adapters.people.inbox, two.adapters.people.inbox] as const;
    const items = Array.from({ length: 1_000 }, (_, number) => sampleItem(`item-${1_000 + number}`));
    await Promise.all(items.map((item) => inboxes[0].create(item)));
    const given: string[] = [];
    const callers = Array.from({ length: 50 }, async (_, number) => {
      for (;;) {
        const item = await inboxes[number % 2 === 0 ? 0 : 1].claimNext({ ...claim, assignee: `${number}` });
        if (item === undefined) return;
        expect(item).toMatchObject({ assignee: `${number}`, version: 2, lastSeq: 2 });
        given.push(item.itemId);
      }
    });
    await Promise.all(callers);
    expect(given.toSorted()).toEqual(items.map(({ itemId }) => itemId));
    expect((await inboxes[1].counts()).waiting.escalation).toEqual({ open: 0, claimed: 1_000 });
  });

  test('lets one of many callers in two replicas resolve an item, while others claim it', async () => {
    const { one, two } = await makeReplicas({ timeoutMs: 10_000 });
    const engines = [createRedisEngine(one), createRedisEngine(two)] as const;
    const { conversations, inbox: items, examples } = one.adapters.people;
    for (let round = 0; round < 10; round++) {
      const id = `trace-${round}`;
      await conversations.enter('c-1', 'customer-1', at(0));
      const { item, ...message } = handled(id, 'c-1', { withItem: true });
      await conversations.record({ ...message, item });
      const itemId = `item-of-${id}`;
      const callers = Array.from({ length: 20 }, (_, number) => {
        const { inbox } = engines[number % 2 === 0 ? 0 : 1];
        if (number % 5 === 0) return inbox?.claim(itemId, `by-${number}`);
        return inbox?.resolve(itemId, {
          ...{ outcome: 'answered', by: `by-${number}`, response: `Reply ${number}`, intent: 'refund' },
        });
      });
      const outcomes = await Promise.allSettled(callers);
      const stored = await items.get(itemId);
      const isWon = (outcome: PromiseSettledResult<InboxItem | undefined>) =>
        outcome.status === 'fulfilled' && outcome.value?.status === 'resolved';
      // A claim by somebody else may be first: then all decisions are rejected.
      const winners = outcomes.flatMap((outcome, number) => (isWon(outcome) ? [number] : []));
      expect(winners).toHaveLength(stored?.status === 'resolved' ? 1 : 0);
      const replies = (await conversations.get('c-1'))?.entries.filter(
        ({ from, traceId }) => from === 'person' && traceId === id,
      );
      expect(replies?.map(({ text }) => text)).toEqual(winners.map((number) => `Reply ${number}`));
      const { proposed } = await examples.counts('inbox');
      expect(proposed).toBe((await examples.list('inbox', {}, { limit: 99 })).examples.length);
      const lost = outcomes.filter(({ status }) => status === 'rejected');
      for (const outcome of lost) expect(outcome).toMatchObject({ reason: { code: 'conflict' } });
      await conversations.delete('c-1');
    }
  });

  test('shows in one replica what another one has stored', async () => {
    const { one, two } = await makeReplicas();
    const { conversations, inbox } = one.adapters.people;
    const other = two.adapters.people;
    await conversations.enter('c-1', 'customer-1', at(0));
    expect(await other.conversations.enter('c-1', 'customer-2', at(0))).toBeUndefined();
    const message = handled('trace-1', 'c-1', { withItem: true });
    await conversations.record(message);
    const { itemId } = message.item ?? sampleItem('');
    const item = (await other.inbox.get(itemId)) ?? sampleItem('');
    const example = sampleExample(itemId);
    const update = { item: resolved(item), expectedVersion: 1, reply: replyTo(item), example };
    expect(await other.inbox.update(update)).toBe(true);
    expect(await inbox.update({ item: claimed(item), expectedVersion: 1 })).toBe(false);
    expect((await conversations.get('c-1'))?.entries).toHaveLength(3);
    expect(await one.adapters.people.examples.get('inbox', itemId)).toEqual(example);
    expect(await other.traces.get('trace-1')).toEqual(message.trace);
  });

  test('takes no further item while too many wait, but the items of messages', async () => {
    const { adapters } = await stores.make(server.url, { maxWaitingItems: 3 });
    const { inbox, conversations } = adapters.people;
    for (const id of ['a', 'b', 'c']) await inbox.create(sampleItem(id));
    const full = { code: 'unavailable', message: 'the inbox is full: 3 items wait' };
    await expect(inbox.create(sampleItem('d'))).rejects.toMatchObject(full);
    expect(await inbox.get('d')).toBeUndefined();
    await inbox.create(sampleItem('a'));
    await conversations.record(handled('trace-1', null, { withItem: true }));
    expect(await inbox.get('item-of-trace-1')).toBeDefined();
    await inbox.update({ item: resolved(sampleItem('a')), expectedVersion: 1 });
    await expect(inbox.create(sampleItem('d'))).rejects.toMatchObject(full);
    await inbox.update({ item: resolved(sampleItem('b')), expectedVersion: 1 });
    await inbox.create(sampleItem('d'));
  });
});

describe('what is stored of people', () => {
  test('has no text of a user in its keys', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const { conversations, inbox } = adapters.people;
    await conversations.enter('zq-conversation', 'zq-customer', at(0));
    const message = handled('trace-1', 'zq-conversation', { withItem: true, customerId: 'zq-customer' });
    await conversations.record(message);
    const item = message.item ?? sampleItem('');
    const example = sampleExample(item.itemId, { customerId: 'zq-customer' });
    await inbox.update({ item: resolved(item), expectedVersion: 1, reply: replyTo(item), example });
    const keys = await recordKeys(prefix);
    expect(keys).toHaveLength(10);
    expect(keys.filter((key) => key.includes('zq'))).toEqual([]);
  });

  test('leaves no key of a conversation that is deleted, or that loses its last entry', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const { conversations } = adapters.people;
    for (const id of ['a', 'b']) {
      await conversations.enter(id, 'customer-1', at(0));
      await conversations.record(handled(`trace-${id}`, id));
    }
    await conversations.delete('a');
    await conversations.removeEntries('b', 'trace-b');
    expect(await recordKeys(prefix)).toEqual(['index:traces', 'traces:trace-a', 'traces:trace-b']);
  });

  test('adds nothing to a trace without an item and a conversation', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    await adapters.people.traces.put(handled('trace-1', null).trace);
    expect(await recordKeys(prefix)).toEqual(['index:traces', 'traces:trace-1']);
  });

  test('expires with the traces: conversations after their last change, items after their end', async () => {
    const { adapters, prefix } = await stores.make(server.url, { traceRetentionMs: 1_500 });
    const { conversations, inbox, examples } = adapters.people;
    await conversations.enter('c-1', 'customer-1', at(0));
    const message = handled('trace-1', 'c-1', { withItem: true });
    await conversations.record(message);
    await inbox.create(sampleItem('waits'));
    const item = message.item ?? sampleItem('');
    const ended = resolved(item, new Date().toISOString());
    const example = sampleExample(item.itemId);
    await inbox.update({ item: ended, expectedVersion: 1, reply: replyTo(item), example });
    expect(await conversations.get('c-1')).toBeDefined();
    expect(await inbox.get(item.itemId)).toEqual(ended);
    await until('the item and the conversation are gone', async () => {
      const isGone = (await inbox.get(item.itemId)) === undefined;
      return isGone && (await conversations.get('c-1')) === undefined;
    });
    await until('its id is removed, without a listing', async () => {
      await inbox.due(Date.now(), 10);
      return (await numberOf('ZCARD', `${prefix}index:item`)) === 1;
    });
    expect((await inbox.list({}, { limit: 9 })).items).toEqual([sampleItem('waits')]);
    expect(await conversations.ofCustomer('customer-1')).toEqual([]);
    expect(await examples.get('inbox', item.itemId)).toEqual(example);
    await until('nothing else is left', async () => (await recordKeys(prefix)).length === 6);
    expect(await recordKeys(prefix)).toEqual([
      ...['example:inbox', 'index:example:all:inbox', 'index:example:proposed:inbox'],
      ...['index:item', 'index:item:open:escalation', 'item:waits'],
    ]);
    expect(await numberOf('PTTL', `${prefix}item:waits`)).toBe(-1);
  });

  test('lives on with each change of a conversation, and when a message enters it shortly before its end', async () => {
    const { adapters, prefix } = await stores.make(server.url, { traceRetentionMs: 2_000 });
    const { conversations } = adapters.people;
    await conversations.enter('c-1', 'customer-1', at(0));
    await conversations.record(handled('trace-1', 'c-1'));
    for (const times of [1, 2, 3]) {
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      await conversations.enter('c-1', 'customer-1', at(times));
    }
    expect((await conversations.get('c-1'))?.entries).toHaveLength(2);
    expect(await conversations.ofCustomer('customer-1')).toEqual(['c-1']);
    const keys = (await server.keys(prefix)).filter((key) => key.includes('conversation'));
    for (const key of keys) expect(await numberOf('PTTL', key)).toBeGreaterThan(0);
  });

  test('counts as absent where its record is gone, and its ids are removed when they are met', async () => {
    const { adapters, prefix } = await stores.make(server.url);
    const { inbox, conversations } = adapters.people;
    const ids = ['a', 'b', 'c', 'd'];
    for (const id of ids) await inbox.create(sampleItem(id, { dueAt: at(1) }));
    for (const id of ['a', 'b', 'c']) await server.command('DEL', `${prefix}item:${id}`);
    await server.command('SET', `${prefix}item:a`, 'another program');
    expect((await inbox.due(Date.now(), 2)).map(({ itemId }) => itemId)).toEqual(['d']);
    expect(await inbox.get('a')).toBeUndefined();
    expect(await inbox.claimNext(claim)).toMatchObject({ itemId: 'd' });
    expect(await inbox.claimNext(claim)).toBeUndefined();
    expect(await inbox.list({}, { limit: 1 })).toMatchObject({ items: [{ itemId: 'd' }], next: null });
    expect(await numberOf('ZCARD', `${prefix}index:item`)).toBe(1);
    expect((await inbox.counts()).waiting.escalation).toEqual({ open: 0, claimed: 1 });

    for (const id of ids) await conversations.enter(id, 'customer-1', at(0));
    const [first = ''] = (await server.keys(`${prefix}conversation:`)).filter(
      (key) => !key.endsWith('entries'),
    );
    await server.command('DEL', first);
    expect(await conversations.ofCustomer('customer-1')).toHaveLength(3);
    expect(await numberOf('ZCARD', `${prefix}index:conversation`)).toBe(3);
  });
});
