import { describe, expect, test } from 'vitest';
import {
  assignItem,
  atTime,
  claimItem,
  type ItemChange,
  joinItem,
  MAX_NOTES,
  noteOnItem,
  releaseItem,
  resolveItem,
  settleItem,
  withdrawItem,
} from '../../../src/domain/inbox/changes.ts';
import { type InboxItem, itemStatuses, type Resolution } from '../../../src/domain/inbox/item.ts';
import { OPENED_AT, sampleItem, timeAfter } from '../../support/inbox.ts';

const CLAIM_MS = 1_000;
const open = sampleItem();
const claimed = sampleItem({ status: 'claimed', assignee: 'ada', claimedUntil: timeAfter(CLAIM_MS) });
const withStatus = (status: InboxItem['status']) => sampleItem({ status, endedAt: timeAfter(5) });
const ended = itemStatuses.filter((status) => status !== 'open' && status !== 'claimed').map(withStatus);

function resolution(by: string, more: Partial<Resolution> = {}): Resolution {
  return {
    outcome: 'answered',
    by,
    at: timeAfter(10),
    note: null,
    response: 'Here is a new one.',
    intent: null,
    escalationRight: null,
    data: null,
    output: null,
    ...more,
  };
}

/** Every change of an item by a person, or by the service. */
const changes: readonly [string, (item: InboxItem, now?: number) => ItemChange][] = [
  ['claim', (item, now = OPENED_AT) => claimItem(item, 'ada', now, CLAIM_MS)],
  ['release', (item, now = OPENED_AT) => releaseItem(item, 'ada', now)],
  ['assign', (item, now = OPENED_AT) => assignItem(item, { by: 'ada', assignee: 'bo' }, now, CLAIM_MS)],
  ['resolve', (item, now = OPENED_AT) => resolveItem(item, resolution('ada'), now)],
  ['join', (item) => joinItem(item, { reasons: [], priority: 5, dueAt: null, expiresAt: timeAfter(9) })],
];

describe('a change', () => {
  test.each(changes)('makes the next version and leaves the given item alone: %s', (_, change) => {
    const before = structuredClone(claimed);
    const { item, event } = change(claimed);
    expect(item.version).toBe(claimed.version + 1);
    expect(item.lastSeq).toBe(claimed.lastSeq + (event === null ? 0 : 1));
    expect(claimed).toEqual(before);
  });

  test.each(changes)('is a conflict where the item waits no more: %s', (_, change) => {
    for (const item of ended) {
      expect(() => change(item)).toThrow(expect.objectContaining({ code: 'conflict' }));
    }
  });

  test('names who has resolved an item that waits no more', () => {
    const { item } = resolveItem(open, resolution('ada'), OPENED_AT);
    expect(() => claimItem(item, 'bo', OPENED_AT, CLAIM_MS)).toThrow('the item is resolved by "ada"');
    expect(() => claimItem(withStatus('expired'), 'bo', OPENED_AT, 1)).toThrow('the item is expired');
  });
});

describe('a claim', () => {
  test('gives an open item to somebody until a time', () => {
    expect(claimItem(open, 'ada', OPENED_AT + 5, CLAIM_MS)).toEqual({
      item: {
        ...open,
        status: 'claimed',
        assignee: 'ada',
        claimedUntil: timeAfter(5 + CLAIM_MS),
        version: 2,
        lastSeq: 2,
      },
      event: { type: 'inbox.claimed', by: 'ada', outcome: null },
    });
  });

  test('by the same person again renews it, without an event', () => {
    const { item, event } = claimItem(claimed, 'ada', OPENED_AT + 500, CLAIM_MS);
    expect(item).toMatchObject({ assignee: 'ada', claimedUntil: timeAfter(1_500), version: 2, lastSeq: 1 });
    expect(event).toBeNull();
  });

  test('by somebody else is a conflict that names who has it, and until when', () => {
    expect(() => claimItem(claimed, 'bo', OPENED_AT + CLAIM_MS - 1, CLAIM_MS)).toThrow(
      `the item is claimed by "ada" until ${claimed.claimedUntil}`,
    );
  });

  test('counts no more from the millisecond on in which it lapses', () => {
    expect(atTime(claimed, OPENED_AT + CLAIM_MS - 1)).toBe(claimed);
    expect(atTime(claimed, OPENED_AT + CLAIM_MS)).toMatchObject({
      status: 'open',
      assignee: null,
      claimedUntil: null,
      version: claimed.version,
    });
    const { item } = claimItem(claimed, 'bo', OPENED_AT + CLAIM_MS, CLAIM_MS);
    expect(item).toMatchObject({ status: 'claimed', assignee: 'bo' });
  });
});

describe('a release', () => {
  test('opens a claimed item again', () => {
    expect(releaseItem(claimed, 'ada', OPENED_AT)).toMatchObject({
      item: { status: 'open', assignee: null, claimedUntil: null },
      event: { type: 'inbox.released', by: 'ada', outcome: null },
    });
  });

  test('is a conflict for somebody else, and where nobody has the item', () => {
    expect(() => releaseItem(claimed, 'bo', OPENED_AT)).toThrow('claimed by "ada"');
    expect(() => releaseItem(open, 'ada', OPENED_AT)).toThrow('nobody has claimed the item');
    expect(() => releaseItem(claimed, 'ada', OPENED_AT + CLAIM_MS)).toThrow('nobody has claimed the item');
  });
});

describe('an assignment', () => {
  test.each([
    ['open', open],
    ['claimed', claimed],
  ])('gives an %s item to somebody, whoever has it, and names who did so', (_, item) => {
    const request = { by: 'chef', assignee: 'bo' };
    expect(assignItem(item, request, OPENED_AT + 5, CLAIM_MS)).toMatchObject({
      item: { status: 'claimed', assignee: 'bo', claimedUntil: timeAfter(5 + CLAIM_MS) },
      event: { type: 'inbox.claimed', by: 'chef', outcome: null },
    });
  });
});

describe('a note', () => {
  test('stands on the item with its writer and its time, without an event', () => {
    const first = noteOnItem(claimed, 'bo', 'call her', OPENED_AT + 1);
    const { item, event } = noteOnItem(first.item, 'ada', 'done', OPENED_AT + 2);
    expect(item.notes).toEqual([
      { by: 'bo', note: 'call her', at: timeAfter(1) },
      { by: 'ada', note: 'done', at: timeAfter(2) },
    ]);
    expect([event, item.version, item.lastSeq]).toEqual([null, 3, 1]);
  });

  test('may be added to an ended item, but not to a withdrawn one', () => {
    expect(noteOnItem(withStatus('resolved'), 'ada', 'x', OPENED_AT).item.notes).toHaveLength(1);
    expect(noteOnItem(withStatus('expired'), 'ada', 'x', OPENED_AT).item.notes).toHaveLength(1);
    expect(() => noteOnItem(withStatus('withdrawn'), 'ada', 'x', OPENED_AT)).toThrow('is withdrawn');
  });

  test('is a conflict beyond the hundredth', () => {
    const note = { by: 'ada', note: 'x', at: timeAfter(0) };
    const almost = sampleItem({ notes: Array(MAX_NOTES - 1).fill(note) });
    const full = noteOnItem(almost, 'ada', 'the last one', OPENED_AT).item;
    expect(full.notes).toHaveLength(MAX_NOTES);
    expect(() => noteOnItem(full, 'ada', 'one more', OPENED_AT)).toThrow('the item has 100 notes already');
  });
});

describe('a resolution', () => {
  test('ends the item with the decision', () => {
    const decided = resolution('ada', { outcome: 'dismissed', response: null });
    expect(resolveItem(claimed, decided, OPENED_AT)).toMatchObject({
      item: {
        status: 'resolved',
        assignee: 'ada',
        claimedUntil: null,
        endedAt: decided.at,
        resolution: decided,
      },
      event: { type: 'inbox.resolved', by: 'ada', outcome: 'dismissed' },
    });
  });

  test('needs no claim before', () => {
    expect(resolveItem(open, resolution('bo'), OPENED_AT).item.assignee).toBe('bo');
  });

  test('is a conflict while somebody else has the item, and not once that claim has lapsed', () => {
    expect(() => resolveItem(claimed, resolution('bo'), OPENED_AT)).toThrow('claimed by "ada"');
    expect(resolveItem(claimed, resolution('bo'), OPENED_AT + CLAIM_MS).item.status).toBe('resolved');
  });

  test('counts once: the second one is a conflict', () => {
    const { item } = resolveItem(open, resolution('ada'), OPENED_AT);
    expect(() => resolveItem(item, resolution('ada'), OPENED_AT)).toThrow('is resolved by "ada"');
  });
});

describe('a further message that joins an item', () => {
  test('adds its reasons, each once', () => {
    const { item, event } = joinItem(claimed, {
      reasons: ['upset_customer', 'legal'],
      priority: 5,
      dueAt: timeAfter(9_999_999),
      expiresAt: timeAfter(9),
    });
    expect(item).toMatchObject({
      reasons: ['upset_customer', 'legal'],
      priority: 3,
      dueAt: claimed.dueAt,
      status: 'claimed',
      assignee: 'ada',
    });
    expect(event).toBeNull();
  });

  test('makes it as urgent and as early due as the more urgent of both', () => {
    const joining = { reasons: [], priority: 1, dueAt: timeAfter(5), expiresAt: timeAfter(9) } as const;
    expect(joinItem(open, joining).item).toMatchObject({ priority: 1, dueAt: timeAfter(5) });
    const never = sampleItem({ dueAt: null });
    expect(joinItem(never, joining).item.dueAt).toBe(timeAfter(5));
    expect(joinItem(never, { ...joining, dueAt: null }).item.dueAt).toBeNull();
  });

  test('lets it wait as long as the one of both that may wait longer', () => {
    const joining = { reasons: [], priority: 1, dueAt: null } as const;
    const joinedUntil = (item: InboxItem, ms: number) =>
      joinItem(item, { ...joining, expiresAt: timeAfter(ms) }).item.expiresAt;
    expect(joinedUntil(open, 86_400_001)).toBe(timeAfter(86_400_001));
    expect(joinedUntil(open, 86_399_999)).toBe(open.expiresAt);
    expect(joinedUntil(sampleItem({ expiresAt: null }), 5)).toBeNull();
  });

  test('adds no more reasons than 32', () => {
    const reasons = Array.from({ length: 50 }, (_, index) => `reason_${index}`);
    const atLeisure = { priority: 3, dueAt: null, expiresAt: timeAfter(9) } as const;
    expect(joinItem(open, { ...atLeisure, reasons }).item.reasons).toHaveLength(32);
  });
});

describe('time', () => {
  const at = (item: InboxItem, ms: number) => settleItem(item, OPENED_AT + ms);

  test('changes nothing before its time, and nothing of what has ended', () => {
    expect(at(open, 3_599_999)).toBeUndefined();
    expect(at(claimed, CLAIM_MS - 1)).toBeUndefined();
    for (const item of ended) expect(at(item, 999_999_999)).toBeUndefined();
    expect(at(sampleItem({ dueAt: null, expiresAt: null }), 1e12)).toBeUndefined();
  });

  test('ends a claim', () => {
    expect(at(claimed, CLAIM_MS)).toMatchObject({
      item: { status: 'open', assignee: null, claimedUntil: null, isOverdue: false },
      event: { type: 'inbox.released', by: 'service', outcome: 'lapsed' },
    });
  });

  test('makes an item overdue, without an event of the item, and only once', () => {
    const overdue = at(open, 3_600_000);
    expect(overdue).toMatchObject({ item: { status: 'open', isOverdue: true }, event: null });
    expect(overdue && at(overdue.item, 3_600_001)).toBeUndefined();
  });

  test('expires an item that nobody has resolved, claimed or not', () => {
    for (const item of [open, { ...claimed, claimedUntil: timeAfter(999_999_999) }]) {
      expect(at(item, 86_400_000)).toMatchObject({
        item: { status: 'expired', claimedUntil: null, endedAt: timeAfter(86_400_000), isOverdue: true },
        event: { type: 'inbox.expired', by: 'service', outcome: null },
      });
    }
  });

  test('does all that is due at once, so that a second look finds nothing', () => {
    const lapsed = at(claimed, 3_600_000);
    expect(lapsed?.item).toMatchObject({ status: 'open', isOverdue: true });
    expect(lapsed && at(lapsed.item, 3_600_000)).toBeUndefined();
  });
});

describe('a withdrawn item', () => {
  const full = sampleItem({
    status: 'claimed',
    assignee: 'SECRET',
    claimedUntil: timeAfter(1),
    title: 'SECRET',
    reasons: ['SECRET'],
    customerId: 'SECRET',
    conversationId: 'SECRET',
    excerpt: 'SECRET',
    draft: 'SECRET',
    payload: { a: 'SECRET' },
    responseSchema: { b: 'SECRET' },
    notes: [{ by: 'SECRET', note: 'SECRET', at: timeAfter(0) }],
  });

  test('holds nothing that a customer or a person wrote', () => {
    const { item, event } = withdrawItem(full, OPENED_AT + 7);
    expect(JSON.stringify(item)).not.toContain('SECRET');
    expect(item).toMatchObject({ itemId: 'item-1', status: 'withdrawn', endedAt: timeAfter(7), version: 2 });
    expect(event).toEqual({ type: 'inbox.resolved', by: 'service', outcome: 'withdrawn' });
  });

  test('that had ended before is emptied as well, keeps its end, and is told no second time', () => {
    const { item: resolved } = resolveItem(
      { ...full, assignee: 'ada', status: 'claimed' },
      resolution('ada', { response: 'SECRET', note: 'SECRET' }),
      OPENED_AT,
    );
    const { item, event } = withdrawItem(resolved, OPENED_AT + 99);
    expect(JSON.stringify(item)).not.toContain('SECRET');
    expect(item).toMatchObject({ status: 'withdrawn', endedAt: timeAfter(10), lastSeq: resolved.lastSeq });
    expect(event).toBeNull();
  });

  test('cannot be withdrawn again', () => {
    const { item } = withdrawItem(full, OPENED_AT);
    expect(() => withdrawItem(item, OPENED_AT)).toThrow('the item is withdrawn');
  });
});
