import { isOrchestrationError } from '../../domain/errors.ts';
import { joinItem } from '../../domain/inbox/changes.ts';
import type { InboxItem } from '../../domain/inbox/item.ts';
import { messageItem, priorityOf } from '../../domain/inbox/message-item.ts';
import type { Limits } from '../../domain/limits.ts';
import { entriesOf, type Trace } from '../../domain/message/trace.ts';
import type { Playbook } from '../../domain/playbook/playbook.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ItemWriter } from '../inbox/item-writer.ts';
import { pipelineReasons } from './pipeline.ts';

/** The information for the person who takes over a message. */
export interface ToldToPerson {
  readonly reasons: readonly string[];
  /** A reply that was made and must not be sent. */
  readonly draft: string | undefined;
}

/** Stores what became of a message. */
interface MessageRecorder {
  /**
   * Stores the trace of a message, with the inbox item through which a person sees it and what it adds to its
   * conversation. A message of a held conversation joins the item that waits. `playbook` says how urgent it is.
   * Resolves to the trace with its item. A failure is only logged, so that the customer still gets the reply.
   */
  record(trace: Trace, told: ToldToPerson, heldBy: InboxItem | undefined, playbook: Playbook): Promise<Trace>;
}

/** A message that was handled, and the playbook that it was handled by. */
interface Handled {
  readonly trace: Trace;
  readonly reasons: readonly string[];
  readonly playbook: Playbook;
}

/** Creates a {@link MessageRecorder}. Without `items` there is no inbox. */
export function createMessageRecorder(
  ports: Pick<Ports, 'newId' | 'logger' | 'traces' | 'conversations'>,
  items: ItemWriter | undefined,
  { inboxExpiryMs }: Pick<Limits, 'inboxExpiryMs'>,
): MessageRecorder {
  const { newId, logger, traces, conversations } = ports;

  /**
   * Joins the item that waits. Resolves to false where it waits no more. Where the store fails, the item stays as it
   * is: whoever works on it still sees the message in its conversation.
   */
  async function join(
    writer: ItemWriter,
    { itemId }: InboxItem,
    { trace, reasons, playbook }: Handled,
  ): Promise<boolean> {
    const own = reasons.filter((reason) => reason !== pipelineReasons.held);
    const priority = priorityOf(trace, own, playbook);
    const completedAt = Date.parse(trace.completedAt);
    const dueAt = isoTime(playbook.dueAt(completedAt, priority));
    const expiresAt = isoTime(completedAt + inboxExpiryMs);
    const joining = { reasons: [...trace.concerns, ...own], priority, dueAt, expiresAt };
    try {
      await writer.change(itemId, (item) => joinItem(item, joining));
      return true;
    } catch (error) {
      if (isOrchestrationError(error, 'conflict') || isOrchestrationError(error, 'not_found')) return false;
      logger.error('the message could not join its inbox item', { item_id: itemId, err: error });
      return true;
    }
  }

  async function store(
    trace: Trace,
    { reasons, draft }: ToldToPerson,
    heldBy: InboxItem | undefined,
    playbook: Playbook,
  ): Promise<Trace> {
    const isForPerson = trace.disposition === 'escalated' || trace.disposition === 'draft';
    const entriesFor = (stored: Trace) => (stored.conversationId == null ? [] : entriesOf(stored, reasons));
    if (items === undefined || !isForPerson) {
      if (trace.conversationId == null) await traces.put(trace);
      else await conversations.record({ trace, item: null, entries: entriesFor(trace) });
      return trace;
    }
    if (heldBy !== undefined) {
      // The message is in the conversation first: whoever ends the item before it joins has not seen it, and it gets an
      // own.
      const joined = { ...trace, itemId: heldBy.itemId };
      await conversations.record({ trace: joined, item: null, entries: entriesFor(joined) });
      if (await join(items, heldBy, { trace, reasons, playbook })) return joined;
    }
    const withItem = { ...trace, itemId: newId() };
    const { itemId } = withItem;
    const item = messageItem({ itemId, trace: withItem, reasons, draft, playbook, expiryMs: inboxExpiryMs });
    await conversations.record({ trace: withItem, item, entries: entriesFor(withItem) });
    items.opened(item);
    return withItem;
  }

  return {
    async record(trace, told, heldBy, playbook) {
      try {
        return await store(trace, told, heldBy, playbook);
      } catch (error) {
        logger.error('the trace could not be stored', { err: error });
        return trace;
      }
    },
  };
}
