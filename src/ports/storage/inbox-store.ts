import type { DatasetExample } from '../../domain/inbox/example.ts';
import type { InboxItem, ItemKind } from '../../domain/inbox/item.ts';
import type { InboxCounts, InboxFilter } from '../../domain/inbox/order.ts';
import type { ConversationEntry } from '../../domain/message/conversation.ts';

/** A place in a listing of items: after the item with this rank and id. */
export interface InboxPosition {
  readonly rank: number;
  readonly itemId: string;
}

/** The part of a listing that a caller requests. */
export interface InboxPageRequest {
  /** Maximum number of items, 1 to 200. */
  readonly limit: number;
  /** The `next` of the page before; the first items when absent. */
  readonly after?: InboxPosition | undefined;
}

/** A part of a listing. */
export interface InboxPage {
  readonly items: readonly InboxItem[];
  /** Where the next page begins; null after the last one. */
  readonly next: InboxPosition | null;
}

/** A change of an item, with what is stored together with it. */
export interface ItemUpdate {
  /** The item with its new version. */
  readonly item: InboxItem;
  /** The version that the store must have. */
  readonly expectedVersion: number;
  /** The reply of a person to the customer: it is added to the conversation of the item. */
  readonly reply?: ConversationEntry | undefined;
  /** The example that the decision teaches. */
  readonly example?: DatasetExample | undefined;
}

/** A claim of the first item that is open. */
export interface NextClaim {
  /** The kinds that are wanted; all of them when absent. */
  readonly kinds?: readonly ItemKind[] | undefined;
  readonly assignee: string;
  /** When the claim lapses: ISO 8601. */
  readonly claimedUntil: string;
}

/**
 * Everything that waits for a person, and for a while what did. Each member is one atomic step, and rejects with
 * `unavailable` when the store cannot be reached. What is read shares no object with what was stored.
 */
export interface InboxStore {
  /**
   * Stores a new item, of version 1. Ignores one that is stored already. Rejects with `unavailable` where no more items
   * can wait. The items of messages are stored by `ConversationStore.record`.
   */
  create(item: InboxItem): Promise<void>;
  /** An item, or undefined. */
  get(itemId: string): Promise<InboxItem | undefined>;
  /** Items in the order of `rankOf`, and of their ids where that is the same. */
  list(filter: InboxFilter, page: InboxPageRequest): Promise<InboxPage>;
  /** The numbers of waiting items. The time does not depend on the number of ended ones. */
  counts(): Promise<InboxCounts>;
  /**
   * Replaces an item, if the stored one has the expected version, with all that belongs to the update. An item that
   * ends lets go of its conversation, if that is held through it. Resolves to false, with nothing changed, for another
   * version and an unknown item.
   */
  update(update: ItemUpdate): Promise<boolean>;
  /**
   * Makes the first open item of the wanted kinds a `claimed` one: sets `status`, `assignee` and `claimedUntil`, and
   * adds 1 to `version` and `lastSeq`. Resolves to the item as it is then, or to undefined where none is open. Of
   * several callers, each gets another item.
   */
  claimNext(claim: NextClaim): Promise<InboxItem | undefined>;
  /** At most `limit` items whose `nextChangeAt` is at or before a time, in milliseconds since the epoch. */
  due(now: number, limit: number): Promise<readonly InboxItem[]>;
}
