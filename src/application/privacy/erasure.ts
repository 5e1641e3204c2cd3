import { isOrchestrationError, notFound, unavailable } from '../../domain/errors.ts';
import { withdrawItem } from '../../domain/inbox/changes.ts';
import { INBOX_DATASET } from '../../domain/inbox/example.ts';
import type { Limits } from '../../domain/limits.ts';
import { type Conversation, MAX_CONVERSATION_ENTRIES } from '../../domain/message/conversation.ts';
import type { Trace } from '../../domain/message/trace.ts';
import { traceIdsOf, upgradeRouting } from '../../domain/routing/routing.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ItemWriter } from '../inbox/item-writer.ts';
import type { RunControl } from '../runs/run-control.ts';
import { untilLogEnds } from '../runs/until-log.ts';

/** The numbers of erased records. */
export interface ErasedCounts {
  readonly traces: number;
  readonly conversations: number;
  readonly inboxItems: number;
  readonly examples: number;
  readonly runs: number;
  readonly routes: number;
}

/**
 * Deletes what belongs to customers. What it has begun it leaves repeatable: each member may be called again after it
 * rejected with `unavailable`, and then deletes the rest.
 */
export interface Erasure {
  /** Deletes a trace with its inbox item, its example and its entries in a conversation. Rejects with `not_found`. */
  deleteTrace(traceId: string): Promise<void>;
  /** Deletes a conversation with the traces of its messages and all that belongs to them. Rejects with `not_found`. */
  deleteConversation(conversationId: string): Promise<void>;
  /** Deletes a routed goal with the traces that it has made. Rejects with `not_found`. */
  deleteRoute(routingId: string): Promise<void>;
  /**
   * Deletes the runs, routed goals, traces, conversations, inbox items and examples of a customer; of items an empty
   * record stays. What goes on is cancelled first. Rejects with `unavailable` where a run has not ended after the grace
   * of a cancel and a few seconds: it, and what comes after runs, is deleted by a repeat. Once it resolves, nothing
   * that had begun before leaves a record, in any process.
   */
  erase(customerId: string): Promise<ErasedCounts>;
}

/** Dependencies of {@link createErasure} beside the ports. */
export interface ErasureDeps {
  readonly items: ItemWriter;
  readonly deleteRun: RunControl['delete'];
  /** Ends the goals of a customer that this process works on. */
  readonly cancelGoals: (customerId: string) => Promise<void>;
  readonly limits: Pick<Limits, 'cancelGraceMs'>;
}

/** Records that are read at a time. */
const PAGE = 200;

/** Time that cancelled runs take to end after their grace, on any replica, in milliseconds. */
const END_MS = 10_000;

/** The name in the cancel of the runs of an erased customer. */
const BY = 'erasure';

/** `Retry-After` of an erasure that a run has held up, in seconds. */
const RETRY_AFTER_S = 5;

/** Creates {@link Erasure}. */
export function createErasure(
  ports: Pick<
    Ports,
    'clock' | 'traces' | 'conversations' | 'inbox' | 'examples' | 'storage' | 'runs' | 'routes' | 'erasures'
  >,
  { items, deleteRun, cancelGoals, limits }: ErasureDeps,
): Erasure {
  const { clock, traces, conversations, inbox, examples, storage, runs, routes, erasures } = ports;

  /** Empties an item. Resolves to false where there is nothing to empty. */
  async function withdraw(itemId: string): Promise<boolean> {
    try {
      await items.change(itemId, withdrawItem);
      return true;
    } catch (error) {
      if (isOrchestrationError(error, 'not_found') || isOrchestrationError(error, 'conflict')) return false;
      throw error;
    }
  }

  /** Deletes an item with its example. The item goes first: one that was withdrawn gives no example any more. */
  async function deleteItem(itemId: string): Promise<void> {
    await withdraw(itemId);
    await examples.delete(INBOX_DATASET, itemId);
  }

  /** Deletes a trace with its own item. The trace goes last, so that whoever repeats the deletion finds the rest. */
  async function deleteWithItem({ traceId, itemId }: Trace): Promise<void> {
    if (itemId !== null) {
      // A message of a held conversation has joined the item of another one. An example outlives its item.
      const item = await inbox.get(itemId);
      const example = await examples.get(INBOX_DATASET, itemId);
      if (item?.subject.id === traceId || example?.traceId === traceId) await deleteItem(itemId);
    }
    await traces.delete(traceId);
  }

  async function deleteAllOf(trace: Trace): Promise<void> {
    if (trace.conversationId != null) {
      await conversations.removeEntries(trace.conversationId, trace.traceId);
    }
    await deleteWithItem(trace);
  }

  /** The ids of the traces of a conversation; of a long one its oldest messages have no entries any more. */
  async function tracesOf({ conversationId, customerId, entries }: Conversation): Promise<Set<string>> {
    const found = new Set(entries.flatMap(({ traceId }) => traceId ?? []));
    if (entries.length < MAX_CONVERSATION_ENTRIES) return found;
    for (let offset = 0; ; offset += PAGE) {
      const { items: page } = await traces.list({ limit: PAGE, offset }, { customerId });
      for (const one of page) if (one.conversationId === conversationId) found.add(one.traceId);
      if (page.length < PAGE) return found;
    }
  }

  /** The entries go last, with the conversation: they name what else there is to delete. */
  async function deleteConversation(conversationId: string): Promise<boolean> {
    const conversation = await conversations.get(conversationId);
    if (conversation === undefined) return conversations.delete(conversationId);
    const { entries, openItemId } = conversation;
    const itemIds = new Set([...entries.map(({ itemId }) => itemId), openItemId]);
    for (const itemId of itemIds) if (itemId !== null) await deleteItem(itemId);
    for (const traceId of await tracesOf(conversation)) {
      const trace = await traces.get(traceId);
      if (trace !== undefined) await deleteWithItem(trace);
      await yieldIfDue();
    }
    await conversations.delete(conversationId);
    return true;
  }

  /** Takes pages of what is left until none of a page can be deleted. Resolves to the number of those that were. */
  async function deletePages<T>(
    listPage: () => Promise<readonly T[]>,
    remove: (record: T) => Promise<boolean>,
  ): Promise<number> {
    let count = 0;
    for (;;) {
      const before = count;
      for (const record of await listPage()) {
        if (await remove(record)) count += 1;
        await yieldIfDue();
      }
      if (count === before) return count;
    }
  }

  const eraseTraces = (customerId: string): Promise<number> =>
    deletePages(
      async () => (await traces.list({ limit: PAGE, offset: 0 }, { customerId })).items,
      async ({ traceId }) => {
        const trace = await traces.get(traceId);
        if (trace === undefined) return traces.delete(traceId);
        await deleteAllOf(trace);
        return true;
      },
    );

  const eraseItems = (customerId: string): Promise<number> =>
    deletePages(
      async () => (await inbox.list({ customerId }, { limit: PAGE })).items,
      ({ itemId }) => withdraw(itemId),
    );

  const eraseExamples = (customerId: string): Promise<number> =>
    deletePages(
      async () => (await examples.list(INBOX_DATASET, { customerId }, { limit: PAGE })).examples,
      ({ exampleId }) => examples.delete(INBOX_DATASET, exampleId),
    );

  /** Deletes a run that has ended. Resolves to false where it is gone, or goes on because somebody has retried it. */
  async function eraseRun(runId: string): Promise<boolean> {
    try {
      await deleteRun(runId);
      return true;
    } catch (error) {
      if (isOrchestrationError(error, 'not_found') || isOrchestrationError(error, 'conflict')) return false;
      throw error;
    }
  }

  /** Cancels the runs that go on, all at once, and deletes each when it has ended, until there are none. */
  async function eraseRuns(customerId: string): Promise<number> {
    const deadline = clock.monotonic() + limits.cancelGraceMs + END_MS;
    let count = 0;
    for (;;) {
      const runIds = await runs.ofCustomer(customerId, PAGE);
      if (runIds.length === 0) return count;
      for (const runId of runIds) await runs.signal(runId, { type: 'cancel', by: BY, reason: null });
      for (const runId of runIds) {
        const hasEnded = await untilLogEnds({ clock, runs }, runId, deadline - clock.monotonic());
        if (hasEnded && (await eraseRun(runId))) count += 1;
        await yieldIfDue();
      }
      if (clock.monotonic() >= deadline && (await runs.ofCustomer(customerId, 1)).length > 0) {
        throw unavailable('an execution of the customer has not ended yet', RETRY_AFTER_S);
      }
    }
  }

  /** Deletes a goal with its traces. The goal goes last, so that whoever repeats the deletion finds the rest. */
  async function deleteRoute(routingId: string): Promise<boolean> {
    const stored = await routes.get(routingId);
    if (stored === undefined) return routes.delete(routingId);
    for (const traceId of traceIdsOf(upgradeRouting(stored))) {
      const trace = await traces.get(traceId);
      if (trace !== undefined) await deleteAllOf(trace);
    }
    return routes.delete(routingId);
  }

  const eraseRoutes = (customerId: string): Promise<number> =>
    deletePages(
      async () => (await routes.list({ limit: PAGE, offset: 0 }, { customerId })).items,
      ({ routingId }) => deleteRoute(routingId),
    );

  return {
    async deleteRoute(routingId) {
      storage.assertAvailable();
      if (!(await deleteRoute(routingId))) throw notFound('routing run', routingId);
    },
    async deleteTrace(traceId) {
      storage.assertAvailable();
      const trace = await traces.get(traceId);
      if (trace === undefined) throw notFound('trace', traceId);
      await deleteAllOf(trace);
    },
    async deleteConversation(conversationId) {
      storage.assertAvailable();
      if (!(await deleteConversation(conversationId))) throw notFound('conversation', conversationId);
    },
    async erase(customerId) {
      storage.assertAvailable();
      // Before anything is looked for: what ends later is not found, and sees the mark.
      await erasures.mark(customerId);
      await cancelGoals(customerId);
      // The waits of runs are counted here: runs end their items themselves.
      const waiting = await eraseItems(customerId);
      const erasedRuns = await eraseRuns(customerId);
      // Items and examples before the traces: with a trace go its own.
      const inboxItems = waiting + (await eraseItems(customerId));
      const erasedExamples = await eraseExamples(customerId);
      const ofCustomer = await conversations.ofCustomer(customerId);
      for (const conversationId of ofCustomer) await conversations.delete(conversationId);
      const erasedTraces = await eraseTraces(customerId);
      // The traces of a goal that are of another customer go with it, and are not counted.
      const erasedRoutes = await eraseRoutes(customerId);
      return {
        traces: erasedTraces,
        conversations: ofCustomer.length,
        inboxItems,
        examples: erasedExamples,
        runs: erasedRuns,
        routes: erasedRoutes,
      };
    },
  };
}
