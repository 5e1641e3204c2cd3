import { expect, test } from 'vitest';
import { type InboxItem, type ItemKind, itemKinds } from '../../src/domain/inbox/item.ts';
import { rankOf } from '../../src/domain/inbox/order.ts';
import {
  at,
  claimed,
  type MakePeopleStores,
  next,
  resolved,
  START,
  sampleItem,
} from './inbox-store-samples.ts';

const claim = { assignee: 'ann', claimedUntil: at(3_600_000) };

/** The promises of every inbox about the next item and about items that change by themselves. */
export function inboxClaimsContract(make: MakePeopleStores): void {
  test('claims the first open item, and resolves to it as it is then', async () => {
    const { inbox } = await make();
    const item = sampleItem('item-1', { version: 4, lastSeq: 3, priority: 2 });
    await inbox.create(sampleItem('item-2', { priority: 3 }));
    await inbox.create(item);
    const expected = { ...item, ...claim, status: 'claimed', version: 5, lastSeq: 4 };
    expect(await inbox.claimNext(claim)).toEqual(expected);
    expect(await inbox.get('item-1')).toEqual(expected);
  });

  test('gives items in the order of listings over all kinds, each of them once', async () => {
    const { inbox } = await make();
    const items = Array.from({ length: 60 }, (_, number) =>
      sampleItem(`item-${10 + ((number * 7) % 60)}`, {
        kind: itemKinds[number % 4] ?? 'draft',
        priority: ([1, 2, 3, 4, 5] as const)[Math.floor(number / 4) % 5] ?? 1,
        isOverdue: number % 11 === 0,
        openedAt: at(1_000 * (number % 3)),
      }),
    );
    for (const item of items) await inbox.create(item);
    const expected = (await inbox.list({}, { limit: 200 })).items;
    const given: InboxItem[] = [];
    for (let item = await inbox.claimNext(claim); item; item = await inbox.claimNext(claim)) given.push(item);
    expect(given.map(({ itemId }) => itemId)).toEqual(expected.map(({ itemId }) => itemId));
    expect(await inbox.counts()).toMatchObject({ waiting: { draft: { open: 0, claimed: 15 } } });
  });

  test('goes by the id where items of several kinds have the same place', async () => {
    const { inbox } = await make();
    for (const [number, kind] of itemKinds.entries())
      await inbox.create(sampleItem(`item-${4 - number}`, { kind }));
    for (const itemId of ['item-1', 'item-2', 'item-3', 'item-4']) {
      expect(await inbox.claimNext(claim)).toMatchObject({ itemId });
    }
  });

  test('gives only the wanted kinds', async () => {
    const { inbox } = await make();
    for (const kind of itemKinds) await inbox.create(sampleItem(`item-${kind}`, { kind }));
    const wanted: readonly (readonly ItemKind[])[] = [
      ['recovery'],
      ['draft', 'approval'],
      ['draft', 'approval'],
    ];
    const given = [];
    for (const kinds of wanted) given.push((await inbox.claimNext({ ...claim, kinds }))?.kind);
    expect(given).toEqual(['recovery', 'approval', 'draft']);
    for (const kinds of [[], ['draft'], ['draft', 'draft']] as const) {
      expect(await inbox.claimNext({ ...claim, kinds })).toBeUndefined();
    }
    expect(await inbox.claimNext({ ...claim, kinds: [...itemKinds, ...itemKinds] })).toMatchObject({
      kind: 'escalation',
    });
  });

  test('gives nothing that is claimed or has ended, and again what was released', async () => {
    const { inbox } = await make();
    const item = sampleItem('item-1');
    const taken = claimed(item, 'bob', at(0));
    await inbox.create(item);
    await inbox.create({ ...resolved(sampleItem('item-2', { priority: 1 })), version: 1 });
    await inbox.update({ item: taken, expectedVersion: 1 });
    expect(await inbox.claimNext(claim)).toBeUndefined();
    const free = next(taken, { status: 'open', assignee: null, claimedUntil: null });
    await inbox.update({ item: free, expectedVersion: 2 });
    expect(await inbox.claimNext(claim)).toMatchObject({ itemId: 'item-1', version: 4, assignee: 'ann' });
  });

  test('gives each of 50 callers at a time another item, until none is open', async () => {
    const { inbox } = await make();
    const items = Array.from({ length: 1_000 }, (_, number) =>
      sampleItem(`item-${1_000 + number}`, { kind: itemKinds[number % 4] ?? 'draft' }),
    );
    await Promise.all(items.map((item) => inbox.create(item)));
    const given: string[] = [];
    const callers = Array.from({ length: 50 }, async (_, number) => {
      const own = { assignee: `caller-${number}`, claimedUntil: at(3_600_000) };
      for (;;) {
        const item = await inbox.claimNext(number % 2 === 0 ? own : { ...own, kinds: itemKinds });
        if (item === undefined) return;
        expect(item).toMatchObject({
          assignee: `caller-${number}`,
          status: 'claimed',
          version: 2,
          lastSeq: 2,
        });
        given.push(item.itemId);
      }
    });
    await Promise.all(callers);
    expect(given.toSorted()).toEqual(items.map(({ itemId }) => itemId));
    expect(await inbox.list({ statuses: ['open'] }, { limit: 1 })).toEqual({ items: [], next: null });
  });

  test('claims an item or changes it, never both from the same version', async () => {
    const { inbox } = await make();
    for (let round = 0; round < 20; round++) {
      const item = sampleItem(`item-${round}`);
      await inbox.create(item);
      const taken = () => inbox.update({ item: claimed(item, 'bob'), expectedVersion: 1 });
      const [isTaken, given] =
        round % 2 === 0
          ? await Promise.all([taken(), inbox.claimNext(claim)])
          : (await Promise.all([inbox.claimNext(claim), taken()])).toReversed();
      expect([isTaken, given === undefined]).toEqual(isTaken === true ? [true, true] : [false, false]);
      expect(await inbox.get(item.itemId)).toMatchObject({
        version: 2,
        assignee: isTaken === true ? 'bob' : 'ann',
      });
    }
  });

  test('finds what changes by itself at or before a time, and only that', async () => {
    const { inbox } = await make();
    const items: readonly InboxItem[] = [
      { ...claimed(sampleItem('lapses'), 'ann', at(5_000)), version: 1 },
      { ...claimed(sampleItem('lapses-first', { dueAt: at(9_000) }), 'ann', at(4_000)), version: 1 },
      sampleItem('overdue-soon', { dueAt: at(5_001) }),
      sampleItem('overdue-long', { dueAt: at(1), isOverdue: true }),
      sampleItem('expires', { expiresAt: at(5_000), dueAt: at(8_000) }),
      sampleItem('never'),
      { ...resolved(sampleItem('ended', { expiresAt: at(1), dueAt: at(1) })), version: 1 },
    ];
    for (const item of items) await inbox.create(item);
    const dueAt = async (ms: number) =>
      (await inbox.due(START + ms, 100)).map(({ itemId }) => itemId).toSorted();
    expect(await dueAt(3_999)).toEqual([]);
    expect(await dueAt(4_000)).toEqual(['lapses-first']);
    expect(await dueAt(5_000)).toEqual(['expires', 'lapses', 'lapses-first']);
    expect(await dueAt(1e9)).toEqual(['expires', 'lapses', 'lapses-first', 'overdue-soon']);
    const [lapses = sampleItem('')] = items;
    expect((await inbox.due(START + 5_000, 100)).find(({ itemId }) => itemId === 'lapses')).toEqual(lapses);

    const free = next(lapses, { status: 'open', assignee: null, claimedUntil: null });
    await inbox.update({ item: free, expectedVersion: 1 });
    await inbox.update({ item: next(sampleItem('never'), { expiresAt: at(2) }), expectedVersion: 1 });
    expect(await dueAt(5_000)).toEqual(['expires', 'lapses-first', 'never']);
    await inbox.claimNext({ kinds: ['escalation'], assignee: 'ann', claimedUntil: at(100) });
    expect(await dueAt(100)).toContain('overdue-long');
  });

  test('finds no more due items than wanted', async () => {
    const { inbox } = await make();
    for (let number = 0; number < 30; number++) {
      await inbox.create(sampleItem(`item-${number}`, { expiresAt: at(number) }));
    }
    expect(await inbox.due(START + 19, 7)).toHaveLength(7);
    expect(await inbox.due(START + 19, 100)).toHaveLength(20);
  });

  test('keeps the place of an item that is claimed', async () => {
    const { inbox } = await make();
    for (const number of [1, 2, 3]) await inbox.create(sampleItem(`item-${number}`));
    const item = await inbox.claimNext(claim);
    expect(rankOf(item ?? sampleItem(''))).toBe(rankOf(sampleItem('item-1')));
    const { items } = await inbox.list({ statuses: ['open', 'claimed'] }, { limit: 9 });
    expect(items.map(({ itemId, status }) => [itemId, status])).toEqual([
      ...[
        ['item-1', 'claimed'],
        ['item-2', 'open'],
        ['item-3', 'open'],
      ],
    ]);
  });
}
