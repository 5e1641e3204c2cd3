import { type Conversation, MAX_HISTORY } from '../../domain/message/conversation.ts';
import type { ConversationStore } from '../../ports/storage/conversation-store.ts';
import {
  type Change,
  remove,
  type Store,
  type Stored,
  type Table,
  writeKept,
} from '../../ports/storage/store.ts';
import { type StorageParts, update } from './update.ts';

/** A conversation as it is stored, with all its entries. */
export interface ConversationRow {
  readonly conversation: Conversation;
  /** When it expires, in milliseconds since the epoch. */
  readonly keptUntil: number;
}

/** The conversations of all customers, by their ids. */
export const conversationTable: Table<ConversationRow> = {
  name: 'conversations',
  texts: { customer: ({ conversation }) => conversation.customerId },
  numbers: {},
  expiresAt: ({ keptUntil }) => keptUntil,
  isPrivate: () => true,
};

/** A conversation as it was read. */
export type KnownConversation = Pick<Stored<ConversationRow>, 'version' | 'row'>;

/** The change that replaces a conversation that was read. Without `keptUntil` it expires when it did before. */
export function writeConversation(
  { version, row }: KnownConversation,
  conversation: Conversation,
  keptUntil = row.keptUntil,
): Change {
  const { conversationId } = conversation;
  return writeRow(conversationId, { conversation, keptUntil }, version);
}

/** A row never changes, and nothing that it holds does: a long conversation need not be encoded for each message. */
function writeRow(conversationId: string, row: ConversationRow, expects: number | null): Change {
  return writeKept(conversationTable, conversationId, row, { expects, bytes: bytesOf(row.conversation) });
}

/** About how many bytes an entry takes beside its text. */
const ENTRY_BYTES = 256;

function bytesOf({ entries }: Conversation): number {
  return entries.reduce((sum, { text }) => sum + ENTRY_BYTES + text.length, ENTRY_BYTES);
}

/** A conversation as it is stored, which nobody may change. */
export async function peekConversation(store: Store, id: string): Promise<KnownConversation | undefined> {
  if (store.local !== undefined) return store.local.peek(conversationTable, id);
  const [known] = await store.read(conversationTable, [id]);
  return known;
}

/** Options of {@link createConversationStore}. */
export interface ConversationStoreOptions {
  /** Retention of a conversation from its last change, in milliseconds. */
  readonly retentionMs: number;
  /** Called with each conversation that a message enters. */
  readonly onEntered: (conversationId: string, known: KnownConversation) => void;
}

/** A conversation that expires within this time stays longer when a message enters it, in milliseconds. */
const SOON_MS = 3_600_000;

/** The most conversations that are read at a time. */
const PAGE = 100;

/** Creates the conversations in a store; messages are stored by `createPeople`. */
export function createConversationStore(
  parts: StorageParts,
  { retentionMs, onEntered }: ConversationStoreOptions,
): Omit<ConversationStore, 'record'> {
  const { store } = parts;
  const soonMs = Math.min(SOON_MS, retentionMs / 2);

  async function find(conversationId: string) {
    const [known] = await store.read(conversationTable, [conversationId]);
    return known;
  }

  /** Stores a conversation that has begun, or a later end of its retention. Undefined where another has changed it. */
  async function keep(conversation: Conversation, known: KnownConversation | undefined) {
    const row = { conversation, keptUntil: store.now() + retentionMs };
    const expects = known?.version ?? null;
    const [version] = (await store.commit([writeRow(conversation.conversationId, row, expects)])) ?? [];
    return version === undefined ? undefined : { version, row };
  }

  return {
    async enter(conversationId, customerId, at) {
      const times = { createdAt: at, updatedAt: at };
      for (;;) {
        const found = await peekConversation(store, conversationId);
        if (found !== undefined && found.row.conversation.customerId !== customerId) return undefined;
        const begun = { conversationId, customerId, openItemId: null, entries: [], ...times };
        const isLasting = found !== undefined && found.row.keptUntil > store.now() + soonMs;
        const known = isLasting ? found : await keep(found?.row.conversation ?? begun, found);
        // Another message has begun or changed it in the meantime.
        if (known === undefined) continue;
        onEntered(conversationId, known);
        const { conversation } = known.row;
        return { ...conversation, entries: structuredClone(conversation.entries.slice(-MAX_HISTORY)) };
      }
    },
    async get(conversationId) {
      const conversation = (await find(conversationId))?.row.conversation;
      return conversation?.entries.length === 0 ? undefined : conversation;
    },
    removeEntries: (conversationId, traceId) =>
      update(parts, async () => {
        const none = { changes: [], result: undefined };
        const known = await find(conversationId);
        if (known === undefined) return none;
        const { conversation } = known.row;
        const entries = conversation.entries.filter((entry) => entry.traceId !== traceId);
        // A conversation without entries has just begun: its first message is still handled.
        if (entries.length === conversation.entries.length) return none;
        const change =
          entries.length === 0
            ? remove(conversationTable, conversationId, known.version)
            : { ...writeConversation(known, { ...conversation, entries }), erases: true };
        return { changes: [change], result: undefined };
      }),
    delete: (conversationId) =>
      update(parts, async () => {
        const known = await find(conversationId);
        if (known === undefined) return { changes: [], result: false };
        return { changes: [remove(conversationTable, conversationId, known.version)], result: true };
      }),
    async ofCustomer(customerId) {
      const ids: string[] = [];
      const request = { where: { customer: customerId }, limit: PAGE };
      let page = await store.range(conversationTable, request);
      for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
        ids.push(...page.map(({ id }) => id));
        if (page.length < PAGE) break;
        page = await store.range(conversationTable, {
          ...request,
          after: { value: last.position, id: last.id },
        });
      }
      return ids;
    },
  };
}
