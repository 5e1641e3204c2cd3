import type { DatasetExample } from '../../src/domain/inbox/example.ts';
import type { InboxItem, Resolution } from '../../src/domain/inbox/item.ts';
import type { ConversationEntry } from '../../src/domain/message/conversation.ts';
import type { Trace } from '../../src/domain/message/trace.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { Ports } from '../../src/ports/ports.ts';
import type { HandledMessage } from '../../src/ports/storage/conversation-store.ts';
import { sampleItem as openItem } from '../support/inbox.ts';
import { sampleTrace } from '../support/sqlite/traces.ts';

/** The stores of what people work on, which are one store. */
export type PeopleStores = Pick<Ports, 'inbox' | 'conversations' | 'examples' | 'traces'>;

/** Creates empty stores; the tests of the adapter clean up. */
export type MakePeopleStores = () => Promise<PeopleStores>;

/** The time that all samples begin at: a little ago, because stores remove what is old. */
export const START = Date.now() - 60_000;

/** A time after {@link START}, in ISO 8601. */
export function at(ms: number): string {
  return new Date(START + ms).toISOString();
}

/** Ids that a caller may choose, each different from the others. */
export const hostileIds: readonly string[] = [
  ...['__proto__', 'constructor', 'toString', 'a\u0000b', 'a\u0000', '\u0000', '\ud800', '\ud801', '\udc00x'],
  ...[
    '\ufffd',
    'x'.repeat(128),
    '👍'.repeat(128),
    '%',
    '%s',
    '_',
    '*',
    ':',
    'a:b',
    'a b',
    ' a',
    '{a}',
    '"',
    '\\',
  ],
  ...["'; DROP TABLE items; --", '../a', 'a\r\nb', 'Ä', 'A\u0308', '[a-z]', 'null', '0', '-1'],
];

/** Texts that are not well formed, or hard to store. */
export const hostileText = 'lone \ud800 and \udc00, NUL \u0000, 👩‍👩‍👧 שלום \u2028 \r\n "\\" ${x} %s';

/** JSON that is hard to store. */
export const hostileObject: JsonObject = JSON.parse(
  '{"__proto__": {"polluted": true}, "": null, "a\\u0000b": "\\ud800", "deep": [[{"constructor": [1e-7, true]}]]}',
);

/** An open item about a message, without a customer, a conversation and an end. */
export function sampleItem(itemId: string, changes: Partial<InboxItem> = {}): InboxItem {
  return openItem({
    itemId,
    priority: 4,
    title: `Title of ${itemId}`,
    reasons: ['low_confidence'],
    subject: { kind: 'message', id: `trace-of-${itemId}`, stepId: null },
    customerId: null,
    excerpt: 'Where is it?',
    openedAt: at(0),
    dueAt: null,
    expiresAt: null,
    ...changes,
  });
}

/** The next version of an item. */
export function next(item: InboxItem, changes: Partial<InboxItem> = {}): InboxItem {
  return { ...item, version: item.version + 1, ...changes };
}

/** The next version of an item that somebody has claimed. */
export function claimed(item: InboxItem, assignee = 'ann', until = at(3_600_000)): InboxItem {
  return next(item, { status: 'claimed', assignee, claimedUntil: until });
}

/** The decision of a person. */
function resolution(response: string | null = null): Resolution {
  return {
    outcome: 'answered',
    by: 'ann',
    at: at(1_000),
    note: null,
    response,
    intent: 'refund',
    escalationRight: true,
    data: null,
    output: null,
  };
}

/** The next version of an item that a person has resolved. */
export function resolved(item: InboxItem, endedAt = at(1_000)): InboxItem {
  const ended = { status: 'resolved', assignee: 'ann', claimedUntil: null, endedAt } as const;
  return next(item, { ...ended, resolution: resolution() });
}

/** An entry of a customer. */
export function entryOf(traceId: string, changes: Partial<ConversationEntry> = {}): ConversationEntry {
  return {
    from: 'customer',
    text: `Text of ${traceId}`,
    at: at(0),
    traceId,
    disposition: 'escalated',
    itemId: null,
    intent: 'refund',
    reasons: ['low_confidence'],
    ...changes,
  };
}

/** The reply of a person to the customer of an item. */
export function replyTo(
  { itemId, subject }: InboxItem,
  changes: Partial<ConversationEntry> = {},
): ConversationEntry {
  const none = { disposition: null, intent: null, reasons: [] };
  return entryOf(subject.id, {
    from: 'person',
    text: 'A reply.',
    at: at(9_000),
    itemId,
    ...none,
    ...changes,
  });
}

/** A handled message of a conversation: what the customer said, and the reply of the service. */
export function handled(
  traceId: string,
  conversationId: string | null,
  options: { customerId?: string; withItem?: boolean; text?: string; trace?: Partial<Trace> } = {},
): HandledMessage {
  const { customerId = 'customer-1', withItem = false, text = `Text of ${traceId}` } = options;
  const itemId = withItem ? `item-of-${traceId}` : null;
  const subject = { kind: 'message', id: traceId, stepId: null } as const;
  const entries = [
    entryOf(traceId, { text, itemId }),
    entryOf(traceId, { from: 'service', text: `Reply to ${traceId}`, itemId, at: at(10) }),
  ];
  return {
    trace: sampleTrace(traceId, { conversationId, customerId, itemId, ...options.trace }),
    item: itemId === null ? null : sampleItem(itemId, { customerId, conversationId, subject }),
    entries: conversationId === null ? [] : entries,
  };
}

/** An example that a person's decision has taught. */
export function sampleExample(exampleId: string, changes: Partial<DatasetExample> = {}): DatasetExample {
  return {
    exampleId,
    datasetId: 'inbox',
    status: 'proposed',
    message: `Message of ${exampleId}`,
    intent: 'refund',
    escalated: true,
    traceId: `trace-of-${exampleId}`,
    customerId: 'customer-1',
    createdAt: at(1_000),
    decidedBy: null,
    decidedAt: null,
    ...changes,
  };
}
