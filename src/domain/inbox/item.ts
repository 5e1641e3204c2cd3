import type { JsonObject, JsonValue } from '../../lib/json/json.ts';

/** The reasons for which something waits for a person. */
export const itemKinds = ['escalation', 'draft', 'approval', 'recovery'] as const;

/** One of {@link itemKinds}. */
export type ItemKind = (typeof itemKinds)[number];

/** The statuses of an item. It waits while it is `open`, or `claimed` by somebody; the others are final. */
export const itemStatuses = ['open', 'claimed', 'resolved', 'expired', 'withdrawn'] as const;

/** One of {@link itemStatuses}. */
export type ItemStatus = (typeof itemStatuses)[number];

/** The statuses in which an item waits for a person. */
export const waitingStatuses = ['open', 'claimed'] as const satisfies readonly ItemStatus[];

/** The types of events of items. */
export const inboxEventTypes = [
  'inbox.opened',
  'inbox.claimed',
  'inbox.released',
  'inbox.resolved',
  'inbox.expired',
] as const;

/** One of {@link inboxEventTypes}. */
export type InboxEventType = (typeof inboxEventTypes)[number];

/** The priorities of items: 1 is the most urgent. */
export const priorities = [1, 2, 3, 4, 5] as const;

/** One of {@link priorities}. */
export type Priority = (typeof priorities)[number];

/** The subject of an item: a message by its trace, or a step of an execution. */
export interface ItemSubject {
  readonly kind: 'message' | 'execution';
  readonly id: string;
  /** The step of an execution; null for a message. */
  readonly stepId: string | null;
}

/** The decisions that a person can make, by the kind of the item. */
export const itemOutcomes = {
  escalation: ['answered', 'dismissed', 'spam'],
  draft: ['answered', 'dismissed', 'spam'],
  approval: ['approved', 'rejected'],
  recovery: ['completed', 'failed', 'retry'],
} as const satisfies Record<ItemKind, readonly string[]>;

/** One of the values of {@link itemOutcomes}. */
export type ItemOutcome = (typeof itemOutcomes)[ItemKind][number];

/** The decision of a person. Members that the decision does not have are null. */
export interface Resolution {
  readonly outcome: ItemOutcome;
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  readonly note: string | null;
  /** The reply to the customer. */
  readonly response: string | null;
  /** The intent of the message, as the person sees it. */
  readonly intent: string | null;
  /** True where handing the message to a person was right. */
  readonly escalationRight: boolean | null;
  /** The data of an approval. */
  readonly data: JsonValue;
  /** The output of a step whose outcome was unknown. */
  readonly output: JsonObject | null;
}

/** A note of a person about an item. */
export interface ItemNote {
  readonly by: string;
  readonly note: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Something that waits for a person, or did. Times are in ISO 8601. */
export interface InboxItem {
  readonly itemId: string;
  readonly kind: ItemKind;
  readonly status: ItemStatus;
  readonly priority: Priority;
  /** One line that says what it is about. */
  readonly title: string;
  readonly reasons: readonly string[];
  readonly subject: ItemSubject;
  readonly customerId: string | null;
  readonly conversationId: string | null;
  /** The beginning of the customer's text. */
  readonly excerpt: string | null;
  /** The reply that a person may send, change or discard. */
  readonly draft: string | null;
  /** The person who has claimed it; null without one. */
  readonly assignee: string | null;
  /** When the claim lapses. */
  readonly claimedUntil: string | null;
  readonly openedAt: string;
  /** When it is overdue; null for an item that never is. */
  readonly dueAt: string | null;
  /** True once it was seen to be overdue while it waited. */
  readonly isOverdue: boolean;
  /** When it ends as `expired`; null for an item that never does. */
  readonly expiresAt: string | null;
  /** When it ended, whatever its final status; null while it waits. */
  readonly endedAt: string | null;
  readonly resolution: Resolution | null;
  /** The data that a person needs for a decision. */
  readonly payload: JsonObject | null;
  /** The JSON Schema of the `data` of a resolution. */
  readonly responseSchema: JsonObject | null;
  readonly notes: readonly ItemNote[];
  /** 1 for a new item, and one more with each change. */
  readonly version: number;
  /** The number of its last event. */
  readonly lastSeq: number;
}

/** True for an item that waits for a person. */
export function isWaiting({ status }: Pick<InboxItem, 'status'>): boolean {
  return status === 'open' || status === 'claimed';
}
