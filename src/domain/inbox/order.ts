import { type InboxItem, type ItemKind, type ItemStatus, isWaiting, type Priority } from './item.ts';

/** More than any time in milliseconds since the epoch, up to the year 2109. */
const TIMES = 2 ** 42;

/** Ranks of items that wait are lower, those of ended ones are this or higher. */
export const FIRST_ENDED_RANK = 16 * TIMES;

/** Above all ranks. */
export const RANK_LIMIT = FIRST_ENDED_RANK + TIMES;

/**
 * The place of an item in listings, as an integer that a double represents exactly: overdue items first, then by
 * priority, then the oldest first; ended items after all others, the last one that ended first. Items with the same
 * rank are in the order of their ids.
 */
export function rankOf(item: Pick<InboxItem, 'isOverdue' | 'priority' | 'openedAt' | 'endedAt'>): number {
  const { isOverdue, priority, openedAt, endedAt } = item;
  if (endedAt !== null) return rankOfEnd(Date.parse(endedAt));
  return ((isOverdue ? 0 : 8) + priority) * TIMES + Date.parse(openedAt);
}

/** The rank of an item that ended at that time, in milliseconds since the epoch: of earlier ends it is higher. */
export function rankOfEnd(ms: number): number {
  return RANK_LIMIT - 1 - ms;
}

/** When an item changes by itself, in milliseconds since the epoch: its claim lapses, it is overdue, or it expires. */
export function nextChangeAt(item: InboxItem): number | null {
  if (!isWaiting(item)) return null;
  const { claimedUntil, dueAt, isOverdue, expiresAt } = item;
  const times = [claimedUntil, isOverdue ? null : dueAt, expiresAt].flatMap((time) =>
    time === null ? [] : [Date.parse(time)],
  );
  return times.length === 0 ? null : Math.min(...times);
}

/** Which items a listing shows: those that fit every member that is given. */
export interface InboxFilter {
  readonly statuses?: readonly ItemStatus[] | undefined;
  readonly kinds?: readonly ItemKind[] | undefined;
  readonly assignee?: string | undefined;
  readonly priorities?: readonly Priority[] | undefined;
  readonly overdue?: boolean | undefined;
  readonly customerId?: string | undefined;
}

/** True for an item that fits the filter. */
export function fitsInboxFilter(item: InboxItem, filter: InboxFilter): boolean {
  const { statuses, kinds, assignee, priorities, overdue, customerId } = filter;
  if (statuses !== undefined && !statuses.includes(item.status)) return false;
  if (kinds !== undefined && !kinds.includes(item.kind)) return false;
  if (assignee !== undefined && item.assignee !== assignee) return false;
  if (priorities !== undefined && !priorities.includes(item.priority)) return false;
  if (overdue !== undefined && (isWaiting(item) && item.isOverdue) !== overdue) return false;
  return customerId === undefined || item.customerId === customerId;
}

/** The ranks that items of a filter can have: from the first to below the second. */
export function ranksOf({ statuses, overdue }: InboxFilter): readonly [number, number] {
  const waits = statuses === undefined || statuses.some((status) => isWaiting({ status }));
  const ended = statuses === undefined || statuses.some((status) => !isWaiting({ status }));
  const last = waits && (!ended || overdue === true) ? FIRST_ENDED_RANK : RANK_LIMIT;
  return [waits ? 0 : FIRST_ENDED_RANK, last];
}

/** The numbers of waiting items. */
export interface InboxCounts {
  /** By kind and status, each of them. */
  readonly waiting: Readonly<Record<ItemKind, { readonly open: number; readonly claimed: number }>>;
  /** Items that wait and are overdue, as far as that was seen. */
  readonly overdue: number;
  /** When the item that waits longest was opened, in milliseconds since the epoch; null without one. */
  readonly oldestOpenedAt: number | null;
}
