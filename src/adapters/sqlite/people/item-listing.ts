import { waitingStatuses } from '../../../domain/inbox/item.ts';
import { type InboxFilter, ranksOf } from '../../../domain/inbox/order.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import type { InboxPageRequest, InboxPosition } from '../../../ports/storage/inbox-store.ts';
import type { Connection } from '../connection.ts';
import { digestOf, keyOf } from '../private-values.ts';
import { numberOf, textOf } from '../rows.ts';

/** A part of a scan: a small one first, because most pages are the first ones. */
const FIRST_PART = 256;
const MAX_PART = 4_096;

/** A row of a listing. */
export interface ListedRow {
  readonly position: number;
  /** Its rank and its id as it is stored. */
  readonly place: number;
  readonly id: string;
}

type Condition = readonly [text: string, value: string | number];

/** What is compared row by row. */
function conditionsOf({ statuses, kinds, assignee, priorities, overdue }: InboxFilter): readonly Condition[] {
  const conditions: Condition[] = [];
  const isOneOf = (column: string, values: readonly unknown[]): void => {
    conditions.push([`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values)]);
  };
  if (statuses !== undefined) isOneOf('status', statuses);
  if (kinds !== undefined) isOneOf('kind', kinds);
  if (priorities !== undefined) isOneOf('priority', priorities);
  if (assignee !== undefined) conditions.push(['assignee = ?', digestOf(assignee)]);
  if (overdue !== undefined) {
    const waiting = waitingStatuses.map((status) => `'${status}'`).join(', ');
    conditions.push([`(overdue = 1 AND status IN (${waiting})) = ?`, Number(overdue)]);
  }
  return conditions;
}

/**
 * Finds the rows of a page in their order, and one more where there is one. Rows with a rank of `limitRank` or more have
 * expired. Looks at rows in parts, and lets other work run between them. Rejects with `unavailable`.
 */
export async function findItems(
  { prepare, read }: Connection,
  filter: InboxFilter,
  { limit, after }: InboxPageRequest,
  limitRank: number,
): Promise<readonly ListedRow[]> {
  const [first, end] = ranksOf(filter);
  const compared = conditionsOf(filter);
  const customer = filter.customerId === undefined ? [] : [digestOf(filter.customerId)];
  const part = `SELECT position, place, id, kind, status, priority, overdue, assignee FROM items
    WHERE ${customer.length === 0 ? '' : 'customer = ? AND'} (place, id) > (?, ?) AND place < ?
    ORDER BY place, id LIMIT ?`;
  const fitting = ['TRUE', ...compared.map(([text]) => text)].join(' AND ');
  const page = prepare(`SELECT position, place, id FROM (${part}) WHERE ${fitting} LIMIT ?`);
  const last = prepare(`SELECT place, id FROM (${part}) LIMIT 1 OFFSET ?`);
  const values = compared.map(([, value]) => value);
  const found: ListedRow[] = [];
  let from = startOf(first, after);
  for (let size = FIRST_PART; ; size = Math.min(4 * size, MAX_PART)) {
    const inPart = [...customer, from.place, from.id, Math.min(end, limitRank), size];
    const edge = read(() => {
      for (const row of page.all(...inPart, ...values, limit + 1 - found.length)) {
        found.push({
          position: numberOf(row, 'position'),
          place: numberOf(row, 'place'),
          id: textOf(row, 'id'),
        });
      }
      return found.length > limit ? undefined : last.get(...inPart, size - 1);
    });
    if (edge === undefined) return found;
    from = { place: numberOf(edge, 'place'), id: textOf(edge, 'id') };
    await yieldIfDue();
  }
}

/** The place after which a page begins. */
function startOf(first: number, after: InboxPosition | undefined): Pick<ListedRow, 'place' | 'id'> {
  if (after === undefined || after.rank < first) return { place: first, id: '' };
  return { place: after.rank, id: keyOf(after.itemId) };
}
