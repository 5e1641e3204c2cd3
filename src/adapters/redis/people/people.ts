import type { Trace, TraceSummary } from '../../../domain/message/trace.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { StoredRecords } from '../records/stored-records.ts';
import type { WriteBuffers } from '../write-buffers.ts';
import { createRedisConversations } from './conversation-store.ts';
import { createRedisExamples } from './example-store.ts';
import { createRedisInbox } from './inbox/inbox-store.ts';
import { createMessages } from './messages.ts';
import type { PeopleParts } from './parts.ts';

/** The ports that store messages and what people work on. */
export type PeoplePorts = Pick<Ports, 'traces' | 'inbox' | 'conversations' | 'examples'>;

/** Options of {@link createRedisPeople}. */
export interface PeopleOptions extends PeopleParts {
  readonly records: StoredRecords<Trace, TraceSummary>;
  readonly buffers: WriteBuffers;
  /** The most items that may wait for `InboxStore.create` to store another one. Items of messages are always stored. */
  readonly maxWaitingItems: number;
}

/** Creates the traces, the inbox, the conversations and the examples of all replicas. */
export function createRedisPeople({
  records,
  buffers,
  maxWaitingItems,
  ...parts
}: PeopleOptions): PeoplePorts {
  const { traces, record } = createMessages(records, buffers, parts);
  return {
    traces,
    inbox: createRedisInbox(parts, maxWaitingItems),
    conversations: createRedisConversations(parts, record),
    examples: createRedisExamples(parts),
  };
}
