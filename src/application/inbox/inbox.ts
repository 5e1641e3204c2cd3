import { invalid, notFound, type RequestIssue } from '../../domain/errors.ts';
import {
  assignItem,
  atTime,
  claimItem,
  noteOnItem,
  releaseItem,
  resolveItem,
} from '../../domain/inbox/changes.ts';
import {
  type InboxItem,
  type ItemKind,
  type ItemOutcome,
  itemOutcomes,
  type Resolution,
} from '../../domain/inbox/item.ts';
import type { InboxCounts, InboxFilter } from '../../domain/inbox/order.ts';
import type { Limits } from '../../domain/limits.ts';
import type { Conversation } from '../../domain/message/conversation.ts';
import type { Trace } from '../../domain/message/trace.ts';
import type { Playbook } from '../../domain/playbook/playbook.ts';
import type { Run } from '../../domain/run/run.ts';
import { assertSeen, type SeenVersion } from '../../domain/seen-version.ts';
import type { JsonObject, JsonValue } from '../../lib/json/json.ts';
import { pointerKeys } from '../../lib/json/pointer.ts';
import { quote } from '../../lib/text/quote.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { InboxPage, InboxPageRequest } from '../../ports/storage/inbox-store.ts';
import type { ItemWriter, StoredWithItem } from './item-writer.ts';
import { exampleOf, replyOf } from './learned.ts';
import type { Settler } from './settler.ts';

/** A page of the inbox, and how much waits in all. */
export interface InboxListing extends InboxPage {
  readonly counts: InboxCounts;
}

/** An item with all that a person needs to decide about it. What it does not have is null. */
export interface InboxCase {
  readonly item: InboxItem;
  readonly trace: Trace | null;
  readonly conversation: Conversation | null;
  readonly run: Run | null;
}

/** The decision of a person about an item; absent members are null. */
export interface ItemDecision {
  readonly outcome: ItemOutcome;
  readonly by: string;
  readonly note?: string | undefined;
  /** The reply to the customer. For a draft that is answered: the draft itself when absent. */
  readonly response?: string | undefined;
  readonly intent?: string | undefined;
  readonly escalationRight?: boolean | undefined;
  readonly data?: JsonValue | undefined;
  readonly output?: JsonObject | undefined;
}

/**
 * Everything that waits for a person. Every member that takes the id of an item rejects with `not_found` for an unknown
 * one, with `conflict` where its state does not allow the change or the caller has seen another version, and all reject
 * with `unavailable` when the store cannot be reached. Changes resolve to the item.
 */
export interface Inbox {
  /** Items in the order in which they should be worked on; those that wait, unless the filter names statuses. */
  list(filter: InboxFilter, page: InboxPageRequest): Promise<InboxListing>;
  get(itemId: string): Promise<InboxCase>;
  /** Claims the first open item. Resolves to undefined where none is open. Two callers never get the same. */
  next(request: {
    readonly by: string;
    readonly kinds?: readonly ItemKind[] | undefined;
  }): Promise<InboxItem | undefined>;
  /** Claims an item, or renews the claim. */
  claim(itemId: string, by: string, seen?: SeenVersion): Promise<InboxItem>;
  release(itemId: string, by: string, seen?: SeenVersion): Promise<InboxItem>;
  /** Claims an item for somebody else, whoever has it. */
  assign(
    itemId: string,
    request: { readonly by: string; readonly assignee: string },
    seen?: SeenVersion,
  ): Promise<InboxItem>;
  addNote(
    itemId: string,
    request: { readonly by: string; readonly note: string },
    seen?: SeenVersion,
  ): Promise<InboxItem>;
  /** Ends an item. The first decision counts. Rejects with `validation` for an outcome that its kind does not have. */
  resolve(itemId: string, decision: ItemDecision, seen?: SeenVersion): Promise<InboxItem>;
}

/** The dependencies of the inbox. */
export interface InboxDeps {
  readonly ports: Pick<Ports, 'clock' | 'inbox' | 'traces' | 'conversations' | 'schemas'>;
  /** The playbook in use. */
  readonly playbook: () => Playbook;
  readonly items: ItemWriter;
  readonly settler: Pick<Settler, 'settle'>;
  /** Reads a run; undefined for an unknown one. */
  readonly getRun: (runId: string) => Promise<Run | undefined>;
  /** Decides about a step of a run that waits for a person, and ends its item. */
  readonly resolveStep: (item: InboxItem, resolution: Resolution) => Promise<void>;
}

const waiting: InboxFilter['statuses'] = ['open', 'claimed'];

/** Creates the {@link Inbox}. */
export function createInbox(deps: InboxDeps, { inboxClaimMs }: Pick<Limits, 'inboxClaimMs'>): Inbox {
  const { ports, playbook, items, settler, getRun, resolveStep } = deps;
  const { clock, inbox, traces, conversations, schemas } = ports;

  async function get(itemId: string): Promise<InboxItem> {
    const item = await inbox.get(itemId);
    if (item === undefined) throw notFound('inbox item', itemId);
    return item;
  }

  function toResolution(item: InboxItem, decision: ItemDecision): Resolution {
    const { outcome, by, note = null, response, intent = null, escalationRight = null } = decision;
    const { data = null, output = null } = decision;
    const isSentDraft = item.kind === 'draft' && outcome === 'answered';
    return {
      outcome,
      by,
      at: isoTime(clock.now()),
      note,
      intent,
      escalationRight,
      data,
      output,
      response: response ?? (isSentDraft ? item.draft : null),
    };
  }

  function assertFits({ kind, responseSchema }: InboxItem, decision: ItemDecision): void {
    const { outcome, intent, response, escalationRight, data, output } = decision;
    const known: readonly string[] = itemOutcomes[kind];
    const issues: RequestIssue[] = [];
    if (!known.includes(outcome)) {
      issues.push(`outcome: must be one of ${known.join(', ')} for an item of kind ${kind}`);
    }
    if (intent !== undefined && !playbook().intents.has(intent)) {
      issues.push(`intent: ${quote(intent)} is no intent of the playbook`);
    }
    if (response !== undefined && outcome !== 'answered') {
      issues.push('response: is only for the outcome answered');
    }
    const isMessage = kind === 'escalation' || kind === 'draft';
    if (!isMessage && (intent ?? escalationRight) !== undefined) {
      issues.push('intent and escalation_right: are only for messages');
    }
    if (data !== undefined && kind !== 'approval') issues.push('data: is only for approvals');
    // A rejection needs no data, but steps that read it rely on its schema.
    const hasData = outcome === 'approved' || (data ?? null) !== null;
    if (kind === 'approval' && hasData && responseSchema !== null) {
      issues.push(...dataIssues(responseSchema, data ?? {}));
    }
    if (output !== undefined && outcome !== 'completed') {
      issues.push('output: is only for the outcome completed');
    }
    if (issues.length > 0) throw invalid(issues);
  }

  /** The faults of the data of an approval. A schema that is not valid any more refuses nothing. */
  function dataIssues(schema: JsonObject, data: JsonValue): readonly RequestIssue[] {
    const compiled = schemas.compile(schema);
    if ('invalid' in compiled) return [];
    return compiled
      .issues(data)
      .map(({ pointer, message }) => ({ path: ['data', ...pointerKeys(pointer)], detail: message }));
  }

  return {
    async list(filter, page) {
      await settler.settle();
      const shown = { ...filter, statuses: filter.statuses ?? waiting };
      const [listed, counts] = await Promise.all([inbox.list(shown, page), inbox.counts()]);
      return { ...listed, counts };
    },
    async get(itemId) {
      const item = atTime(await get(itemId), clock.now());
      const { subject, conversationId } = item;
      const isMessage = subject.kind === 'message' && item.status !== 'withdrawn';
      const [trace, conversation, run] = await Promise.all([
        isMessage ? traces.get(subject.id) : undefined,
        conversationId === null ? undefined : conversations.get(conversationId),
        subject.kind === 'execution' ? getRun(subject.id) : undefined,
      ]);
      // The id of a conversation that was removed may have been taken by another customer.
      const isOwn = conversation?.customerId === item.customerId;
      return { item, trace: trace ?? null, conversation: (isOwn && conversation) || null, run: run ?? null };
    },
    async next({ by, kinds }) {
      await settler.settle();
      const now = clock.now();
      const claimedUntil = isoTime(now + inboxClaimMs);
      const item = await inbox.claimNext({ assignee: by, claimedUntil, kinds });
      if (item !== undefined) items.emit({ item, event: { type: 'inbox.claimed', by, outcome: null } }, now);
      return item;
    },
    claim: (itemId, by, seen) =>
      items.change(itemId, (item, now) => claimItem(item, by, now, inboxClaimMs), { seen }),
    release: (itemId, by, seen) => items.change(itemId, (item, now) => releaseItem(item, by, now), { seen }),
    assign: (itemId, request, seen) =>
      items.change(itemId, (item, now) => assignItem(item, request, now, inboxClaimMs), { seen }),
    addNote: (itemId, { by, note }, seen) =>
      items.change(itemId, (item, now) => noteOnItem(item, by, note, now), { seen }),
    async resolve(itemId, decision, seen) {
      const item = await get(itemId);
      assertFits(item, decision);
      const { subject } = item;
      if (subject.kind === 'execution') {
        // The log of the run decides who was first; the item follows it.
        assertSeen('item', item.version, seen);
        const resolution = toResolution(item, decision);
        resolveItem(item, resolution, clock.now());
        await resolveStep(item, resolution);
        return get(itemId);
      }
      const trace = await traces.get(subject.id);
      const withItem = (changed: InboxItem): StoredWithItem => ({
        reply: replyOf(changed),
        example: trace && exampleOf(changed, trace),
      });
      const resolve = (current: InboxItem, now: number) =>
        resolveItem(current, toResolution(current, decision), now);
      return items.change(itemId, resolve, { seen, withItem });
    },
  };
}
