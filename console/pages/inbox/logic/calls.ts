import type { Client } from '../../../api/client.ts';
import type { Decision, Kind } from './types.ts';

/** Items on a page of the queue. */
const PAGE = '50';

/** The most items of one person that the head counts. */
const MOST_MINE = '100';

/** The filter of the queue, as the URL has it. Null and the empty text mean all. */
export interface QueueFilter {
  readonly kind: string | null;
  readonly status: string | null;
  readonly assignee: string | null;
  readonly priority: string | null;
  readonly overdue: string | null;
}

const flags = ['true', 'false'] as const;

/** Reads a page of the queue. */
export function readQueue(filter: QueueFilter, cursor?: string) {
  const overdue = flags.find((flag) => flag === filter.overdue);
  const query = {
    limit: PAGE,
    ...(filter.kind && { kind: filter.kind }),
    ...(filter.status && { status: filter.status }),
    ...(filter.assignee && { assignee: filter.assignee }),
    ...(filter.priority && { priority: filter.priority }),
    ...(overdue !== undefined && { overdue }),
    ...(cursor !== undefined && { cursor }),
  };
  return (api: Client) => api.inbox.$get({ query });
}

/** Reads what `by` has, and how much waits in all. Without a name, only the latter. */
export function readMine(by: string) {
  const query = by === '' ? { limit: '1' } : { status: 'claimed', assignee: by, limit: MOST_MINE };
  return (api: Client) => api.inbox.$get({ query });
}

/** Reads an item with its trace, conversation or run. */
export const readCase = (id: string) => (api: Client) => api.inbox[':id'].$get({ param: { id } });

/** Reads the newest messages of a customer. */
export const readMessagesOf = (customer: string) => (api: Client) =>
  api.trace.index.$get({ query: { customer_id: customer, limit: '50' } });

/** Claims the first open item. */
export const claimNext = (by: string, kinds: readonly Kind[]) => (api: Client) =>
  api.inbox.next.$post({ json: { by, ...(kinds.length > 0 && { kinds: [...kinds] }) } });

/** Claims an item. */
export const claim = (id: string, by: string) => (api: Client) =>
  api.inbox[':id'].claim.$post({ param: { id }, json: { by } });

/** Gives an item back. */
export const release = (id: string, by: string) => (api: Client) =>
  api.inbox[':id'].release.$post({ param: { id }, json: { by } });

/** Claims an item for somebody, whoever has it. */
export const assign = (id: string, by: string, assignee: string) => (api: Client) =>
  api.inbox[':id'].assign.$post({ param: { id }, json: { by, assignee } });

/** Adds a note for colleagues. */
export const addNote = (id: string, by: string, note: string) => (api: Client) =>
  api.inbox[':id'].notes.$post({ param: { id }, json: { by, note } });

/** Ends an item. */
export const resolve = (id: string, json: Decision) => (api: Client) =>
  api.inbox[':id'].resolve.$post({ param: { id }, json });
