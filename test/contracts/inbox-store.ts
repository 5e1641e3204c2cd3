import { describe, expect, test } from 'vitest';
import { type InboxItem, type ItemKind, itemKinds } from '../../src/domain/inbox/item.ts';
import { fitsInboxFilter, type InboxFilter, rankOf } from '../../src/domain/inbox/order.ts';
import type { InboxPosition, InboxStore } from '../../src/ports/storage/inbox-store.ts';
import {
  at,
  claimed,
  hostileIds,
  hostileObject,
  hostileText,
  type MakePeopleStores,
  next,
  resolved,
  START,
  sampleItem,
} from './inbox-store-samples.ts';
import { inboxUpdatesContract } from './inbox-store-updates.ts';

/** Items of all kinds and statuses in no order; some have the same place but for their ids. */
const mixedItems: readonly InboxItem[] = Array.from({ length: 72 }, (_, number) => {
  const scattered = (number * 29) % 72;
  const base = sampleItem(`item-${String(scattered).padStart(2, '0')}`, {
    kind: (['escalation', 'draft', 'approval', 'recovery'] as const)[scattered % 4] ?? 'draft',
    priority: ([1, 2, 3, 4, 5] as const)[scattered % 5] ?? 1,
    isOverdue: scattered % 7 === 0,
    openedAt: at(Math.floor(scattered / 12) * 1_000),
    customerId: scattered % 3 === 0 ? null : `customer-${scattered % 3}`,
  });
  const assignee = scattered % 2 === 0 ? 'ann' : 'bob';
  if (scattered % 6 === 1) return { ...claimed(base, assignee), version: 1 };
  const endedAt = at(10_000 + 1_000 * Math.floor(scattered / 9));
  if (scattered % 6 === 2) return { ...resolved(base, endedAt), version: 1, assignee };
  if (scattered % 18 === 3) return { ...base, status: 'expired', endedAt };
  if (scattered % 18 === 9) return { ...base, status: 'withdrawn', endedAt };
  return base;
});

/** Items as listings order them. */
function inOrder(items: readonly InboxItem[]): readonly InboxItem[] {
  return items.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.itemId < b.itemId ? -1 : 1));
}

/** All items of a listing, read page by page; `between` is called after each page. */
async function listAll(
  inbox: InboxStore,
  filter: InboxFilter,
  limit: number,
  between = async (_page: number) => {},
) {
  const seen: InboxItem[] = [];
  let after: InboxPosition | undefined;
  for (let page = 0; page < 1_000; page++) {
    const { items, next: position } = await inbox.list(filter, { limit, after });
    expect(items.length).toBeLessThanOrEqual(limit);
    seen.push(...items);
    if (position === null) return seen;
    expect(items).toHaveLength(limit);
    after = position;
    await between(page);
  }
  throw new Error('the listing does not end');
}

const idsOf = (items: readonly InboxItem[]): string[] => items.map(({ itemId }) => itemId);
const noneWaits = { open: 0, claimed: 0 };

/** The promises of every inbox. It has room for at least 500 items. */
export function inboxStoreContract(name: string, make: MakePeopleStores): void {
  describe(`${name} as an inbox`, () => {
    test('finds nothing while it is empty', async () => {
      const { inbox } = await make();
      const item = sampleItem('item-1');
      expect(await inbox.get('item-1')).toBeUndefined();
      expect(await inbox.list({}, { limit: 50 })).toEqual({ items: [], next: null });
      expect(await inbox.counts()).toEqual({
        waiting: { escalation: noneWaits, draft: noneWaits, approval: noneWaits, recovery: noneWaits },
        overdue: 0,
        oldestOpenedAt: null,
      });
      expect(await inbox.claimNext({ assignee: 'ann', claimedUntil: at(1) })).toBeUndefined();
      expect(await inbox.due(Date.now(), 10)).toEqual([]);
      expect(await inbox.update({ item: next(item), expectedVersion: 1 })).toBe(false);
      expect(await inbox.get('item-1')).toBeUndefined();
    });

    test('returns what was stored, with odd characters and keys such as `__proto__`', async () => {
      const { inbox } = await make();
      const item = sampleItem('item-1', {
        title: hostileText,
        reasons: [hostileText],
        excerpt: hostileText,
        draft: hostileText,
        customerId: hostileText,
        payload: hostileObject,
        responseSchema: hostileObject,
        notes: [{ by: hostileText, note: hostileText, at: at(1) }],
      });
      await inbox.create(item);
      expect(JSON.stringify(await inbox.get('item-1'))).toBe(JSON.stringify(item));
      expect((await inbox.list({}, { limit: 1 })).items).toEqual([item]);
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    });

    test('leaves an item as it is that is stored already', async () => {
      const { inbox } = await make();
      const item = sampleItem('item-1');
      await inbox.create(item);
      await inbox.update({ item: claimed(item), expectedVersion: 1 });
      await inbox.create({ ...item, title: 'Another' });
      expect(await inbox.get('item-1')).toEqual(claimed(item));
    });

    test('shares no object with what was stored or read', async () => {
      const { inbox } = await make();
      const reasons = ['first'];
      const creating = inbox.create(sampleItem('item-1', { reasons }));
      reasons.push('changed');
      await creating;
      const [listed] = (await inbox.list({}, { limit: 1 })).items;
      for (const read of [await inbox.get('item-1'), listed]) {
        expect(read?.reasons).toEqual(['first']);
        Object.assign(read?.reasons ?? [], ['changed']);
      }
      expect((await inbox.get('item-1'))?.reasons).toEqual(['first']);
    });

    test('stores items under any id and customer', async () => {
      const { inbox } = await make();
      for (const id of hostileIds) await inbox.create(sampleItem(id, { customerId: id }));
      for (const id of hostileIds) {
        expect(await inbox.get(id)).toEqual(sampleItem(id, { customerId: id }));
        expect(idsOf((await inbox.list({ customerId: id }, { limit: 50 })).items)).toEqual([id]);
      }
      expect(idsOf(await listAll(inbox, {}, 7)).toSorted()).toEqual(hostileIds.toSorted());
    });

    test('lists the overdue first, then by priority, age and id, and what has ended last, newest first', async () => {
      const { inbox } = await make();
      for (const item of mixedItems) await inbox.create(item);
      expect(await listAll(inbox, {}, 200)).toEqual(inOrder(mixedItems));
    });

    test.each([1, 3, 8, 36, 72, 200])('lists every item once in pages of %i', async (limit) => {
      const { inbox } = await make();
      await Promise.all(mixedItems.map((item) => inbox.create(item)));
      expect(idsOf(await listAll(inbox, {}, limit))).toEqual(idsOf(inOrder(mixedItems)));
    });

    test('lists every item that stays in its place once while others come, change and end', async () => {
      const { inbox } = await make();
      const staying = Array.from({ length: 40 }, (_, number) => sampleItem(`stays-${10 + number}`));
      const changing = Array.from({ length: 40 }, (_, number) => sampleItem(`moves-${10 + number}`));
      for (const item of [...staying, ...changing]) await inbox.create(item);
      const seen = await listAll(inbox, {}, 9, async (page) => {
        const item = changing[page % 40] ?? sampleItem('');
        await inbox.update({ item: next(item, { priority: page % 2 === 0 ? 1 : 5 }), expectedVersion: 1 });
        await inbox.create(sampleItem(`new-${page}`, { priority: page % 2 === 0 ? 5 : 1 }));
      });
      expect(idsOf(seen).filter((id) => id.startsWith('stays'))).toEqual(idsOf(staying));
    });

    test('goes on after a position whose item has moved or is gone', async () => {
      const { inbox } = await make();
      const items = [1, 2, 3, 4].map((number) => sampleItem(`item-${number}`));
      for (const item of items) await inbox.create(item);
      const first = await inbox.list({}, { limit: 2 });
      await inbox.update({ item: next(items[1] ?? sampleItem(''), { priority: 5 }), expectedVersion: 1 });
      const after = first.next ?? undefined;
      expect(idsOf((await inbox.list({}, { limit: 9, after })).items)).toEqual([
        'item-3',
        'item-4',
        'item-2',
      ]);
      const unknown = { rank: rankOf(sampleItem('')), itemId: 'item-11' };
      expect(idsOf((await inbox.list({}, { limit: 1, after: unknown })).items)).toEqual(['item-3']);
    });

    const filters: readonly InboxFilter[] = [
      {},
      { statuses: ['open'] },
      { statuses: ['open', 'claimed'] },
      { statuses: ['claimed', 'resolved'] },
      { statuses: ['resolved', 'expired', 'withdrawn'] },
      { statuses: ['withdrawn'] },
      { statuses: [] },
      { kinds: ['approval'] },
      { kinds: ['draft', 'recovery'] },
      { kinds: [] },
      { assignee: 'ann' },
      { assignee: 'an' },
      { assignee: '%' },
      { priorities: [1] },
      { priorities: [2, 4] },
      { priorities: [] },
      { overdue: true },
      { overdue: false },
      { overdue: true, statuses: ['resolved'] },
      { overdue: false, statuses: ['resolved'] },
      { customerId: 'customer-1' },
      { customerId: 'customer-1', statuses: ['resolved'] },
      { customerId: '' },
      { statuses: ['open'], kinds: ['escalation', 'draft'], priorities: [1, 2, 3], overdue: false },
      { statuses: ['claimed', 'resolved'], assignee: 'bob', customerId: 'customer-2' },
    ];

    test.each(filters)('lists exactly what fits, in order and in pages: %j', async (filter) => {
      const { inbox } = await make();
      await Promise.all(mixedItems.map((item) => inbox.create(item)));
      const fitting = inOrder(mixedItems.filter((item) => fitsInboxFilter(item, filter)));
      expect(await listAll(inbox, filter, 200)).toEqual(fitting);
      expect(idsOf(await listAll(inbox, filter, 2))).toEqual(idsOf(fitting));
    });

    test('counts what waits, by kind and status, and follows changes', async () => {
      const { inbox } = await make();
      await Promise.all(mixedItems.map((item) => inbox.create(item)));
      const count = (kind: string, status: string) =>
        mixedItems.filter((item) => item.kind === kind && item.status === status).length;
      const of = (kind: string) => ({ open: count(kind, 'open'), claimed: count(kind, 'claimed') });
      const waits = mixedItems.filter(({ endedAt }) => endedAt === null);
      const counts = {
        waiting: {
          escalation: of('escalation'),
          draft: of('draft'),
          approval: of('approval'),
          recovery: of('recovery'),
        },
        overdue: waits.filter(({ isOverdue }) => isOverdue).length,
        oldestOpenedAt: START,
      };
      expect(await inbox.counts()).toEqual(counts);

      const old = sampleItem('old', { openedAt: at(-5_000), isOverdue: true });
      await inbox.create(old);
      const { open, claimed: others } = counts.waiting.escalation;
      expect(await inbox.counts()).toEqual({
        waiting: { ...counts.waiting, escalation: { open: open + 1, claimed: others } },
        overdue: counts.overdue + 1,
        oldestOpenedAt: START - 5_000,
      });
      await inbox.update({ item: claimed(old), expectedVersion: 1 });
      expect(await inbox.counts()).toMatchObject({
        waiting: { escalation: { open, claimed: others + 1 } },
        overdue: counts.overdue + 1,
        oldestOpenedAt: START - 5_000,
      });
      await inbox.update({ item: resolved(claimed(old)), expectedVersion: 2 });
      expect(await inbox.counts()).toEqual(counts);
    });

    inboxClaimsContract(make);
    inboxUpdatesContract(make);
  });
}

const claim = { assignee: 'ann', claimedUntil: at(3_600_000) };

/** The promises of every inbox about the next item and about items that change by themselves. */
function inboxClaimsContract(make: MakePeopleStores): void {
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
