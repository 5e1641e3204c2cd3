import { notFound } from '../../domain/errors.ts';
import { type ItemChange, settleItem } from '../../domain/inbox/changes.ts';
import { inboxChanged } from '../../domain/inbox/inbox-events.ts';
import type { InboxItem } from '../../domain/inbox/item.ts';
import { assertSeen, type SeenVersion } from '../../domain/seen-version.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ItemUpdate } from '../../ports/storage/inbox-store.ts';
import { retryOnConflict } from '../retry-on-conflict.ts';

/** The records that are stored with a change of an item. */
export type StoredWithItem = Pick<ItemUpdate, 'reply' | 'example'>;

/**
 * Makes the next version of an item at a time; undefined leaves it as time has made it. Throws `conflict` where it
 * cannot be changed so.
 */
export type ChangeItem = (item: InboxItem, now: number) => ItemChange | undefined;

/** Changes items and emits their events. Every member rejects with `unavailable` when the store cannot be reached. */
export interface ItemWriter {
  /** Stores a new item, and emits that it was opened. */
  open(item: InboxItem): Promise<void>;
  /** Emits that an item was opened which was stored with the record of its message. */
  opened(item: InboxItem): void;
  /** Emits what became of an item at a time, in milliseconds since the epoch. */
  emit(change: ItemChange, at: number): void;
  /**
   * Changes an item as it is then, after what time has made of it: what another caller changes meanwhile is never lost.
   * Resolves to the item after the change. Rejects with `not_found`, with what `make` throws, and where the caller has
   * seen another version.
   */
  change(
    itemId: string,
    make: ChangeItem,
    options?: {
      readonly seen?: SeenVersion | undefined;
      /** The records that are stored together with the changed item. */
      readonly withItem?: ((changed: InboxItem) => StoredWithItem) | undefined;
    },
  ): Promise<InboxItem>;
}

/** Creates an {@link ItemWriter}. */
export function createItemWriter({
  clock,
  events,
  inbox,
}: Pick<Ports, 'clock' | 'events' | 'inbox'>): ItemWriter {
  /** An end has the time that the item has. */
  const emit = ({ item, event }: ItemChange, at: number): void => {
    if (event === null) return;
    const isEnd = event.type === 'inbox.resolved' || event.type === 'inbox.expired';
    events(inboxChanged(item, event, isEnd && item.endedAt !== null ? Date.parse(item.endedAt) : at));
  };
  const opened = (item: InboxItem): void =>
    emit({ item, event: { type: 'inbox.opened', by: 'service', outcome: null } }, Date.parse(item.openedAt));

  return {
    async open(item) {
      await inbox.create(item);
      opened(item);
    },
    opened,
    emit,
    change: (itemId, make, { seen, withItem } = {}) =>
      retryOnConflict('item', async () => {
        const item = await inbox.get(itemId);
        if (item === undefined) throw notFound('inbox item', itemId);
        assertSeen('item', item.version, seen);
        const now = clock.now();
        const settled = settleItem(item, now);
        const made = make(settled?.item ?? item, now);
        const changed = made ?? settled;
        if (changed === undefined) return item;
        const stored = made && withItem?.(made.item);
        const update = { item: changed.item, expectedVersion: item.version, ...stored };
        if (!(await inbox.update(update))) return undefined;
        if (settled !== undefined) emit(settled, now);
        if (made !== undefined) emit(made, now);
        if (changed.item.isOverdue && !item.isOverdue) {
          events({ type: 'inbox.overdue', itemId, itemKind: item.kind });
        }
        return changed.item;
      }),
  };
}
