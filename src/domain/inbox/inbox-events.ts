import type { Subject, SubjectEvent } from '../subject-event.ts';
import type { InboxEventType, InboxItem, ItemKind } from './item.ts';

/** Something happened to an item. */
export interface InboxChanged {
  readonly type: InboxEventType;
  readonly itemId: string;
  readonly itemKind: ItemKind;
  /** 1, 2, 3 … without gaps within the item. */
  readonly seq: number;
  /** Wall-clock time in milliseconds since the epoch. */
  readonly at: number;
  /** The person who did it; `service` for acts of the service itself. */
  readonly by: string;
  /** The decision; `lapsed` for a claim that ended by itself, `withdrawn` for an item whose subject is gone. */
  readonly outcome: string | null;
  /** Milliseconds since it was opened. */
  readonly ageMs: number;
}

/** An item was seen to be overdue. Each item is overdue once. */
export interface InboxOverdue {
  readonly type: 'inbox.overdue';
  readonly itemId: string;
  readonly itemKind: ItemKind;
}

/** The event that tells a change of an item; its number is that of the item's last event. */
export function inboxChanged(
  { itemId, kind, lastSeq, openedAt }: InboxItem,
  { type, by, outcome }: Pick<InboxChanged, 'type' | 'by' | 'outcome'>,
  at: number,
): InboxChanged {
  const ageMs = Math.max(0, at - Date.parse(openedAt));
  return { type, itemId, itemKind: kind, seq: lastSeq, at, by, outcome, ageMs };
}

/** An event of an item as clients see it. */
export function toInboxEvent(event: InboxChanged): SubjectEvent {
  const { type, seq, at, itemId, itemKind, by, outcome } = event;
  const subject: Subject = { kind: 'inbox', id: itemId };
  return { seq, type, at, subject, data: { itemKind, by, ...(outcome === null ? {} : { outcome }) } };
}
