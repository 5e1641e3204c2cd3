import { isoTime } from '../../lib/text/time.ts';
import { conflict } from '../errors.ts';
import { type InboxEventType, type InboxItem, isWaiting, type Resolution } from './item.ts';

/** The next version of an item, and the event about it, if any. */
export interface ItemChange {
  readonly item: InboxItem;
  readonly event: {
    readonly type: InboxEventType;
    readonly by: string;
    readonly outcome: string | null;
  } | null;
}

/** The author of changes that the service made itself. */
const SERVICE = 'service';

function change(item: InboxItem, members: Partial<InboxItem>, event: ItemChange['event'] = null): ItemChange {
  const version = item.version + 1;
  const lastSeq = item.lastSeq + (event === null ? 0 : 1);
  return { item: { ...item, ...members, version, lastSeq }, event };
}

const nobody = { status: 'open', assignee: null, claimedUntil: null } as const;

/** An item as it is at a time: a claim that has lapsed counts no more. */
export function atTime(item: InboxItem, now: number): InboxItem {
  const { status, claimedUntil } = item;
  const hasLapsed = status === 'claimed' && claimedUntil !== null && Date.parse(claimedUntil) <= now;
  return hasLapsed ? { ...item, ...nobody } : item;
}

/** Throws `conflict` unless the item waits, and nobody but `by` has claimed it. */
function assertFree(item: InboxItem, by: string): void {
  assertWaiting(item);
  if (item.status === 'claimed' && item.assignee !== by) {
    throw conflict(`the item is claimed by ${JSON.stringify(item.assignee)} until ${item.claimedUntil}`);
  }
}

function assertWaiting(item: InboxItem): void {
  if (isWaiting(item)) return;
  const by = item.resolution === null ? '' : ` by ${JSON.stringify(item.resolution.by)}`;
  throw conflict(`the item is ${item.status}${by}`);
}

/** Claims an item, or renews the claim. Throws `conflict` where somebody else has it, or it waits no more. */
export function claimItem(given: InboxItem, by: string, now: number, claimMs: number): ItemChange {
  const item = atTime(given, now);
  assertFree(item, by);
  const members = { status: 'claimed', assignee: by, claimedUntil: isoTime(now + claimMs) } as const;
  const isRenewed = item.status === 'claimed';
  return change(item, members, isRenewed ? null : { type: 'inbox.claimed', by, outcome: null });
}

/** Gives a claim up. Throws `conflict` where somebody else has the item, nobody has, or it waits no more. */
export function releaseItem(given: InboxItem, by: string, now: number): ItemChange {
  const item = atTime(given, now);
  assertFree(item, by);
  if (item.status === 'open') throw conflict('nobody has claimed the item');
  return change(item, nobody, { type: 'inbox.released', by, outcome: null });
}

/** Claims an item for somebody else, whoever has it. Throws `conflict` where it waits no more. */
export function assignItem(
  given: InboxItem,
  { by, assignee }: { readonly by: string; readonly assignee: string },
  now: number,
  claimMs: number,
): ItemChange {
  const item = atTime(given, now);
  assertWaiting(item);
  const members = { status: 'claimed', assignee, claimedUntil: isoTime(now + claimMs) } as const;
  return change(item, members, { type: 'inbox.claimed', by, outcome: null });
}

/** The most notes that an item has. */
export const MAX_NOTES = 100;

/** Adds a note, to an ended item as well. Throws `conflict` where it has too many, or was withdrawn. */
export function noteOnItem(item: InboxItem, by: string, note: string, now: number): ItemChange {
  if (item.status === 'withdrawn') assertWaiting(item);
  if (item.notes.length >= MAX_NOTES) throw conflict(`the item has ${MAX_NOTES} notes already`);
  return change(item, { notes: [...item.notes, { by, note, at: isoTime(now) }] });
}

/** Ends an item by the decision of a person. Throws `conflict` where somebody else has it, or it waits no more. */
export function resolveItem(given: InboxItem, resolution: Resolution, now: number): ItemChange {
  const item = atTime(given, now);
  const { by, outcome } = resolution;
  assertFree(item, by);
  const ended = { status: 'resolved', assignee: by, claimedUntil: null, endedAt: resolution.at } as const;
  return change(item, { ...ended, resolution }, { type: 'inbox.resolved', by, outcome });
}

/**
 * Ends an item whose subject is no more. Nothing that a customer or a person wrote stays in it. Throws `conflict` where
 * it was withdrawn already.
 */
export function withdrawItem(item: InboxItem, now: number): ItemChange {
  if (item.status === 'withdrawn') assertWaiting(item);
  const emptied = {
    title: 'Withdrawn',
    reasons: [],
    customerId: null,
    conversationId: null,
    excerpt: null,
    draft: null,
    payload: null,
    responseSchema: null,
    notes: [],
    resolution: null,
    assignee: null,
  };
  const ended = { status: 'withdrawn', claimedUntil: null, endedAt: item.endedAt ?? isoTime(now) } as const;
  // An end that was told is not told again.
  const event = isWaiting(item) && { type: 'inbox.resolved' as const, by: SERVICE, outcome: 'withdrawn' };
  return change(item, { ...emptied, ...ended }, event || null);
}

/** The additions that a further message of its conversation makes to an item. */
export interface JoiningMessage {
  readonly reasons: readonly string[];
  readonly priority: InboxItem['priority'];
  /** ISO 8601; null for none. */
  readonly dueAt: string | null;
  /** When nobody can answer it any more: ISO 8601. */
  readonly expiresAt: string;
}

/** The most reasons that an item has. */
const MAX_REASONS = 32;

/**
 * Adds a message to an item that waits: the item is as urgent as the more urgent of both, and waits as long as the one
 * that may wait longer. Throws `conflict` otherwise.
 */
export function joinItem(
  item: InboxItem,
  { reasons, priority, dueAt, expiresAt }: JoiningMessage,
): ItemChange {
  assertWaiting(item);
  const dueTimes = [item.dueAt, dueAt].flatMap((time) => time ?? []).sort();
  return change(item, {
    reasons: [...new Set([...item.reasons, ...reasons])].slice(0, MAX_REASONS),
    priority: priority < item.priority ? priority : item.priority,
    dueAt: dueTimes[0] ?? null,
    expiresAt: item.expiresAt === null || item.expiresAt > expiresAt ? item.expiresAt : expiresAt,
  });
}

/** Ends an item about which nobody has decided in time. */
export function expireItem(item: InboxItem, now: number): ItemChange {
  const ended = { status: 'expired', claimedUntil: null, endedAt: isoTime(now) } as const;
  return change(item, ended, { type: 'inbox.expired', by: SERVICE, outcome: null });
}

/** The change of an item by time: it has expired, its claim has lapsed, or it is overdue. Undefined without one. */
export function settleItem(item: InboxItem, now: number): ItemChange | undefined {
  if (!isWaiting(item)) return undefined;
  const { expiresAt, dueAt, claimedUntil } = item;
  const isOverdue = item.isOverdue || (dueAt !== null && Date.parse(dueAt) <= now);
  if (expiresAt !== null && Date.parse(expiresAt) <= now) {
    return expireItem({ ...item, isOverdue }, now);
  }
  if (claimedUntil !== null && Date.parse(claimedUntil) <= now) {
    const event = { type: 'inbox.released', by: SERVICE, outcome: 'lapsed' } as const;
    return change(item, { ...nobody, isOverdue }, event);
  }
  return isOverdue && !item.isOverdue ? change(item, { isOverdue }) : undefined;
}
