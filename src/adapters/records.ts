import { type RoutingResult, summariseRouting } from '../domain/routing.ts';
import { summariseTrace, type Trace } from '../domain/trace.ts';
import type { WorkflowDefinition } from '../domain/workflow.ts';
import type { Ports } from '../ports/ports.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The ports that keep records. */
export type StoragePorts = Pick<Ports, 'storage' | 'traces' | 'workflows' | 'executions' | 'routes'>;

/** How long executions are kept in the shared store, in milliseconds (specification, section 8). */
export const EXECUTION_RETENTION_MS = 30 * DAY_MS;

/** Traces, kept for 7 days in the shared store. */
export const traceRecords = {
  name: 'traces',
  idOf: (trace: Trace) => trace.traceId,
  summarise: summariseTrace,
  retentionMs: 7 * DAY_MS,
  lists: ['timeline'],
} as const;

/** Workflow definitions, which never expire. */
export const workflowRecords = {
  name: 'workflows',
  idOf: (workflow: WorkflowDefinition) => workflow.id,
  summarise: (workflow: WorkflowDefinition) => workflow,
  lists: ['steps', 'layers', 'warnings'],
} as const;

/** Routing history, kept for 30 days in the shared store. */
export const routingRecords = {
  name: 'routes',
  idOf: (routing: RoutingResult) => routing.routingId,
  summarise: summariseRouting,
  retentionMs: 30 * DAY_MS,
  lists: ['results'],
} as const;
