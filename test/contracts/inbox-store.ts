import { describe, expect, test } from 'vitest';
import type { InboxItem } from '../../src/domain/inbox/item.ts';
import { fitsInboxFilter, type InboxFilter, rankOf } from '../../src/domain/inbox/order.ts';
import type { InboxPosition, InboxStore } from '../../src/ports/storage/inbox-store.ts';
import { inboxClaimsContract } from './inbox-store-claims.ts';
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
