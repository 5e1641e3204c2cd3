import type { Trace, TraceSummary } from '../../../domain/message/trace.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { Connection } from '../connection.ts';
import type { BufferedRecords } from '../records/buffered-records.ts';
import type { RemoveSome } from '../upkeep.ts';
import { createConversationRows } from './conversation-rows.ts';
import { createStoredConversations } from './conversation-store.ts';
import { createExampleRows } from './example-rows.ts';
import { createStoredInbox } from './inbox-store.ts';
import { createItemRows } from './item-rows.ts';

/** What people work on, in the file. */
export interface StoredPeople {
  readonly ports: Pick<Ports, 'inbox' | 'conversations' | 'examples'>;
  /** Removes ended items and conversations that have expired. */
  readonly removeExpired: readonly RemoveSome[];
}

/** Options of {@link createStoredPeople}. */
export interface StoredPeopleOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Retention of items from their end, and of conversations from their last change, in milliseconds. */
  readonly retentionMs: number;
}

/**
 * Creates the inbox, the conversations and the examples in the file. What a message brings about waits together with its
 * trace while the file cannot be written.
 */
export function createStoredPeople(
  connection: Connection,
  traces: Pick<BufferedRecords<Trace, TraceSummary>, 'put'>,
  { clock, retentionMs }: StoredPeopleOptions,
): StoredPeople {
  const cutoff = (): number => clock.now() - retentionMs;
  const items = createItemRows(connection);
  const rows = createConversationRows(connection, cutoff);
  const examples = createExampleRows(connection);
  const inbox = createStoredInbox(connection, { items, conversations: rows, examples }, cutoff);
  const conversations = createStoredConversations(connection, rows, items, cutoff);
  return {
    ports: {
      inbox: inbox.store,
      conversations: {
        ...conversations.store,
        record: (message) => traces.put(message.trace, conversations.togetherWith(message)),
      },
      examples: examples.store,
    },
    removeExpired: [inbox.removeExpired, conversations.removeExpired],
  };
}
