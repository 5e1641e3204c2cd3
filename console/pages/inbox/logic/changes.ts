import type { EventResponse } from '../../../../src/entries/client.ts';
import type { Item } from './types.ts';

/** The changes of an item since it was read, as its events tell them. */
export interface Change {
  readonly status: Item['status'];
  /** The person who made it; `service` for changes that the service made by itself. */
  readonly by: string;
  /** The decision; null without one. */
  readonly outcome: string | null;
  readonly at: string;
}

const statuses: Readonly<Record<string, Item['status']>> = {
  'inbox.opened': 'open',
  'inbox.claimed': 'claimed',
  'inbox.released': 'open',
  'inbox.resolved': 'resolved',
  'inbox.expired': 'expired',
};

/** True for an event about an item of the inbox. */
export const isOfInbox = (event: EventResponse): boolean => event.subject.kind === 'inbox';

/** The newest change of each item in `events`, added to those of before. The same map where nothing has changed. */
export function noteChanges(
  before: ReadonlyMap<string, Change>,
  events: readonly EventResponse[],
): ReadonlyMap<string, Change> {
  const changed = events.flatMap((event) => {
    const status = statuses[event.type];
    if (status === undefined || !('by' in event.data)) return [];
    const { data, at, subject } = event;
    const outcome = 'outcome' in data && typeof data.outcome === 'string' ? data.outcome : null;
    const ended = outcome === 'withdrawn' ? 'withdrawn' : status;
    return [[subject.id, { status: ended, by: String(data.by), outcome, at }] as const];
  });
  return changed.length === 0 ? before : new Map([...before, ...changed]);
}

/** A row with what has happened since. An item that ended stays in its place, so that nothing moves. */
export function withChange(item: Item, change: Change | undefined): Item {
  if (change === undefined || change.status === item.status) return item;
  return { ...item, status: change.status, assignee: change.status === 'open' ? null : change.by };
}
