import { describe, expect, test } from 'vitest';
import { MAX_CONVERSATION_ENTRIES, MAX_HISTORY } from '../../src/domain/message/conversation.ts';
import {
  at,
  claimed,
  entryOf,
  handled,
  hostileIds,
  hostileObject,
  hostileText,
  type MakePeopleStores,
  replyTo,
  resolved,
  sampleItem,
} from './inbox-store-samples.ts';

/** The promises of every store of conversations. */
export function conversationStoreContract(name: string, make: MakePeopleStores): void {
  describe(`${name} as a store of conversations`, () => {
    test('finds nothing while it is empty', async () => {
      const { conversations } = await make();
      expect(await conversations.get('c-1')).toBeUndefined();
      expect(await conversations.delete('c-1')).toBe(false);
      expect(await conversations.ofCustomer('customer-1')).toEqual([]);
      await conversations.removeEntries('c-1', 'trace-1');
    });

    test('begins a conversation for the first customer, and shows it once it has entries', async () => {
      const { conversations } = await make();
      const begun = {
        conversationId: 'c-1',
        customerId: 'customer-1',
        openItemId: null,
        entries: [],
        createdAt: at(0),
        updatedAt: at(0),
      };
      expect(await conversations.enter('c-1', 'customer-1', at(0))).toEqual(begun);
      expect(await conversations.enter('c-1', 'customer-1', at(500))).toEqual(begun);
      expect(await conversations.enter('c-1', 'customer-2', at(500))).toBeUndefined();
      expect(await conversations.get('c-1')).toBeUndefined();
      const message = handled('trace-1', 'c-1');
      await conversations.record(message);
      const filled = { ...begun, entries: message.entries, updatedAt: at(10) };
      expect(await conversations.get('c-1')).toEqual(filled);
      expect(await conversations.enter('c-1', 'customer-1', at(600))).toEqual(filled);
      expect(await conversations.enter('c-1', 'customer-2', at(600))).toBeUndefined();
    });

    test('gives a conversation to exactly one of many customers who enter at the same time', async () => {
      const { conversations } = await make();
      const entered = await Promise.all(
        Array.from({ length: 60 }, (_, number) =>
          conversations.enter('c-1', `customer-${number % 20}`, at(number)),
        ),
      );
      const owners = new Set(entered.flatMap((conversation) => conversation?.customerId ?? []));
      expect(owners.size).toBe(1);
      expect(entered.filter((conversation) => conversation !== undefined)).toHaveLength(3);
      expect(new Set(entered.flatMap((conversation) => conversation?.createdAt ?? [])).size).toBe(1);
    });

    test('stores the trace, the item and the entries of a message together, and holds the conversation', async () => {
      const { conversations, traces, inbox } = await make();
      await conversations.enter('c-1', 'customer-1', at(0));
      const message = handled('trace-1', 'c-1', { withItem: true });
      await conversations.record(message);
      expect(await traces.get('trace-1')).toEqual(message.trace);
      expect((await traces.list({ limit: 9, offset: 0 })).total).toBe(1);
      expect(await inbox.get('item-of-trace-1')).toEqual(message.item);
      expect(await conversations.get('c-1')).toMatchObject({
        openItemId: 'item-of-trace-1',
        entries: message.entries,
        updatedAt: at(10),
      });
      expect(await conversations.enter('c-1', 'customer-1', at(0))).toMatchObject({
        openItemId: 'item-of-trace-1',
      });
      expect(await inbox.claimNext({ assignee: 'ann', claimedUntil: at(1) })).toMatchObject({
        itemId: 'item-of-trace-1',
      });
    });

    test('stores a message without a conversation, and one without an item', async () => {
      const { conversations, traces, inbox } = await make();
      await conversations.record(handled('trace-1', null, { withItem: true }));
      expect(await inbox.get('item-of-trace-1')).toMatchObject({ conversationId: null });
      await conversations.record(handled('trace-2', null));
      await conversations.enter('c-1', 'customer-1', at(0));
      await conversations.record(handled('trace-3', 'c-1'));
      expect(await conversations.get('c-1')).toMatchObject({ openItemId: null });
      expect((await traces.list({ limit: 9, offset: 0 })).items.map(({ traceId }) => traceId)).toEqual([
        ...['trace-3', 'trace-2', 'trace-1'],
      ]);
      expect((await inbox.list({}, { limit: 9 })).items).toHaveLength(1);
    });

    test('leaves the item and the entries as they are when a message is stored again', async () => {
      const { conversations, inbox, traces } = await make();
      await conversations.enter('c-1', 'customer-1', at(0));
      const message = handled('trace-1', 'c-1', { withItem: true });
      const item = message.item ?? sampleItem('');
      await conversations.record(message);
      await inbox.update({ item: claimed(item), expectedVersion: 1 });
      await conversations.record({ ...message, trace: { ...message.trace, response: 'Another.' } });
      expect(await inbox.get(item.itemId)).toEqual(claimed(item));
      expect((await conversations.get('c-1'))?.entries).toEqual(message.entries);
      expect(await traces.get('trace-1')).toMatchObject({ response: 'Another.' });

      const reply = replyTo(item);
      await inbox.update({ item: resolved(claimed(item)), expectedVersion: 2, reply });
      await conversations.record(handled('trace-2', 'c-1'));
      const before = await conversations.get('c-1');
      await conversations.record(message);
      expect(await conversations.get('c-1')).toEqual(before);
      expect(before?.openItemId).toBeNull();
      expect(await inbox.get(item.itemId)).toMatchObject({ status: 'resolved', version: 3 });
    });

    test('stores a message once that is stored by several callers at the same time', async () => {
      const { conversations, inbox } = await make();
      await conversations.enter('c-1', 'customer-1', at(0));
      const message = handled('trace-1', 'c-1', { withItem: true });
      await Promise.all(Array.from({ length: 10 }, () => conversations.record(message)));
      expect((await conversations.get('c-1'))?.entries).toEqual(message.entries);
      expect((await inbox.list({}, { limit: 9 })).items).toEqual([message.item]);
    });

    test.each(['deleted', 'of another customer', 'never begun'])(
      'adds nothing to a conversation that is %s, and holds it not, but keeps the trace and the item',
      async (kind) => {
        const { conversations, traces, inbox } = await make();
        const owner = kind === 'of another customer' ? 'customer-2' : 'customer-1';
        if (kind !== 'never begun') await conversations.enter('c-1', owner, at(0));
        if (kind === 'of another customer') {
          await conversations.record(handled('trace-0', 'c-1', { customerId: owner }));
        }
        if (kind === 'deleted') expect(await conversations.delete('c-1')).toBe(true);
        const before = await conversations.get('c-1');
        const message = handled('trace-1', 'c-1', { withItem: true });
        await conversations.record(message);
        expect(await conversations.get('c-1')).toEqual(before);
        expect(before?.openItemId ?? null).toBeNull();
        expect(await traces.get('trace-1')).toEqual(message.trace);
        expect(await inbox.get('item-of-trace-1')).toEqual(message.item);
        const entered = await conversations.enter('c-1', owner, at(0));
        expect(entered).toMatchObject({ openItemId: null, entries: before?.entries ?? [] });
      },
    );

    test('keeps the entries of each of many messages that are stored at the same time together', async () => {
      const { conversations } = await make();
      await conversations.enter('c-1', 'customer-1', at(0));
      const messages = Array.from({ length: 40 }, (_, number) => handled(`trace-${number}`, 'c-1'));
      await Promise.all(messages.map((message) => conversations.record(message)));
      const entries = (await conversations.get('c-1'))?.entries ?? [];
      const pairs = Array.from({ length: 40 }, (_, index) => entries.slice(2 * index, 2 * index + 2));
      for (const [first, second] of pairs) {
        expect(first?.traceId).toBe(second?.traceId);
        expect([first?.from, second?.from]).toEqual(['customer', 'service']);
      }
      expect(new Set(entries.map(({ traceId }) => traceId)).size).toBe(40);
    });

    test('gives stages the newest entries, and keeps the newest of very many', async () => {
      const { conversations } = await make();
      await conversations.enter('c-1', 'customer-1', at(0));
      const messages = Array.from({ length: 260 }, (_, number) => handled(`trace-${number}`, 'c-1'));
      const all = messages.flatMap(({ entries }) => entries);
      for (const message of messages.slice(0, 8)) await conversations.record(message);
      expect((await conversations.get('c-1'))?.entries).toEqual(all.slice(0, 16));
      const entered = await conversations.enter('c-1', 'customer-1', at(0));
      expect(entered?.entries).toEqual(all.slice(16 - MAX_HISTORY, 16));
      for (const message of messages.slice(8)) await conversations.record(message);
      expect((await conversations.get('c-1'))?.entries).toEqual(all.slice(-MAX_CONVERSATION_ENTRIES));
      const later = await conversations.enter('c-1', 'customer-1', at(0));
      expect(later?.entries).toEqual(all.slice(-MAX_HISTORY));
    });

    test('returns what was stored, with odd characters and keys such as `__proto__`', async () => {
      const { conversations, inbox, traces } = await make();
      await conversations.enter('c-1', hostileText, at(0));
      const options = { customerId: hostileText, withItem: true, text: hostileText };
      const message = handled('trace-1', 'c-1', { ...options, trace: { message: hostileText } });
      const item = { ...(message.item ?? sampleItem('')), payload: hostileObject };
      await conversations.record({ ...message, item });
      expect(JSON.stringify(await traces.get('trace-1'))).toBe(JSON.stringify(message.trace));
      expect(JSON.stringify(await inbox.get(item.itemId))).toBe(JSON.stringify(item));
      const { entries, customerId } = (await conversations.get('c-1')) ?? {};
      expect(JSON.stringify(entries)).toBe(JSON.stringify(message.entries));
      expect(customerId).toBe(hostileText);
    });

    test('keeps conversations of any id apart', async () => {
      const { conversations, inbox } = await make();
      for (const id of hostileIds) {
        expect(await conversations.enter(id, id, at(0))).toMatchObject({ conversationId: id, entries: [] });
        await conversations.record(
          handled(`trace of ${id}`, id, { customerId: id, withItem: true, text: id }),
        );
      }
      for (const id of hostileIds) {
        const found = await conversations.get(id);
        expect([found?.conversationId, found?.customerId]).toEqual([id, id]);
        expect(found?.openItemId).toBe(`item-of-trace of ${id}`);
        expect(found?.entries.map(({ text }) => text)).toEqual([id, `Reply to trace of ${id}`]);
        expect(await conversations.ofCustomer(id)).toEqual([id]);
        expect((await inbox.get(`item-of-trace of ${id}`))?.conversationId).toBe(id);
      }
      for (const id of hostileIds) {
        expect(await conversations.delete(id)).toBe(true);
        expect(await conversations.get(id)).toBeUndefined();
      }
    });

    conversationChangesContract(make);
  });
}

/** The promises of every store of conversations about removals. */
function conversationChangesContract(make: MakePeopleStores): void {
  test('shares no object with what was stored or read', async () => {
    const { conversations } = await make();
    await conversations.enter('c-1', 'customer-1', at(0));
    const reasons = ['first'];
    const message = handled('trace-1', 'c-1');
    const recording = conversations.record({ ...message, entries: [entryOf('trace-1', { reasons })] });
    reasons.push('changed');
    await recording;
    for (const read of [
      await conversations.get('c-1'),
      await conversations.enter('c-1', 'customer-1', at(0)),
      await conversations.get('c-1'),
    ]) {
      expect(read?.entries[0]?.reasons).toEqual(['first']);
      Object.assign(read?.entries[0]?.reasons ?? [], ['changed']);
      Object.assign(read ?? {}, { openItemId: 'changed' });
    }
    expect(await conversations.get('c-1')).toMatchObject({ openItemId: null });
  });

  test('moves a message that is stored again with an own item to that one, and keeps the reply of a person', async () => {
    const { conversations, inbox } = await make();
    await conversations.enter('c-1', 'customer-1', at(0));
    const first = handled('trace-1', 'c-1', { withItem: true });
    await conversations.record(first);
    const joined = handled('trace-2', 'c-1');
    const entriesWith = (itemId: string) => joined.entries.map((entry) => ({ ...entry, itemId }));
    await conversations.record({ ...joined, entries: entriesWith('item-of-trace-1') });
    await conversations.record(handled('trace-3', 'c-1'));
    const item = first.item ?? sampleItem('');
    await inbox.update({ item: resolved(item), expectedVersion: 1, reply: replyTo(item) });
    const own = { ...joined, ...handled('trace-2', 'c-1', { withItem: true }) };
    for (const _ of ['first', 'again']) await conversations.record(own);
    expect(await conversations.get('c-1')).toMatchObject({
      openItemId: 'item-of-trace-2',
      entries: [
        ...[...first.entries, ...entriesWith('item-of-trace-2'), ...handled('trace-3', 'c-1').entries],
        { from: 'person', traceId: 'trace-1', itemId: 'item-of-trace-1' },
      ],
    });
    const again = handled('trace-1', 'c-1', { withItem: true });
    await conversations.record({ ...again, item: sampleItem('item-new', { conversationId: 'c-1' }) });
    expect((await conversations.get('c-1'))?.entries.at(-1)).toMatchObject({ from: 'person' });
  });

  test('removes the entries of a message with the reply of a person, and no others', async () => {
    const { conversations, inbox } = await make();
    await conversations.enter('c-1', 'customer-1', at(0));
    const messages = ['trace-1', 'trace-10', '%', 'trace-2'].map((id) => handled(id, 'c-1'));
    const escalated = handled('trace-3', 'c-1', { withItem: true });
    const item = escalated.item ?? sampleItem('');
    for (const message of [...messages, escalated]) await conversations.record(message);
    await inbox.update({ item: resolved(item), expectedVersion: 1, reply: replyTo(item) });
    const entriesAre = async (...traceIds: readonly string[]) =>
      expect((await conversations.get('c-1'))?.entries.map(({ traceId }) => traceId)).toEqual(
        traceIds.flatMap((id) => (id === 'trace-3' ? [id, id, id] : [id, id])),
      );
    await entriesAre('trace-1', 'trace-10', '%', 'trace-2', 'trace-3');
    await conversations.removeEntries('c-1', 'trace-1');
    await entriesAre('trace-10', '%', 'trace-2', 'trace-3');
    await conversations.removeEntries('c-1', '%');
    await conversations.removeEntries('c-1', 'unknown');
    await conversations.removeEntries('c-2', 'trace-2');
    await entriesAre('trace-10', 'trace-2', 'trace-3');
    await conversations.removeEntries('c-1', 'trace-3');
    await entriesAre('trace-10', 'trace-2');
    expect(await conversations.enter('c-1', 'customer-1', at(0))).toMatchObject({ createdAt: at(0) });
  });

  test('takes entries again after some were removed', async () => {
    const { conversations } = await make();
    await conversations.enter('c-1', 'customer-1', at(0));
    for (const id of ['trace-1', 'trace-2']) await conversations.record(handled(id, 'c-1'));
    await conversations.removeEntries('c-1', 'trace-2');
    const message = handled('trace-3', 'c-1');
    await conversations.record(message);
    expect((await conversations.get('c-1'))?.entries).toEqual([
      ...[...handled('trace-1', 'c-1').entries, ...message.entries],
    ]);
  });

  test('removes a conversation with its last entry, and one that has none yet does not lose its owner', async () => {
    const { conversations } = await make();
    await conversations.enter('c-1', 'customer-1', at(0));
    await conversations.removeEntries('c-1', 'trace-1');
    expect(await conversations.enter('c-1', 'customer-2', at(1))).toBeUndefined();
    await conversations.record(handled('trace-1', 'c-1', { withItem: true }));
    await conversations.removeEntries('c-1', 'trace-1');
    expect(await conversations.get('c-1')).toBeUndefined();
    expect(await conversations.ofCustomer('customer-1')).toEqual([]);
    expect(await conversations.enter('c-1', 'customer-2', at(2))).toEqual({
      conversationId: 'c-1',
      customerId: 'customer-2',
      openItemId: null,
      entries: [],
      createdAt: at(2),
      updatedAt: at(2),
    });
  });

  test('deletes a conversation for exactly one of several callers, with or without entries', async () => {
    const { conversations, traces } = await make();
    await conversations.enter('c-1', 'customer-1', at(0));
    await conversations.enter('c-2', 'customer-1', at(0));
    await conversations.record(handled('trace-1', 'c-1'));
    for (const id of ['c-1', 'c-2']) {
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => conversations.delete(id)));
      expect(outcomes.filter((isDeleted) => isDeleted)).toHaveLength(1);
      expect(await conversations.get(id)).toBeUndefined();
    }
    expect(await traces.get('trace-1')).toBeDefined();
    expect(await conversations.ofCustomer('customer-1')).toEqual([]);
    const begun = await conversations.enter('c-1', 'customer-2', at(3));
    expect(begun).toMatchObject({ customerId: 'customer-2', entries: [], createdAt: at(3) });
  });

  test('takes entries of a conversation that was begun anew after its deletion', async () => {
    const { conversations } = await make();
    await conversations.enter('c-1', 'customer-1', at(0));
    await conversations.record(handled('trace-1', 'c-1', { withItem: true }));
    await conversations.delete('c-1');
    await conversations.enter('c-1', 'customer-1', at(0));
    const message = handled('trace-2', 'c-1');
    await conversations.record(message);
    expect(await conversations.get('c-1')).toMatchObject({ openItemId: null, entries: message.entries });
  });

  test('names all conversations of a customer, and only those', async () => {
    const { conversations } = await make();
    const owners = ['customer-1', 'customer-10', 'customer-', 'Customer-1', '%', 'customer-1 '];
    for (const [number, owner] of owners.entries()) {
      for (let index = 0; index < 5; index++) {
        await conversations.enter(`c-${number}-${index}`, owner, at(0));
        if (index > 2)
          await conversations.record(
            handled(`t-${number}-${index}`, `c-${number}-${index}`, { customerId: owner }),
          );
      }
    }
    for (const [number, owner] of owners.entries()) {
      expect((await conversations.ofCustomer(owner)).toSorted()).toEqual(
        [0, 1, 2, 3, 4].map((index) => `c-${number}-${index}`),
      );
    }
    await conversations.delete('c-0-4');
    expect(await conversations.ofCustomer('customer-1')).toHaveLength(4);
    expect(await conversations.ofCustomer('customer')).toEqual([]);
  });
}
