import type { InboxItem } from '../../../domain/inbox/item.ts';
import type { ConversationEntry } from '../../../domain/message/conversation.ts';
import type { Trace, TraceSummary } from '../../../domain/message/trace.ts';
import type { ConversationStore } from '../../../ports/storage/conversation-store.ts';
import type { RecordStore } from '../../../ports/storage/record-store.ts';
import { bytesOf, createBufferedRecordStore } from '../records/record-store.ts';
import type { EncodedRecord, StoredRecords } from '../records/stored-records.ts';
import type { WriteBuffers } from '../write-buffers.ts';
import { encodeEntry } from './conversation-encoding.ts';
import { ITEM_KEYS, ITEM_VALUES, itemKeys, itemValues } from './inbox/item-encoding.ts';
import type { PeopleParts } from './parts.ts';
import { digestOf } from './stored-ids.ts';

/** The traces, and what is stored with them. */
export interface Messages {
  readonly traces: RecordStore<Trace, TraceSummary>;
  readonly record: ConversationStore['record'];
}

/** What a message brings besides its trace, as keys and values of the script. */
interface Belongings {
  /** Empty without an item. */
  readonly item: { readonly keys: readonly string[]; readonly values: readonly string[] };
  /** Digest of the conversation, empty for none; JSON of the customer; JSON of the trace id; time of the last entry. */
  readonly conversation: readonly [digest: string, customer: string, trace: string, at: string];
  readonly entries: readonly string[];
}

/** A trace in its stored form, with what is stored in the same step. */
interface EncodedMessage extends EncodedRecord {
  readonly belongings?: Belongings;
}

const noItem: Belongings['item'] = {
  keys: Array.from({ length: ITEM_KEYS }, () => ''),
  values: Array.from({ length: ITEM_VALUES }, () => ''),
};

/**
 * Creates {@link Messages}. Traces and what belongs to them share one write buffer, so that none overtakes the other. The
 * inbox takes the items of messages even when it is full.
 */
export function createMessages(
  records: StoredRecords<Trace, TraceSummary>,
  buffers: WriteBuffers,
  { keys, writes, retentionMs }: PeopleParts,
): Messages {
  const buffer = buffers.create<EncodedMessage, void>({
    write: (_, message) =>
      message.belongings === undefined ? records.write(message) : write(message, message.belongings),
    merge: ({ belongings }, newer) =>
      belongings === undefined ? newer : { ...newer, belongings: merge(belongings, newer.belongings) },
  });

  async function write(message: EncodedMessage, { item, conversation, entries }: Belongings): Promise<void> {
    const [digest, customer, trace, at] = conversation;
    const stored = records.scriptArguments(message);
    const ofConversation = digest === '' ? ['', ''] : [keys.conversations + digest, keys.allConversations];
    const scriptKeys = [...stored.keys, ...item.keys, ...ofConversation];
    const rest = [customer, digest, String(retentionMs), trace, at, ...entries];
    const values = [...stored.values, ...item.values, ...rest];
    await writes.run((client, deadline) => client.recordMessage(scriptKeys, [deadline, ...values]));
  }

  function belongingsOf(trace: Trace, item: InboxItem | null, entries: readonly ConversationEntry[]) {
    const { traceId, customerId, conversationId = null } = trace;
    const digest = conversationId === null ? '' : digestOf(conversationId);
    const at = entries.at(-1)?.at ?? '';
    const belongings: Belongings = {
      item: item === null ? noItem : { keys: itemKeys(keys, item), values: itemValues(item, retentionMs) },
      conversation: [digest, JSON.stringify(customerId), JSON.stringify(traceId), at],
      entries: entries.map(encodeEntry),
    };
    return belongings;
  }

  return {
    traces: createBufferedRecordStore(records, buffer),
    async record({ trace, item, entries }) {
      const belongings = belongingsOf(trace, item, entries);
      const message = { ...records.encode(trace), belongings };
      const texts = [...belongings.item.values, ...belongings.entries];
      const bytes = bytesOf(message) + 2 * texts.reduce((sum, { length }) => sum + length, 0);
      buffer.add(message.id, { item: message, bytes });
      await buffer.flush(message.id);
    },
  };
}

/** What an older and a newer version of a message bring: the older one its item, the newer one its entries, where they have some. */
function merge(older: Belongings, newer: Belongings | undefined): Belongings {
  if (newer === undefined) return older;
  const said = newer.entries.length > 0 ? newer : older;
  const { conversation, entries } = said;
  return { item: older.item === noItem ? newer.item : older.item, conversation, entries };
}
