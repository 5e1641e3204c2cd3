import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settleItem } from '../../../src/domain/inbox/changes.ts';
import {
  type InboxItem,
  isWaiting,
  itemKinds,
  itemStatuses,
  priorities,
} from '../../../src/domain/inbox/item.ts';
import {
  FIRST_ENDED_RANK,
  fitsInboxFilter,
  type InboxFilter,
  nextChangeAt,
  RANK_LIMIT,
  rankOf,
  rankOfEnd,
  ranksOf,
} from '../../../src/domain/inbox/order.ts';
import { sampleItem, timeAfter } from '../../support/inbox.ts';

const time = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
const isoTime = time.map((ms) => new Date(ms).toISOString());
const maybeTime = fc.option(isoTime);

/** Any item that changes could have made. */
const anyItem: fc.Arbitrary<InboxItem> = fc
  .record({
    status: fc.constantFrom(...itemStatuses),
    kind: fc.constantFrom(...itemKinds),
    priority: fc.constantFrom(...priorities),
    isOverdue: fc.boolean(),
    openedAt: isoTime,
    endedAt: isoTime,
    dueAt: maybeTime,
    expiresAt: maybeTime,
    claimedUntil: isoTime,
    assignee: fc.constantFrom('ada', 'bo'),
    customerId: fc.constantFrom('customer-1', 'customer-2'),
  })
  .map(({ endedAt, claimedUntil, assignee, ...members }) => {
    const isClaimed = members.status === 'claimed';
    return sampleItem({
      ...members,
      endedAt: isWaiting(members) ? null : endedAt,
      claimedUntil: isClaimed ? claimedUntil : null,
      assignee: members.status === 'open' ? null : assignee,
    });
  });

const someOf = <T>(values: readonly T[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values)), { nil: undefined });

const anyFilter: fc.Arbitrary<InboxFilter> = fc.record({
  statuses: someOf(itemStatuses),
  kinds: someOf(itemKinds),
  priorities: someOf(priorities),
  assignee: fc.option(fc.constantFrom('ada', 'bo'), { nil: undefined }),
  overdue: fc.option(fc.boolean(), { nil: undefined }),
  customerId: fc.option(fc.constantFrom('customer-1'), { nil: undefined }),
});

/** Which of two items comes first, as the specification says it: below 0 for the first one. */
function specified(a: InboxItem, b: InboxItem): number {
  const [waitsA, waitsB] = [isWaiting(a), isWaiting(b)];
  if (waitsA !== waitsB) return waitsA ? -1 : 1;
  if (!waitsA) return Date.parse(b.endedAt ?? '') - Date.parse(a.endedAt ?? '');
  if (a.isOverdue !== b.isOverdue) return a.isOverdue ? -1 : 1;
  if (a.priority !== b.priority) return a.priority - b.priority;
  return Date.parse(a.openedAt) - Date.parse(b.openedAt);
}

describe('the rank of any item', () => {
  test('orders items: overdue first, then by priority, then by age; the ended ones last, the newest end first', () => {
    fc.assert(
      fc.property(anyItem, anyItem, (a, b) => {
        expect(Math.sign(rankOf(a) - rankOf(b))).toBe(Math.sign(specified(a, b)));
      }),
      { numRuns: 1_000 },
    );
  });

  test('orders every priority of overdue items before every other one, whatever their age', () => {
    const ages = [timeAfter(0), timeAfter(Date.UTC(2080, 0, 1) - Date.parse(timeAfter(0)))];
    const waiting = [true, false].flatMap((isOverdue) =>
      priorities.flatMap((priority) => ages.map((openedAt) => sampleItem({ isOverdue, priority, openedAt }))),
    );
    const ranks = waiting.map(rankOf);
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect(new Set(ranks).size).toBe(20);
  });

  test('is an integer that a double represents exactly, within its limits', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        const rank = rankOf(item);
        expect(Number.isSafeInteger(rank)).toBe(true);
        expect(rank).toBeGreaterThanOrEqual(0);
        expect(rank).toBeLessThan(RANK_LIMIT);
        expect(rank < FIRST_ENDED_RANK).toBe(isWaiting(item));
      }),
    );
  });

  test('of an end is higher for an earlier end', () => {
    fc.assert(
      fc.property(time, time, (one, other) => {
        expect(Math.sign(rankOfEnd(one) - rankOfEnd(other))).toBe(Math.sign(other - one));
      }),
    );
  });
});

describe('a filter', () => {
  test('shows only items whose rank is among those that it can have', () => {
    fc.assert(
      fc.property(anyItem, anyFilter, (item, filter) => {
        if (!fitsInboxFilter(item, filter)) return;
        const [first, end] = ranksOf(filter);
        expect(rankOf(item)).toBeGreaterThanOrEqual(first);
        expect(rankOf(item)).toBeLessThan(end);
      }),
      { numRuns: 2_000 },
    );
  });

  test('shows an item exactly when each of its members does alone', () => {
    fc.assert(
      fc.property(anyItem, anyFilter, (item, filter) => {
        const alone = Object.entries(filter).map(([name, value]) => ({ [name]: value }) as InboxFilter);
        expect(fitsInboxFilter(item, filter)).toBe(alone.every((one) => fitsInboxFilter(item, one)));
      }),
      { numRuns: 1_000 },
    );
  });

  test.each<[string, InboxFilter, boolean]>([
    ['nothing', {}, true],
    ['its status', { statuses: ['claimed'] }, true],
    ['other statuses', { statuses: ['open', 'resolved'] }, false],
    ['no status', { statuses: [] }, false],
    ['its kind', { kinds: ['draft', 'escalation'] }, true],
    ['another kind', { kinds: ['approval'] }, false],
    ['who has it', { assignee: 'ada' }, true],
    ['somebody else', { assignee: 'bo' }, false],
    ['its priority', { priorities: [2, 3] }, true],
    ['another priority', { priorities: [1] }, false],
    ['overdue items', { overdue: true }, true],
    ['items that are not overdue', { overdue: false }, false],
    ['its customer', { customerId: 'customer-1' }, true],
    ['another customer', { customerId: 'customer' }, false],
  ])('that names %s', (_, filter, fits) => {
    const item = sampleItem({
      status: 'claimed',
      assignee: 'ada',
      isOverdue: true,
      claimedUntil: timeAfter(1),
    });
    expect(fitsInboxFilter(item, filter)).toBe(fits);
  });

  test('for overdue items shows none that has ended', () => {
    const item = sampleItem({ status: 'resolved', isOverdue: true, endedAt: timeAfter(1) });
    expect(fitsInboxFilter(item, { overdue: true })).toBe(false);
    expect(fitsInboxFilter(item, { overdue: false })).toBe(true);
  });
});

describe('the next change of an item', () => {
  test('is exactly when time changes it', () => {
    fc.assert(
      fc.property(anyItem, time, (item, now) => {
        const next = nextChangeAt(item);
        expect(settleItem(item, now) !== undefined).toBe(next !== null && next <= now);
        if (next === null) return;
        expect(settleItem(item, next)).toBeDefined();
        expect(settleItem(item, next - 1)).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  test('comes later once it was settled', () => {
    fc.assert(
      fc.property(anyItem, time, (item, now) => {
        const settled = settleItem(item, now);
        const next = settled && nextChangeAt(settled.item);
        expect(next === undefined || next === null || next > now).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('is the earliest of its claim, its due time and its expiry', () => {
    const times = { dueAt: timeAfter(20), expiresAt: timeAfter(30) };
    const ms = (item: Partial<InboxItem>) =>
      (nextChangeAt(sampleItem({ ...times, ...item })) ?? Number.NaN) - Date.parse(timeAfter(0));
    expect(ms({ status: 'claimed', claimedUntil: timeAfter(10) })).toBe(10);
    expect(ms({})).toBe(20);
    expect(ms({ isOverdue: true })).toBe(30);
    expect(ms({ isOverdue: true, expiresAt: null })).toBeNaN();
    expect(ms({ status: 'resolved', endedAt: timeAfter(1) })).toBeNaN();
  });
});
