import type { InboxItem } from '../../../domain/inbox/item.ts';
import { rankOf } from '../../../domain/inbox/order.ts';
import { itemAt } from '../../../lib/array.ts';
import type { InboxPosition } from '../../../ports/storage/inbox-store.ts';

/** Items in the order of a number, and of their ids where that is the same. */
export interface SortedItems {
  add(item: InboxItem): void;
  /** Removes an item, which must be the one that was added. */
  remove(item: InboxItem): void;
  /** The items after a position, or all of them. They must not change meanwhile. */
  after(position: InboxPosition | undefined): Iterable<InboxItem>;
  /** The first item; undefined where there is none. */
  first(): InboxItem | undefined;
  /** The last item; undefined where there is none. */
  last(): InboxItem | undefined;
}

interface Entry extends InboxPosition {
  readonly item: InboxItem;
}

/** The most entries of a part: to add or remove one moves no more than these. */
const MAX_PART = 512;

/** Creates {@link SortedItems} without items, in the order of listings unless another number is given. */
export function createSortedItems(numberOf: (item: InboxItem) => number = rankOf): SortedItems {
  /** The entries in parts, none of them empty. */
  const parts: Entry[][] = [];
  const entryOf = (item: InboxItem): Entry => ({ rank: numberOf(item), itemId: item.itemId, item });

  /** The part to which a position belongs: the last one that begins at or before it, else the first one. */
  function partOf(position: InboxPosition): number {
    const next = countWhile(parts, (part) => !isBefore(position, itemAt(part, 0)));
    return Math.max(0, next - 1);
  }

  return {
    add(item) {
      const entry = entryOf(item);
      const index = partOf(entry);
      const part = parts[index];
      if (part === undefined) {
        parts.push([entry]);
        return;
      }
      part.splice(placeIn(part, entry), 0, entry);
      if (part.length > MAX_PART) parts.splice(index + 1, 0, part.splice(MAX_PART / 2));
    },
    remove(item) {
      const entry = entryOf(item);
      const index = partOf(entry);
      const part = itemAt(parts, index);
      part.splice(placeIn(part, entry), 1);
      if (part.length === 0) parts.splice(index, 1);
    },
    *after(position) {
      const first = position === undefined ? 0 : partOf(position);
      for (let index = first; index < parts.length; index++) {
        for (const entry of itemAt(parts, index)) {
          if (position === undefined || isBefore(position, entry)) yield entry.item;
        }
      }
    },
    first: () => parts[0]?.[0]?.item,
    last: () => parts.at(-1)?.at(-1)?.item,
  };
}

function isBefore(one: InboxPosition, other: InboxPosition): boolean {
  return one.rank === other.rank ? one.itemId < other.itemId : one.rank < other.rank;
}

/** The index of the first entry that is not before another one. */
function placeIn(part: readonly Entry[], entry: InboxPosition): number {
  return countWhile(part, (one) => isBefore(one, entry));
}

/** How many values at the beginning fulfil a condition, which all after them do not. */
function countWhile<T>(values: readonly T[], fulfils: (value: T) => boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fulfils(itemAt(values, middle))) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The position of an item in listings. */
export function positionOf(item: InboxItem): InboxPosition {
  return { rank: rankOf(item), itemId: item.itemId };
}
