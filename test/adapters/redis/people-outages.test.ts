import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RedisAdapters } from '../../../src/adapters/redis/adapters.ts';
import {
  at,
  claimed,
  handled,
  replyTo,
  resolved,
  sampleExample,
  sampleItem,
} from '../../contracts/inbox-store-samples.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory, until } from '../../support/redis/stores.ts';
import { startTcpProxy, type TcpProxy } from '../../support/redis/tcp-proxy.ts';

const stores = createStoresFactory();
let server: RedisServer;
let proxy: TcpProxy;

beforeAll(async () => {
  server = await startRedisServer();
  proxy = await startTcpProxy(server.port);
});
afterEach(async () => {
  proxy.setMode('pass');
  await stores.closeAll();
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

function isAvailable({ storage }: RedisAdapters): boolean {
  try {
    storage.assertAvailable();
    return true;
  } catch {
    return false;
  }
}

const untilWritten = (adapters: RedisAdapters) =>
  until('all is written', () => isAvailable(adapters) && adapters.buffered === 0);

const untilAvailable = (adapters: RedisAdapters) =>
  until('the store is available', () => isAvailable(adapters));

/** Lets everything through again, over new connections: replies that were dropped are missing on the old ones. */
async function mend(adapters: RedisAdapters): Promise<void> {
  proxy.setMode('down');
  await until('the connection is broken', () => !isAvailable(adapters));
  proxy.setMode('pass');
}

const claim = { assignee: 'ann', claimedUntil: at(3_600_000) };

/** A replica whose path to the store a test can break, and one with a path of its own. */
async function makeReplicas() {
  const broken = await stores.make(`redis://127.0.0.1:${proxy.port}`, { checkEveryMs: 200 });
  const other = await stores.make(server.url, { prefix: broken.prefix });
  // Scripts that the server does not know yet take two round trips, of which `mute` would let only one through.
  const { inbox, conversations } = (await stores.make(server.url)).adapters.people;
  await inbox.create(sampleItem('first'));
  await inbox.update({ item: claimed(sampleItem('first')), expectedVersion: 1 });
  await conversations.record(handled('first', null));
  return { adapters: broken.adapters, ...broken.adapters.people, other: other.adapters.people };
}

describe('a message while the store is unavailable', () => {
  test('waits with its item and its entries, and all of it is stored once', async () => {
    const { adapters, traces, conversations, inbox } = await makeReplicas();
    await conversations.enter('c-1', 'customer-1', at(0));
    proxy.setMode('down');
    const messages = Array.from({ length: 40 }, (_, number) =>
      handled(`trace-${10 + number}`, number % 2 === 0 ? 'c-1' : null, { withItem: true }),
    );
    for (const message of messages) await conversations.record(message);
    await Promise.all(messages.slice(0, 10).map((message) => conversations.record(message)));
    expect(adapters.buffered).toBe(40);
    expect(await traces.get('trace-10')).toEqual(messages[0]?.trace);
    await expect(inbox.get('item-of-trace-10')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(conversations.get('c-1')).rejects.toMatchObject({ code: 'unavailable' });
    proxy.setMode('pass');
    await untilWritten(adapters);
    const { items } = await inbox.list({}, { limit: 200 });
    expect(items).toEqual(messages.map(({ item }) => item));
    expect((await traces.list({ limit: 1, offset: 0 })).total).toBe(40);
    const entries = (await conversations.get('c-1'))?.entries ?? [];
    expect(entries).toHaveLength(40);
    expect(new Set(entries.map(({ traceId }) => traceId)).size).toBe(20);
  });

  test('keeps its item where the newer trace has none', async () => {
    const { adapters, traces, conversations, inbox } = await makeReplicas();
    await conversations.enter('c-1', 'customer-1', at(0));
    proxy.setMode('down');
    const message = handled('trace-1', 'c-1', { withItem: true });
    await conversations.record(message);
    await conversations.record({ ...message, item: null, entries: [] });
    await traces.put({ ...message.trace, response: 'The newest.' });
    proxy.setMode('pass');
    await untilWritten(adapters);
    expect(await traces.get('trace-1')).toMatchObject({ response: 'The newest.' });
    expect(await inbox.get('item-of-trace-1')).toEqual(message.item);
    expect((await conversations.get('c-1'))?.entries).toEqual(message.entries);
  });

  test('whose reply was lost is stored once, and leaves the item as somebody has claimed it', async () => {
    const { adapters, traces, conversations, inbox, other } = await makeReplicas();
    await conversations.enter('c-1', 'customer-1', at(0));
    const message = handled('trace-1', 'c-1', { withItem: true });
    proxy.setMode('mute');
    await conversations.record(message);
    await until('the store has it', async () => (await other.inbox.get('item-of-trace-1')) !== undefined);
    expect(adapters.buffered).toBe(1);
    expect(await other.inbox.claimNext(claim)).toMatchObject({ itemId: 'item-of-trace-1', version: 2 });
    await other.conversations.record(handled('trace-2', 'c-1'));
    const before = await other.conversations.get('c-1');
    await mend(adapters);
    await untilWritten(adapters);
    expect(await inbox.get('item-of-trace-1')).toMatchObject({ ...claim, status: 'claimed', version: 2 });
    expect(await conversations.get('c-1')).toEqual(before);
    expect(before?.entries).toHaveLength(4);
    expect((await traces.list({ limit: 9, offset: 0 })).total).toBe(2);
  });

  test('is stored no more once its trace was deleted', async () => {
    const { adapters, traces, conversations, inbox } = await makeReplicas();
    await conversations.enter('c-1', 'customer-1', at(0));
    proxy.setMode('down');
    for (const id of ['trace-1', 'trace-2']) {
      await conversations.record(handled(id, 'c-1', { withItem: true }));
    }
    await expect(traces.delete('trace-1')).rejects.toMatchObject({ code: 'unavailable' });
    expect(adapters.buffered).toBe(1);
    proxy.setMode('pass');
    await untilWritten(adapters);
    expect(await traces.get('trace-1')).toBeUndefined();
    expect((await inbox.list({}, { limit: 9 })).items.map(({ itemId }) => itemId)).toEqual([
      'item-of-trace-2',
    ]);
    expect((await conversations.get('c-1'))?.entries).toHaveLength(2);
  });

  test('is found by a listing of a customer as soon as the store is available', async () => {
    const { adapters, traces, conversations } = await makeReplicas();
    proxy.setMode('down');
    for (let number = 0; number < 300; number++) {
      await conversations.record(handled(`trace-${number}`, null, { withItem: true }));
    }
    proxy.setMode('pass');
    await untilAvailable(adapters);
    const { total } = await traces.list({ limit: 9, offset: 0 }, { customerId: 'customer-1' });
    expect(total).toBe(300);
  });
});

describe('a trace that is being written', () => {
  test('is gone once it was deleted', async () => {
    const { traces, conversations, inbox } = await makeReplicas();
    for (let round = 0; round < 30; round++) {
      const id = `trace-${round}`;
      const recording = conversations.record(handled(id, null));
      expect(await traces.delete(id)).toBe(true);
      await recording;
      expect(await traces.get(id)).toBeUndefined();
      expect(await traces.delete(id)).toBe(false);
    }
    expect(await inbox.list({}, { limit: 9 })).toEqual({ items: [], next: null });
  });
});

describe('a change of an item', () => {
  test('whose reply was lost is made once where it is repeated', async () => {
    const { adapters, conversations, inbox, examples, other } = await makeReplicas();
    await conversations.enter('c-1', 'customer-1', at(0));
    const message = handled('trace-1', 'c-1', { withItem: true });
    await conversations.record(message);
    const item = message.item ?? sampleItem('');
    const example = sampleExample(item.itemId);
    const update = { item: resolved(item), expectedVersion: 1, reply: replyTo(item), example };
    proxy.setMode('mute');
    await expect(inbox.update(update)).rejects.toMatchObject({ code: 'unavailable' });
    await until('the store has it', async () => (await other.inbox.get(item.itemId))?.version === 2);
    await mend(adapters);
    await untilAvailable(adapters);
    expect(await inbox.update(update)).toBe(false);
    expect((await conversations.get('c-1'))?.entries).toHaveLength(3);
    expect(await examples.counts('inbox')).toEqual({ proposed: 1, accepted: 0, rejected: 0 });
  });

  test('whose creation was repeated leaves it as it is', async () => {
    const { adapters, inbox, other } = await makeReplicas();
    const item = sampleItem('item-1');
    proxy.setMode('mute');
    await expect(inbox.create(item)).rejects.toMatchObject({ code: 'unavailable' });
    await until('the store has it', async () => (await other.inbox.get('item-1')) !== undefined);
    await other.inbox.update({ item: claimed(item), expectedVersion: 1 });
    await mend(adapters);
    await untilAvailable(adapters);
    await inbox.create(item);
    expect(await inbox.get('item-1')).toEqual(claimed(item));
  });

  test('is rejected by every member while the store is unavailable', async () => {
    const { inbox, conversations, examples } = await makeReplicas();
    proxy.setMode('down');
    const item = sampleItem('item-1');
    const calls: readonly (() => Promise<unknown>)[] = [
      () => inbox.create(item),
      () => inbox.get('item-1'),
      () => inbox.list({}, { limit: 1 }),
      () => inbox.counts(),
      () => inbox.update({ item, expectedVersion: 1 }),
      () => inbox.claimNext(claim),
      () => inbox.due(0, 1),
      () => conversations.enter('c-1', 'customer-1', at(0)),
      () => conversations.get('c-1'),
      () => conversations.removeEntries('c-1', 'trace-1'),
      () => conversations.delete('c-1'),
      () => conversations.ofCustomer('customer-1'),
      () => examples.counts('inbox'),
      () => examples.list('inbox', {}, { limit: 1 }),
      () => examples.get('inbox', 'a'),
      () => examples.update(sampleExample('a')),
      () => examples.delete('inbox', 'a'),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
