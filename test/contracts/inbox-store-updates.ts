import { expect, test } from 'vitest';
import type { ItemStatus } from '../../src/domain/inbox/item.ts';
import {
  at,
  claimed,
  entryOf,
  handled,
  hostileText,
  type MakePeopleStores,
  next,
  type PeopleStores,
  replyTo,
  resolved,
  sampleExample,
  sampleItem,
} from './inbox-store-samples.ts';

/** A conversation that is held through the item of its message. */
async function heldConversation(
  { conversations }: PeopleStores,
  traceId = 'trace-1',
  conversationId = 'c-1',
) {
  await conversations.enter(conversationId, 'customer-1', at(0));
  const message = handled(traceId, conversationId, { withItem: true });
  await conversations.record(message);
  return { ...message, item: message.item ?? sampleItem('') };
}

/** The promises of every inbox about changes, and about the records that are stored together with them. */
export function inboxUpdatesContract(make: MakePeopleStores): void {
  test('replaces an item of the expected version, once', async () => {
    const { inbox } = await make();
    const item = sampleItem('item-1');
    await inbox.create(item);
    const changed = next(item, {
      title: hostileText,
      priority: 1,
      notes: [{ by: 'a', note: 'b', at: at(1) }],
    });
    for (const expectedVersion of [0, 2, 3]) {
      expect(await inbox.update({ item: changed, expectedVersion })).toBe(false);
    }
    expect(await inbox.get('item-1')).toEqual(item);
    expect(await inbox.update({ item: changed, expectedVersion: 1 })).toBe(true);
    expect(await inbox.get('item-1')).toEqual(changed);
    expect(await inbox.update({ item: changed, expectedVersion: 1 })).toBe(false);
  });

  test('lets exactly one of many callers change a version', async () => {
    const { inbox } = await make();
    const item = sampleItem('item-1');
    await inbox.create(item);
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        inbox.update({ item: claimed(item, `caller-${number}`), expectedVersion: 1 }),
      ),
    );
    expect(outcomes.filter((isChanged) => isChanged)).toHaveLength(1);
    expect(await inbox.get('item-1')).toMatchObject({ assignee: `caller-${outcomes.indexOf(true)}` });
  });

  test('adds a reply and an example with the change, and lets go of the conversation of an ended item', async () => {
    const stores = await make();
    const { inbox, conversations, examples } = stores;
    const { item, entries } = await heldConversation(stores);
    const reply = replyTo(item, { text: hostileText });
    const example = sampleExample(item.itemId, { message: hostileText });
    expect(await inbox.update({ item: resolved(item), expectedVersion: 1, reply, example })).toBe(true);
    expect(await conversations.get('c-1')).toMatchObject({
      openItemId: null,
      entries: [...entries, reply],
      updatedAt: reply.at,
    });
    expect(await examples.get('inbox', item.itemId)).toEqual(example);
  });

  test('changes nothing at all for a stale version and an unknown item', async () => {
    const stores = await make();
    const { inbox, conversations, examples } = stores;
    const { item } = await heldConversation(stores);
    await inbox.update({ item: claimed(item), expectedVersion: 1 });
    const before = await conversations.get('c-1');
    const brought = { reply: replyTo(item), example: sampleExample(item.itemId) };
    for (const stale of [item, sampleItem('unknown', { conversationId: 'c-1', customerId: 'customer-1' })]) {
      expect(await inbox.update({ item: resolved(stale), expectedVersion: 1, ...brought })).toBe(false);
    }
    expect(await conversations.get('c-1')).toEqual(before);
    expect(before?.openItemId).toBe(item.itemId);
    expect(await examples.get('inbox', item.itemId)).toBeUndefined();
    expect(await inbox.get('unknown')).toBeUndefined();
  });

  test('brings one reply and one example where several callers resolve an item', async () => {
    const stores = await make();
    const { inbox, conversations, examples } = stores;
    const { item } = await heldConversation(stores);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        inbox.update({
          item: resolved(item),
          expectedVersion: 1,
          reply: replyTo(item, { text: `Reply ${number}` }),
          example: sampleExample(item.itemId, { intent: `intent-${number}` }),
        }),
      ),
    );
    const first = outcomes.indexOf(true);
    const replies = (await conversations.get('c-1'))?.entries.filter(({ from }) => from === 'person');
    expect(replies?.map(({ text }) => text)).toEqual([`Reply ${first}`]);
    expect(await examples.get('inbox', item.itemId)).toMatchObject({ intent: `intent-${first}` });
    expect(await examples.counts('inbox')).toEqual({ proposed: 1, accepted: 0, rejected: 0 });
  });

  test('keeps holding the conversation while the item waits', async () => {
    const stores = await make();
    const { inbox, conversations } = stores;
    const { item, entries } = await heldConversation(stores);
    const reply = replyTo(item);
    await inbox.update({ item: claimed(item), expectedVersion: 1, reply });
    expect(await conversations.get('c-1')).toMatchObject({
      openItemId: item.itemId,
      entries: [...entries, reply],
    });
    const claim = { assignee: 'ann', claimedUntil: at(1) };
    await inbox.update({ item: next(claimed(item), { status: 'open' }), expectedVersion: 2 });
    await inbox.claimNext(claim);
    expect(await conversations.get('c-1')).toMatchObject({ openItemId: item.itemId });
  });

  test.each<ItemStatus>(['resolved', 'expired', 'withdrawn'])(
    'lets go of the conversation of an item that is %s, also where it names it no more',
    async (status) => {
      const stores = await make();
      const { item } = await heldConversation(stores);
      const ended = next(item, { status, endedAt: at(5), conversationId: null, customerId: null });
      await stores.inbox.update({ item: ended, expectedVersion: 1 });
      expect(await stores.conversations.get('c-1')).toMatchObject({ openItemId: null });
      expect(await stores.inbox.get(item.itemId)).toEqual(ended);
    },
  );

  test('leaves a conversation alone that is held through another item', async () => {
    const stores = await make();
    const { inbox, conversations } = stores;
    const { item } = await heldConversation(stores);
    const later = await heldConversation(stores, 'trace-2');
    await inbox.update({ item: resolved(item), expectedVersion: 1 });
    expect(await conversations.get('c-1')).toMatchObject({ openItemId: later.item.itemId });
    await inbox.update({ item: next(resolved(item)), expectedVersion: 2 });
    expect(await conversations.get('c-1')).toMatchObject({ openItemId: later.item.itemId });
  });

  test('adds no reply to a conversation that was deleted or is of another customer', async () => {
    const stores = await make();
    const { inbox, conversations } = stores;
    const { item } = await heldConversation(stores);
    await conversations.delete('c-1');
    expect(await inbox.update({ item: claimed(item), expectedVersion: 1, reply: replyTo(item) })).toBe(true);
    expect(await conversations.get('c-1')).toBeUndefined();
    await conversations.enter('c-1', 'customer-2', at(1));
    const ended = { item: resolved(claimed(item)), expectedVersion: 2, reply: replyTo(item) };
    expect(await inbox.update(ended)).toBe(true);
    expect(await conversations.get('c-1')).toBeUndefined();
  });

  test('adds a reply once more entries are there, after them', async () => {
    const stores = await make();
    const { item, entries } = await heldConversation(stores);
    const further = handled('trace-2', 'c-1');
    await stores.conversations.record(further);
    const reply = replyTo(item);
    await stores.inbox.update({ item: resolved(item), expectedVersion: 1, reply });
    const all = [...entries, ...further.entries, reply];
    expect((await stores.conversations.get('c-1'))?.entries).toEqual(all);
    expect(all.at(-1)).toEqual(entryOf('trace-1', { ...reply }));
  });

  test('replaces the example of an item that is resolved once more', async () => {
    const { inbox, examples } = await make();
    const item = sampleItem('item-1');
    await inbox.create(item);
    const update = { item: resolved(item), expectedVersion: 1, example: sampleExample('item-1') };
    await inbox.update(update);
    const other = sampleExample('item-1', { intent: 'billing' });
    await inbox.update({ item: next(resolved(item)), expectedVersion: 2, example: other });
    expect((await examples.list('inbox', {}, { limit: 9 })).examples).toEqual([other]);
  });
}
