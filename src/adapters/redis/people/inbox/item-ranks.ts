import { priorities } from '../../../../domain/inbox/item.ts';
import {
  FIRST_ENDED_RANK,
  type InboxFilter,
  RANK_LIMIT,
  rankOf,
  ranksOf,
} from '../../../../domain/inbox/order.ts';

/** How many ranks the waiting items of a priority have, those that are overdue and the others each. */
export const RANKS_OF_PRIORITY = RANK_LIMIT - FIRST_ENDED_RANK;

const epoch = { openedAt: '1970-01-01T00:00:00.000Z', endedAt: null };

/** The first rank of items that wait and are not overdue. */
export const FIRST_TIMELY_RANK = rankOf({ ...epoch, isOverdue: false, priority: 1 });

/** The first ranks of the waiting items that a filter describes by their priority, and whether they are overdue, in order. */
export function waitingRanks({
  overdue,
  priorities: wanted = priorities,
}: Pick<InboxFilter, 'overdue' | 'priorities'>): number[] {
  const states = overdue === undefined ? [true, false] : [overdue];
  const shown = priorities.filter((priority) => wanted.includes(priority));
  return states.flatMap((isOverdue) => shown.map((priority) => rankOf({ ...epoch, isOverdue, priority })));
}

/** The ranges of ranks that items of a filter can have, in order: from the first to below the second. */
export function rangesOf(filter: InboxFilter): (readonly [number, number])[] {
  const [first, end] = ranksOf(filter);
  if (filter.priorities === undefined && filter.overdue === undefined) return [[first, end]];
  const waiting = waitingRanks(filter).map((rank) => [rank, rank + RANKS_OF_PRIORITY] as const);
  const ended = [FIRST_ENDED_RANK, RANK_LIMIT] as const;
  return [...(first === 0 ? waiting : []), ...(end === RANK_LIMIT ? [ended] : [])];
}
