import { describe, expect, test } from 'vitest';
import { createMemoryStorage, type MemoryLimits } from '../../../src/adapters/memory-storage.ts';
import {
  at,
  claimed,
  handled,
  next,
  type PeopleStores,
  resolved,
  sampleExample,
  sampleItem,
} from '../../contracts/inbox-store-samples.ts';

function makeStores(maxRows = 10_000, limits: Partial<MemoryLimits> = {}): PeopleStores {
  const bounds = { maxRows, maxBytes: 1_000_000_000 };
  return createMemoryStorage({
    limits: { inbox: bounds, conversations: bounds, examples: bounds, ...limits },
  });
}

const step = { kind: 'execution', id: 'execution-1', stepId: 'step-1' } as const;
const approval = (itemId: string) => sampleItem(itemId, { kind: 'approval', subject: step });
const recovery = (itemId: string) => sampleItem(itemId, { kind: 'recovery', subject: step });
const full = { code: 'unavailable', message: 'the inbox is full: 3 items wait' };

async function idsIn({ inbox }: PeopleStores): Promise<readonly string[]> {
  return (await inbox.list({}, { limit: 200 })).items.map(({ itemId }) => itemId).toSorted();
}

test('an inbox in memory removes items, or refuses one, where they take too much memory', async () => {
  const payload = { text: 'x'.repeat(10_000) };
  const stores = makeStores(9, { inbox: { maxRows: 9, maxBytes: 25_000 } });
  const { inbox } = stores;
  await inbox.create({ ...approval('a'), payload });
  await inbox.create({ ...sampleItem('m'), payload });
  await inbox.create({ ...approval('b'), payload });
  expect(await idsIn(stores)).toEqual(['a', 'b']);
  await expect(inbox.create({ ...approval('c'), payload })).rejects.toThrow(
    'the inbox is full: 2 items wait',
  );
  // An ended item always has room, and makes room.
  const ended = { ...resolved(approval('a'), at(1)), payload: { text: 'x'.repeat(20_000) } };
  await inbox.update({ item: ended, expectedVersion: 1 });
  await inbox.create({ ...approval('c'), payload });
  expect(await idsIn(stores)).toEqual(['b', 'c']);
});

test('examples in memory lose the oldest where they take too much memory', async () => {
  const { inbox, examples } = makeStores(9, { examples: { maxRows: 9, maxBytes: 25_000 } });
  for (const id of ['a', 'b', 'c']) {
    const item = sampleItem(id);
    await inbox.create(item);
    const example = { ...sampleExample(id), message: 'x'.repeat(10_000) };
    await inbox.update({ item: resolved(item), expectedVersion: 1, example });
  }
  const { datasetId } = sampleExample('a');
  expect(await examples.get(datasetId, 'a')).toBeUndefined();
  expect(await examples.get(datasetId, 'c')).toBeDefined();
});

describe('an inbox in memory that is full', () => {
  test('removes what ended first, then the oldest messages', async () => {
    const stores = makeStores(3);
    const { inbox } = stores;
    for (const id of ['a', 'b', 'c']) await inbox.create(sampleItem(id));
    await inbox.update({ item: resolved(sampleItem('c'), at(1)), expectedVersion: 1 });
    await inbox.update({ item: resolved(sampleItem('b'), at(2)), expectedVersion: 1 });
    await inbox.create(sampleItem('d'));
    expect(await idsIn(stores)).toEqual(['a', 'b', 'd']);
    await inbox.create(sampleItem('e'));
    expect(await idsIn(stores)).toEqual(['a', 'd', 'e']);
    await inbox.update({ item: claimed(sampleItem('a')), expectedVersion: 1 });
    await inbox.create(sampleItem('f'));
    expect(await idsIn(stores)).toEqual(['d', 'e', 'f']);
    expect(await inbox.counts()).toMatchObject({ waiting: { escalation: { open: 3, claimed: 0 } } });
  });

  test('never drops approvals and steps of unknown outcome, and refuses a further item', async () => {
    const stores = makeStores(3);
    const { inbox, conversations, traces } = stores;
    for (const item of [approval('a'), sampleItem('m'), recovery('b')]) await inbox.create(item);
    await inbox.create(approval('c'));
    expect(await idsIn(stores)).toEqual(['a', 'b', 'c']);
    await expect(inbox.create(approval('d'))).rejects.toMatchObject(full);
    await inbox.create(approval('a'));
    await conversations.enter('c-1', 'customer-1', at(0));
    const message = handled('trace-1', 'c-1', { withItem: true });
    await expect(conversations.record(message)).rejects.toMatchObject(full);
    // Nothing of it is stored.
    expect(await traces.get('trace-1')).toBeUndefined();
    expect(await conversations.get('c-1')).toBeUndefined();
    await conversations.record(handled('trace-2', 'c-1'));
    expect(await idsIn(stores)).toEqual(['a', 'b', 'c']);

    await inbox.update({
      item: next(approval('b'), { status: 'withdrawn', endedAt: at(1) }),
      expectedVersion: 1,
    });
    await inbox.create(approval('d'));
    expect(await idsIn(stores)).toEqual(['a', 'c', 'd']);
  });
});

test('conversations in memory lose the one that was quiet for longest', async () => {
  const { conversations } = makeStores(3);
  for (const id of ['a', 'b', 'c']) {
    await conversations.enter(id, 'customer-1', at(0));
    await conversations.record(handled(`trace-${id}`, id));
  }
  await conversations.record(handled('trace-d', 'a'));
  await conversations.enter('d', 'customer-1', at(0));
  expect((await conversations.ofCustomer('customer-1')).toSorted()).toEqual(['a', 'c', 'd']);
});

test('conversations in memory take a bounded number of bytes', async () => {
  const { conversations } = makeStores(1_000, { conversations: { maxRows: 1_000, maxBytes: 48_000 } });
  const text = 'x'.repeat(10_000);
  for (const id of ['a', 'b', 'c', 'd', 'e']) await conversations.enter(id, 'customer-1', at(0));
  for (const id of ['a', 'b', 'c', 'd']) await conversations.record(handled(`trace-${id}`, id, { text }));
  // Removals and beginnings change the size.
  await conversations.delete('d');
  await conversations.record(handled('trace-e', 'e', { text }));
  expect((await conversations.ofCustomer('customer-1')).toSorted()).toEqual(['a', 'b', 'c', 'e']);
  await conversations.record(handled('trace-f', 'a', { text }));
  expect((await conversations.ofCustomer('customer-1')).toSorted()).toEqual(['a', 'c', 'e']);
});

test('examples in memory lose the one that was stored first', async () => {
  const { inbox, examples } = makeStores(3);
  for (const number of [1, 2, 3, 1, 4]) {
    const item = sampleItem(`item-${Math.random()}`);
    await inbox.create(item);
    const example = sampleExample(`example-${number}`);
    await inbox.update({ item: resolved(item), expectedVersion: 1, example });
  }
  const { examples: listed } = await examples.list('inbox', {}, { limit: 9 });
  expect(listed.map(({ exampleId }) => exampleId)).toEqual(['example-2', 'example-3', 'example-4']);
});
