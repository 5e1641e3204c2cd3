import { type InboxItem, isWaiting, itemKinds } from '../../../../domain/inbox/item.ts';
import { fitsInboxFilter, type InboxFilter, rankOf } from '../../../../domain/inbox/order.ts';
import { yieldIfDue } from '../../../../lib/async/yield.ts';
import type { InboxPage, InboxPageRequest, InboxPosition } from '../../../../ports/storage/inbox-store.ts';
import { StoreError } from '../../client/errors.ts';
import type { Keys } from '../../keys.ts';
import { memberText } from '../../records/filtered-records.ts';
import type { PeopleParts } from '../parts.ts';
import { toStoredId } from '../stored-ids.ts';
import { decodeItem } from './item-encoding.ts';
import { rangesOf } from './item-ranks.ts';
import { type ItemScan, SCANNED_SETS } from './item-read-scripts.ts';

/** The most items that a script reads at a time. */
const BATCH_SIZE = 200;

/**
 * A page of the items that fit a filter. Reads the items of the ranks that fit, from the first to the last, a batch at a
 * time; the store leaves out most items that cannot fit. Rejects with `StoreError`.
 */
export async function listItems(
  { keys, connection }: PeopleParts,
  filter: InboxFilter,
  { limit, after }: InboxPageRequest,
): Promise<InboxPage> {
  const sets = setsOf(keys, filter);
  const unused = Array.from({ length: SCANNED_SETS - sets.length }, () => '');
  const scriptKeys = [keys.allItems, ...sets, ...unused];
  const texts = JSON.stringify(requiredTexts(filter));
  const found: InboxItem[] = [];

  /** Finds items of the ranks after a position and before `end`. */
  async function scan(position: InboxPosition, end: number): Promise<void> {
    let from: InboxPosition | undefined = position;
    while (from !== undefined && found.length <= limit) {
      const { rank, itemId } = from;
      const numbers = [String(end), String(BATCH_SIZE), String(limit + 1 - found.length)];
      const values = [String(rank), itemId, ...numbers, keys.items, texts];
      const batch: ItemScan = await connection.run('EVALSHA', (client) =>
        client.scanItems(scriptKeys, values),
      );
      for (const stored of batch.items) {
        await yieldIfDue();
        const item = decodeItem(stored);
        if (item !== undefined && fitsInboxFilter(item, filter)) found.push(item);
      }
      from = batch.last;
      if (from !== undefined && from.rank < rank) throw new StoreError('reply', 'UNEXPECTED');
    }
  }

  const start = after === undefined ? undefined : { rank: after.rank, itemId: toStoredId(after.itemId) };
  for (const [first, end] of sets.length === 0 ? [] : rangesOf(filter)) {
    if (start !== undefined && start.rank >= end) continue;
    await scan(start !== undefined && start.rank >= first ? start : { rank: first, itemId: '' }, end);
    if (found.length > limit) break;
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return { items: shown, next: isMore ? { rank: rankOf(last), itemId: last.itemId } : null };
}

/**
 * The sorted sets that have all items of a filter: only those of some kinds or statuses where it wants no ended ones, so
 * that a few of them are found fast among very many others. What is open is assigned to nobody.
 */
function setsOf(keys: Keys, { statuses, kinds, assignee }: InboxFilter): string[] {
  const isNarrow = kinds !== undefined || assignee !== undefined || statuses?.length === 1;
  if (!isNarrow || statuses === undefined || statuses.some((status) => !isWaiting({ status }))) {
    return [keys.allItems];
  }
  const open = statuses.includes('open') && assignee === undefined ? [keys.openItems] : [];
  const claimed = statuses.includes('claimed') ? [keys.claimedItems] : [];
  const wanted = itemKinds.filter((kind) => kinds === undefined || kinds.includes(kind));
  return [...open, ...claimed].flatMap((prefix) => wanted.map((kind) => prefix + kind));
}

/** Texts that an item that fits contains in its JSON or in that of its claim: one of each list. */
function requiredTexts(filter: InboxFilter): string[][] {
  const { statuses, kinds, assignee, priorities, overdue, customerId } = filter;
  return [
    ...(statuses === undefined ? [] : [statuses.map((status) => memberText({ status }))]),
    ...(kinds === undefined ? [] : [kinds.map((kind) => memberText({ kind }))]),
    ...(priorities === undefined ? [] : [priorities.map((priority) => memberText({ priority }))]),
    ...(overdue === true ? [[memberText({ isOverdue: true })]] : []),
    ...(assignee === undefined ? [] : [[memberText({ assignee })]]),
    ...(customerId === undefined ? [] : [[memberText({ customerId })]]),
  ];
}
