import type { InboxItem } from '../../../../domain/inbox/item.ts';
import { nextChangeAt, rankOf } from '../../../../domain/inbox/order.ts';
import { parseStored } from '../../client/stored-json.ts';
import type { Keys } from '../../keys.ts';
import { digestOf, toStoredId } from '../stored-ids.ts';

/** What the next claim of an item changes besides its numbers: scripts write these members without any other. */
type Claim = Pick<InboxItem, 'status' | 'assignee' | 'claimedUntil'>;

/** The number of keys and of values that `put_item` takes. */
export const ITEM_KEYS = 5;
export const ITEM_VALUES = 11;

/** The keys that `put_item` takes. */
export function itemKeys(keys: Keys, { itemId, kind }: Pick<InboxItem, 'itemId' | 'kind'>): string[] {
  const { items, allItems, openItems, claimedItems, itemTimers } = keys;
  return [items + toStoredId(itemId), allItems, openItems + kind, claimedItems + kind, itemTimers];
}

/** The values that `put_item` takes. An ended item expires `retentionMs` after its end. */
export function itemValues(item: InboxItem, retentionMs: number): string[] {
  const { itemId, status, version, lastSeq, endedAt, conversationId } = item;
  return [
    toStoredId(itemId),
    JSON.stringify(item),
    encodeClaim(item),
    status,
    String(version),
    String(lastSeq),
    String(rankOf(item)),
    String(nextChangeAt(item) ?? ''),
    String(nextChangeAt({ ...item, claimedUntil: null }) ?? ''),
    endedAt === null ? '' : String(Date.parse(endedAt) + retentionMs),
    conversationId === null ? '' : digestOf(conversationId),
  ];
}

/** The field `claim` of an item, which counts more than the same members of the field `item`. */
export function encodeClaim({ status, assignee, claimedUntil }: Claim): string {
  return JSON.stringify({ status, assignee, claimedUntil });
}

/** The strings of a stored item. */
export interface StoredItem {
  readonly id: string;
  readonly item: string;
  readonly claim: string;
  readonly version: string;
  readonly seq: string;
}

/** Converts a stored item back; undefined for one of another program. */
export function decodeItem({ id, item, claim, version, seq }: StoredItem): InboxItem | undefined {
  const body = parseStored<InboxItem>(item, ['reasons', 'notes'], ({ itemId }) => toStoredId(itemId) === id);
  const claimed = parseStored<Claim>(claim, [], ({ status }) => typeof status === 'string');
  if (body === undefined || claimed === undefined) return undefined;
  return { ...body, ...claimed, version: Number(version), lastSeq: Number(seq) };
}
