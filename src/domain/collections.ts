import { summarizeTrace, type Trace, type TraceSummary } from './message/trace.ts';
import type { FilterFields } from './record-filter.ts';
import { type RoutingResult, type StoredRoutingSummary, summarizeRouting } from './routing/routing.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Retention of runs in the shared store, in milliseconds (specification, section 8). */
export const RUN_RETENTION_MS = 30 * DAY_MS;

/** The collection of traces, stored for 7 days in the shared store. */
export const traceRecords = {
  name: 'traces',
  idOf: (trace: Trace) => trace.traceId,
  summarize: summarizeTrace,
  filterFields: ({ createdAt, status, intent, escalated, customerId }: TraceSummary): FilterFields => ({
    createdAt,
    status,
    intent,
    escalated,
    customerId,
  }),
  retentionMs: 7 * DAY_MS,
  lists: ['timeline'],
} as const;

/** The collection of routed goals, stored for 30 days in the shared store. */
export const routingRecords = {
  name: 'routes',
  idOf: (routing: RoutingResult) => routing.routingId,
  summarize: summarizeRouting,
  filterFields: ({ createdAt, status, customerId }: StoredRoutingSummary): FilterFields => ({
    createdAt,
    status,
    ...(customerId == null ? {} : { customerId }),
  }),
  retentionMs: 30 * DAY_MS,
  lists: ['results'],
} as const;
