import { conflict, invalid } from '../../domain/errors.ts';
import { type InboxItem, isWaiting } from '../../domain/inbox/item.ts';
import type { Limits } from '../../domain/limits.ts';
import type { MessageHistory } from '../../domain/message/conversation.ts';
import type { CustomerMessage } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import type { Trace } from '../../domain/message/trace.ts';
import { failureReply } from '../../domain/playbook/playbook.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import { quote } from '../../lib/text/quote.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ItemWriter } from '../inbox/item-writer.ts';
import { createMessageRecorder, type ToldToPerson } from './message-recorder.ts';
import { createPipeline, startMessageRun, toPipelineFailure } from './pipeline.ts';
import type { InUse, PlaybookInUse } from './playbook-in-use.ts';

/** The ids of the traces, chosen by the caller. */
export interface MessageIds {
  /** One for each message, in their order, made by `NewId`; chosen here when absent. */
  readonly traceIds?: readonly string[] | undefined;
}

/** Options of one message or batch. */
export interface ProcessOptions extends MessageIds {
  /** Aborted when the service shuts down: the message then ends as FAILED, `interrupted`. */
  readonly signal?: AbortSignal | undefined;
}

/** The message pipeline (specification, section 3). */
export interface MessageProcessor {
  /**
   * Runs one message through the pipeline and stores its trace, however it ends. Rejects only before anything was
   * done: with `unavailable` when the store is known to be unreachable, with `conflict` for a conversation of another
   * customer, and with `validation` for a draft without an inbox.
   */
  process(message: CustomerMessage, options?: ProcessOptions): Promise<Trace>;
  /**
   * Runs all messages concurrently, those of one conversation in their order. Traces come in the order of the
   * messages; a failure of one affects no other. Rejects as `process` does, before anything was done for any of them.
   */
  processBatch(messages: readonly CustomerMessage[], options?: ProcessOptions): Promise<readonly Trace[]>;
}

/** The ports that the message pipeline uses. */
export type MessagePorts = Pick<
  Ports,
  | 'clock'
  | 'newId'
  | 'logger'
  | 'events'
  | 'telemetry'
  | 'prepare'
  | 'traces'
  | 'storage'
  | 'conversations'
  | 'inbox'
>;

/** The options of message processing beside the ports. */
interface MessageOptions {
  readonly limits: Limits;
  /** Writes the items of the inbox; undefined where there is none. */
  readonly items: ItemWriter | undefined;
}

/** A failure that is known before the pipeline of a message begins. */
interface FailedBefore {
  readonly error: unknown;
}

/** Creates the message pipeline from its ports and what is in use. */
export function createMessageProcessor(
  ports: MessagePorts,
  playbooks: Pick<PlaybookInUse, 'hold'>,
  { limits, items }: MessageOptions,
): MessageProcessor {
  const { clock, events, logger, telemetry } = ports;
  const pipeline = createPipeline(ports, limits, items !== undefined);
  const recorder = createMessageRecorder(ports, items, limits);
  const conversations = createMessageConversations(ports, items !== undefined);

  /**
   * Runs the pipeline to COMPLETED or FAILED. Resolves to the trace and the reasons of the verdict. Never rejects. A
   * message that `failed` before is FAILED at once.
   */
  async function runPipeline(
    traceId: string,
    message: PreparedMessage,
    inUse: InUse,
    { signal, failed }: Pick<ProcessOptions, 'signal'> & { readonly failed: FailedBefore | undefined },
  ): Promise<{ readonly trace: Trace; readonly told: ToldToPerson }> {
    const context = { clock, events, otelTraceId: telemetry.traceId() };
    const run = startMessageRun(context, traceId, message);
    try {
      if (failed !== undefined) throw failed.error;
      const trace = await pipeline(run, inUse, signal);
      return { trace, told: { reasons: run.reasons, draft: run.draft } };
    } catch (thrown) {
      const failure = toPipelineFailure('internal_error', thrown, 'the pipeline failed');
      const { category, message: reason, cause } = failure;
      logger.warn('message failed', { category, reason, err: cause });
      const response = failureReply(inUse.playbook, message, items !== undefined);
      const trace = run.finish({
        status: 'FAILED',
        escalated: true,
        disposition: 'escalated',
        response,
        concerns: run.classification?.concerns ?? [],
        error: `${category}: ${reason}`,
      });
      return { trace, told: { reasons: ['pipeline_failed'], draft: undefined } };
    }
  }

  /**
   * Runs a message and stores its trace. Where its conversation cannot be opened it rejects, or the message is FAILED
   * if others of its batch are handled already.
   */
  function run(
    message: CustomerMessage,
    index: number,
    options: ProcessOptions,
    isOfBatch: boolean,
  ): Promise<Trace> {
    const traceId = options.traceIds?.[index] ?? ports.newId();
    return logger.bind({ trace_id: traceId }, () =>
      telemetry.span('process_message', { 'message.trace_id': traceId }, (span) => {
        const work = (entered: Entered | undefined, failed?: FailedBefore) =>
          playbooks.hold(async (inUse) => {
            const { languages } = inUse.playbook.company;
            const prepared = ports.prepare(message, entered?.history, languages);
            const { signal } = options;
            const { trace, told } = await runPipeline(traceId, prepared, inUse, { signal, failed });
            if (trace.error !== null) span.fail(trace.error);
            return recorder.record(trace, told, entered?.heldBy, inUse.playbook);
          });
        const fail = (error: unknown) => work(undefined, { error });
        return conversations.inTurn(message, work, isOfBatch ? fail : undefined);
      }),
    );
  }

  /** Throws before anything is done for one of the messages. */
  function assertAcceptable(messages: readonly CustomerMessage[]): void {
    ports.storage.assertAvailable();
    if (items === undefined && messages.some(({ draft }) => draft === true)) {
      throw invalid(['draft: nobody could see it, because the inbox is off']);
    }
  }

  return {
    async process(message, options = {}) {
      assertAcceptable([message]);
      return run(message, 0, options, false);
    },
    async processBatch(messages, options = {}) {
      assertAcceptable(messages);
      await conversations.assertOwned(messages);
      const traces: Promise<Trace>[] = [];
      for (const [index, message] of messages.entries()) {
        traces.push(run(message, index, options, true));
        await yieldIfDue();
      }
      return Promise.all(traces);
    },
  };
}

// Conversations

/** The state of a conversation as a message finds it. */
interface Entered {
  readonly history: MessageHistory;
  /** The item that waits, through which a person holds the conversation; undefined where nobody does. */
  readonly heldBy: InboxItem | undefined;
}

/** The conversations of messages. */
interface MessageConversations {
  /**
   * Opens the conversations of messages before anything else is done for them. Rejects with `conflict` where one
   * belongs to another customer, and with `unavailable` when the store cannot be reached.
   */
  assertOwned(messages: readonly CustomerMessage[]): Promise<void>;
  /**
   * Handles a message of a conversation: one after the other in this process, in their order, so that each sees what
   * was said before. `work` gets undefined for a message without a conversation. Where the conversation cannot be
   * opened, `orElse` gets the error; without `orElse` it rejects as `assertOwned` does.
   */
  inTurn<T>(
    message: CustomerMessage,
    work: (entered: Entered | undefined) => Promise<T>,
    orElse?: (error: unknown) => Promise<T>,
  ): Promise<T>;
}

/** Creates {@link MessageConversations}. Without an inbox nobody holds a conversation. */
function createMessageConversations(
  { clock, conversations, inbox }: Pick<Ports, 'clock' | 'conversations' | 'inbox'>,
  hasInbox: boolean,
): MessageConversations {
  /** The last message of each conversation that is under way. */
  const turns = new Map<string, Promise<unknown>>();

  async function open(conversationId: string, customerId: string) {
    const conversation = await conversations.enter(conversationId, customerId, isoTime(clock.now()));
    if (conversation === undefined) {
      throw conflict(`conversation_id: ${quote(conversationId)} is a conversation of another customer`);
    }
    return conversation;
  }

  async function enter(conversationId: string, customerId: string): Promise<Entered> {
    const { entries, openItemId } = await open(conversationId, customerId);
    const item = openItemId === null || !hasInbox ? undefined : await inbox.get(openItemId);
    const heldBy = item !== undefined && isWaiting(item) ? item : undefined;
    return { history: { entries, isHeld: heldBy !== undefined }, heldBy };
  }

  return {
    async assertOwned(messages) {
      const owners = new Map<string, string>();
      for (const { conversationId, customerId } of messages) {
        if (conversationId == null || owners.get(conversationId) === customerId) continue;
        await open(conversationId, customerId);
        owners.set(conversationId, customerId);
      }
    },
    async inTurn({ conversationId, customerId }, work, orElse) {
      if (conversationId == null) return work(undefined);
      const before = turns.get(conversationId) ?? Promise.resolve();
      const turn = before.then(() => enter(conversationId, customerId)).then(work, orElse);
      const settled = turn.catch(() => undefined);
      turns.set(conversationId, settled);
      try {
        return await turn;
      } finally {
        if (turns.get(conversationId) === settled) turns.delete(conversationId);
      }
    },
  };
}
