import { unavailable } from '../../../domain/errors.ts';
import { type InboxItem, type ItemKind, isWaiting, itemKinds } from '../../../domain/inbox/item.ts';
import { fitsInboxFilter, nextChangeAt, rankOf, ranksOf } from '../../../domain/inbox/order.ts';
import { memoryBytes } from '../../../lib/json/size.ts';
import type { InboxStore } from '../../../ports/storage/inbox-store.ts';
import { copyItem } from './copy-item.ts';
import { createSortedItems, positionOf, type SortedItems } from './sorted-items.ts';

/** The items of the inbox in memory. */
export interface InboxItems extends Omit<InboxStore, 'update' | 'create'> {
  /** The stored item itself, which nobody may change. */
  find(itemId: string): InboxItem | undefined;
  /** Stores an item, in place of the one with its id. */
  put(item: InboxItem): void;
  /**
   * Removes what is too much for an item to be stored, in place of the one with its id. Throws `unavailable` where
   * nothing can be removed.
   */
  makeRoom(item: InboxItem): void;
}

/** The default of the memory that all items may take, in bytes. */
const DEFAULT_MAX_BYTES = 256 * 1_024 * 1_024;

/** About what an item takes beside its texts and its JSON, in bytes. */
const ITEM_BYTES = 1_024;

/**
 * Creates {@link InboxItems} for at most `maxItems`, and about `maxBytes` of memory. Of too many it removes the ones
 * that ended first, then the oldest messages that wait; never approvals, and never steps of unknown outcome.
 */
export function createInboxItems(maxItems: number, maxBytes = DEFAULT_MAX_BYTES): InboxItems {
  /** In the order in which they were stored first. */
  const items = new Map<string, InboxItem>();
  const all = createSortedItems();
  const open = new Map<ItemKind, SortedItems>(itemKinds.map((kind) => [kind, createSortedItems()]));
  /** The items that change by themselves, the next one first. */
  const timed = createSortedItems((item) => nextChangeAt(item) ?? Number.POSITIVE_INFINITY);
  /** The items that wait, the oldest first, and how many they are. */
  const waiting = createSortedItems(({ openedAt }) => Date.parse(openedAt));
  const counts = noItems();
  const sizes = new Map<string, number>();
  let bytes = 0;
  let overdue = 0;

  /** Counts an item that comes, or with -1 one that goes. */
  function count({ kind, status, isOverdue }: InboxItem, change: 1 | -1): void {
    if (status !== 'open' && status !== 'claimed') return;
    counts[kind][status] += change;
    if (isOverdue) overdue += change;
  }

  function openOf(kind: ItemKind): SortedItems {
    const sorted = open.get(kind);
    if (sorted === undefined) throw new Error(`${kind} is no kind of item`);
    return sorted;
  }

  function removeFromOrders(item: InboxItem): void {
    all.remove(item);
    if (item.status === 'open') openOf(item.kind).remove(item);
    if (nextChangeAt(item) !== null) timed.remove(item);
    if (isWaiting(item)) waiting.remove(item);
    count(item, -1);
  }

  function put(item: InboxItem): void {
    const before = items.get(item.itemId);
    if (before !== undefined) removeFromOrders(before);
    items.set(item.itemId, item);
    const size = sizeOf(item);
    bytes += size - (sizes.get(item.itemId) ?? 0);
    sizes.set(item.itemId, size);
    all.add(item);
    if (item.status === 'open') openOf(item.kind).add(item);
    if (nextChangeAt(item) !== null) timed.add(item);
    if (isWaiting(item)) waiting.add(item);
    count(item, 1);
  }

  /** The item that goes first, but for the one with that id. */
  function removable(itemId: string): InboxItem | undefined {
    const last = all.last();
    if (last !== undefined && last.itemId !== itemId && !isWaiting(last)) return last;
    for (const item of items.values())
      if (item.subject.kind === 'message' && item.itemId !== itemId) return item;
    return undefined;
  }

  return {
    find: (itemId) => items.get(itemId),
    put,
    makeRoom(stored) {
      const { itemId } = stored;
      const isNew = !items.has(itemId);
      const added = sizeOf(stored) - (sizes.get(itemId) ?? 0);
      while ((isNew && items.size >= maxItems) || (added > 0 && bytes + added > maxBytes)) {
        const item = removable(itemId);
        // An item that has ended is stored all the same: it can be removed for the next one.
        if (item === undefined && !isWaiting(stored)) return;
        if (item === undefined) throw unavailable(`the inbox is full: ${items.size} items wait`);
        removeFromOrders(item);
        items.delete(item.itemId);
        bytes -= sizes.get(item.itemId) ?? 0;
        sizes.delete(item.itemId);
      }
    },
    async get(itemId) {
      const item = items.get(itemId);
      return item && copyItem(item);
    },
    async list(filter, { limit, after }) {
      const [first, end] = ranksOf(filter);
      const start = first === 0 ? after : (after ?? { rank: first, itemId: '' });
      const found: InboxItem[] = [];
      for (const item of all.after(start)) {
        if (found.length > limit || rankOf(item) >= end) break;
        if (fitsInboxFilter(item, filter)) found.push(item);
      }
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const next = found.length > limit && last !== undefined ? positionOf(last) : null;
      return { items: shown.map(copyItem), next };
    },
    async counts() {
      const oldest = waiting.first();
      const oldestOpenedAt = oldest === undefined ? null : Date.parse(oldest.openedAt);
      return { waiting: structuredClone(counts), overdue, oldestOpenedAt };
    },
    async claimNext({ kinds = itemKinds, assignee, claimedUntil }) {
      const heads = kinds.flatMap((kind) => openOf(kind).first() ?? []);
      const [first] = heads.sort((a, b) => rankOf(a) - rankOf(b) || (a.itemId < b.itemId ? -1 : 1));
      if (first === undefined) return undefined;
      const { version, lastSeq } = first;
      const claimed = { ...first, status: 'claimed', assignee, claimedUntil } as const;
      const item: InboxItem = { ...claimed, version: version + 1, lastSeq: lastSeq + 1 };
      put(item);
      return copyItem(item);
    },
    async due(now, limit) {
      const found: InboxItem[] = [];
      for (const item of timed.after(undefined)) {
        if (found.length === limit || (nextChangeAt(item) ?? Number.POSITIVE_INFINITY) > now) break;
        found.push(item);
      }
      return found.map(copyItem);
    },
  };
}

/** About how many bytes an item takes in memory. */
function sizeOf(item: InboxItem): number {
  const { title, excerpt, draft, reasons, notes, resolution, payload, responseSchema } = item;
  const written = notes.reduce((sum, { by, note }) => sum + 2 * (by.length + note.length), 0);
  const said = reasons.reduce((sum, reason) => sum + 2 * reason.length, 2 * title.length);
  const given = [payload, responseSchema, resolution?.data ?? null, resolution?.output ?? null];
  const texts = [excerpt, draft, resolution?.response ?? null, resolution?.note ?? null];
  const shown = texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), 0);
  return (
    ITEM_BYTES + written + said + shown + given.reduce<number>((sum, value) => sum + memoryBytes(value), 0)
  );
}

function noItems() {
  return {
    escalation: { open: 0, claimed: 0 },
    draft: { open: 0, claimed: 0 },
    approval: { open: 0, claimed: 0 },
    recovery: { open: 0, claimed: 0 },
  };
}
