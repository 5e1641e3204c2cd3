import { expect, test } from 'vitest';
import {
  at,
  entryOf,
  handled,
  type MakePeopleStores,
  replyTo,
  resolved,
  sampleItem,
} from './inbox-store-samples.ts';

/** The promises of every store of conversations about removals. */
export function conversationChangesContract(make: MakePeopleStores): void {
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
