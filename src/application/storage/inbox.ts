import { unavailable } from '../../domain/errors.ts';
import { type InboxItem, type ItemKind, isWaiting } from '../../domain/inbox/item.ts';
import {
  FIRST_ENDED_RANK,
  type InboxFilter,
  nextChangeAt,
  rankOf,
  ranksOf,
} from '../../domain/inbox/order.ts';
import { type ConversationEntry, withEntries } from '../../domain/message/conversation.ts';
import { definedMembers } from '../../lib/defined.ts';
import type { InboxStore } from '../../ports/storage/inbox-store.ts';
import { type Change, type Table, write } from '../../ports/storage/store.ts';
import { peekConversation, writeConversation } from './conversations.ts';
import { writeExample } from './examples.ts';
import { type StorageParts, update } from './update.ts';

/** An item as it is stored. */
export interface InboxRow {
  readonly item: InboxItem;
  /** When it expires, in milliseconds since the epoch; null while it waits. */
  readonly keptUntil: number | null;
}

/** Items of a kind that wait, in a status. */
const queueOf = (status: 'open' | 'claimed', kind: ItemKind): string => `${status} ${kind}`;

/** The items of the inbox, by their ids. */
export const inboxTable: Table<InboxRow> = {
  name: 'inbox',
  texts: {
    kind: ({ item }) => item.kind,
    status: ({ item }) => item.status,
    priority: ({ item }) => String(item.priority),
    overdue: ({ item }) => String(isWaiting(item) && item.isOverdue),
    assignee: ({ item }) => item.assignee,
    customer: ({ item }) => item.customerId,
    queue: ({ item: { kind, status } }) =>
      status === 'open' || status === 'claimed' ? queueOf(status, kind) : null,
  },
  numbers: {
    rank: ({ item }) => rankOf(item),
    open_rank: ({ item }) => (item.status === 'open' ? rankOf(item) : null),
    next_change_at: ({ item }) => nextChangeAt(item),
    waiting_since: ({ item }) => (isWaiting(item) ? Date.parse(item.openedAt) : null),
  },
  expiresAt: ({ keptUntil }) => keptUntil,
  isPrivate: () => true,
};

/** The change that stores an item, which expires `retentionMs` milliseconds after its end. */
export function writeItem(item: InboxItem, retentionMs: number): Change {
  const { itemId, endedAt } = item;
  const keptUntil = endedAt === null ? null : Date.parse(endedAt) + retentionMs;
  return write(inboxTable, itemId, { item, keptUntil });
}

/** Options of {@link createInboxStore}. */
export interface InboxStoreOptions {
  /** Retention of an item from its end, and of a conversation from its last change, in milliseconds. */
  readonly retentionMs: number;
  /** The most items that may wait for `create` to store another one: about, where several are stored at a time. */
  readonly maxWaitingItems: number;
}

/** The most open items among which a caller chooses after a conflict. */
const MAX_CHOICES = 32;

/** Creates the inbox in a store. */
export function createInboxStore(
  parts: StorageParts,
  { retentionMs, maxWaitingItems }: InboxStoreOptions,
): InboxStore {
  const { store, random } = parts;

  async function find(itemId: string) {
    const [stored] = await store.read(inboxTable, [itemId]);
    return stored;
  }

  async function countsOf(kind: ItemKind) {
    const count = (status: 'open' | 'claimed') =>
      store.count(inboxTable, { where: { queue: queueOf(status, kind) } });
    const [open, claimed] = await Promise.all([count('open'), count('claimed')]);
    return { open, claimed };
  }

  /** The change of the conversation of a stored item: the reply is added, and an item that has ended lets go of it. */
  async function changesOfConversation(
    { conversationId, customerId, itemId }: InboxItem,
    reply: ConversationEntry | undefined,
    hasEnded: boolean,
  ): Promise<readonly Change[]> {
    if (conversationId === null || (reply === undefined && !hasEnded)) return [];
    const known = await peekConversation(store, conversationId);
    if (known === undefined) return [];
    const { conversation, keptUntil } = known.row;
    const isReplied = reply !== undefined && conversation.customerId === customerId;
    const replied = isReplied ? withEntries(conversation, [reply]) : conversation;
    const isFreed = hasEnded && replied.openItemId === itemId;
    if (!isReplied && !isFreed) return [];
    const next = isFreed ? { ...replied, openItemId: null } : replied;
    return [writeConversation(known, next, isReplied ? store.now() + retentionMs : keptUntil)];
  }

  return {
    async create(item) {
      const change = writeItem(item, retentionMs);
      const waiting =
        maxWaitingItems === Number.POSITIVE_INFINITY
          ? 0
          : await store.count(inboxTable, { between: { rank: { until: FIRST_ENDED_RANK } } });
      if (waiting >= maxWaitingItems && (await find(item.itemId)) === undefined) {
        throw unavailable(`the inbox is full: ${waiting} items wait`);
      }
      await store.commit([{ ...change, ifAbsent: true }]);
    },
    get: async (itemId) => (await find(itemId))?.row.item,
    async list(filter, { limit, after }) {
      const [from, until] = ranksOf(filter);
      const found = await store.range(inboxTable, {
        where: whereOf(filter),
        between: { rank: { from, until } },
        order: 'rank',
        after: after && { value: after.rank, id: after.itemId },
        limit: limit + 1,
      });
      const items = found.slice(0, limit).map(({ row }) => row.item);
      const last = items.at(-1);
      const hasNext = found.length > limit && last !== undefined;
      return { items, next: hasNext ? { rank: rankOf(last), itemId: last.itemId } : null };
    },
    async counts() {
      const [escalation, draft, approval, recovery, overdue, [oldest]] = await Promise.all([
        countsOf('escalation'),
        countsOf('draft'),
        countsOf('approval'),
        countsOf('recovery'),
        store.count(inboxTable, { where: { overdue: 'true' } }),
        store.range(inboxTable, { order: 'waiting_since', limit: 1 }),
      ]);
      const oldestOpenedAt = oldest === undefined ? null : Date.parse(oldest.row.item.openedAt);
      return { waiting: { escalation, draft, approval, recovery }, overdue, oldestOpenedAt };
    },
    async update({ item, expectedVersion, reply, example }) {
      // Encoded at once: the caller may change its objects later.
      const ofItem = writeItem(item, retentionMs);
      const ofExample = example === undefined ? [] : [writeExample(example)];
      const said = structuredClone(reply);
      const hasEnded = !isWaiting(item);
      return update(parts, async () => {
        const stored = await find(ofItem.id);
        if (stored?.row.item.version !== expectedVersion) return { changes: [], result: false };
        const ofConversation = await changesOfConversation(stored.row.item, said, hasEnded);
        const changes = [{ ...ofItem, expects: stored.version }, ...ofConversation, ...ofExample];
        return { changes, result: true };
      });
    },
    async claimNext({ kinds, assignee, claimedUntil }) {
      const where = definedMembers({ queue: kinds?.map((kind) => queueOf('open', kind)) });
      let choices = 1;
      return update(parts, async () => {
        const open = await store.range(inboxTable, { where, order: 'open_rank', limit: choices });
        // The first one. After a conflict any of the first few, or many callers would all try the same one.
        const chosen = open[Math.floor(random() * open.length)];
        if (chosen === undefined) return { changes: [], result: undefined };
        choices = Math.min(4 * choices, MAX_CHOICES);
        const { item } = chosen.row;
        const { version, lastSeq } = item;
        const claimed: InboxItem = {
          ...item,
          status: 'claimed',
          assignee,
          claimedUntil,
          version: version + 1,
          lastSeq: lastSeq + 1,
        };
        const change = { ...writeItem(claimed, retentionMs), expects: chosen.version };
        return { changes: [change], result: claimed };
      });
    },
    async due(now, limit) {
      const between = { next_change_at: { until: now + 1 } };
      const found = await store.range(inboxTable, { between, order: 'next_change_at', limit });
      return found.map(({ row }) => row.item);
    },
  };
}

function whereOf({ statuses, kinds, assignee, priorities, overdue, customerId }: InboxFilter) {
  return definedMembers({
    status: statuses,
    kind: kinds,
    assignee,
    priority: priorities?.map(String),
    overdue: overdue === undefined ? undefined : String(overdue),
    customer: customerId,
  });
}
