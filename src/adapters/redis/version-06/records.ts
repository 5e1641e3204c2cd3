import type { Trace } from '../../../domain/message/trace.ts';
import { type RoutingResult, upgradeRouting } from '../../../domain/routing/routing.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { isPlainObject } from '../../../lib/json/json.ts';

/**
 * Parses the JSON of a record that version 0.6 stored. Undefined where the text is no JSON object, lacks one of the
 * `lists`, or fails `isOwn`.
 */
export function parseOld<T>(
  text: string,
  lists: readonly (keyof T & string)[],
  isOwn: (value: Partial<T>) => boolean,
): T | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isPlainObject(value) || !lists.every((list) => Array.isArray(value[list]))) return undefined;
  const stored = trusted<T>(value);
  return isOwn(stored) ? stored : undefined;
}

/** Asserts the type of a record that only this service has written. */
function trusted<T>(value: unknown): T {
  return value as T;
}

/** Milliseconds since the epoch; undefined for a text that is no time. */
export function timeOf(text: unknown): number | undefined {
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The members of a trace that version 0.6 stored. */
type OldTrace = Pick<
  Trace,
  | 'traceId'
  | 'source'
  | 'customerId'
  | 'message'
  | 'status'
  | 'intent'
  | 'confidence'
  | 'escalated'
  | 'response'
  | 'error'
  | 'createdAt'
  | 'completedAt'
  | 'durationMs'
  | 'otelTraceId'
  | 'timeline'
>;

/**
 * A trace of version 0.6, with the defaults of what came later, but without `prepared`: readers show null. Undefined
 * where it is damaged.
 */
export function decodeOldTrace(id: string, json: string): Trace | undefined {
  const stored = parseOld<OldTrace>(
    json,
    ['timeline'],
    ({ traceId, createdAt }) => traceId === id && timeOf(createdAt) !== undefined,
  );
  if (stored === undefined) return undefined;
  const added = {
    subject: null,
    conversationId: null,
    locale: null,
    metadata: null,
    disposition: stored.escalated ? 'escalated' : 'answered',
    concerns: [],
    itemId: null,
  };
  return trusted<Trace>({ ...stored, ...added });
}

/** A routed goal of version 0.6, with empty members for what came later. Undefined where it is damaged. */
export function decodeOldRouting(id: string, json: string): RoutingResult | undefined {
  const stored = parseOld<RoutingResult>(
    json,
    ['results'],
    ({ routingId, createdAt }) => routingId === id && timeOf(createdAt) !== undefined,
  );
  return stored && upgradeRouting(stored);
}

/** A workflow of version 0.6: version 1 of its definition. Undefined where it is damaged. */
export function decodeOldWorkflow(id: string, json: string): WorkflowDefinition | undefined {
  const stored = parseOld<WorkflowDefinition>(
    json,
    ['steps', 'layers', 'warnings'],
    (workflow) => workflow.id === id && timeOf(workflow.createdAt) !== undefined,
  );
  return stored && { ...stored, version: 1 };
}
