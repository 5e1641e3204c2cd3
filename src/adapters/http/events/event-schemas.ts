import { z } from '@hono/zod-openapi';
import { itemKinds } from '../../../domain/inbox/item.ts';
import { decisionSources, dispositions } from '../../../domain/message/message.ts';
import { pipelineStates, stageNames } from '../../../domain/message/pipeline.ts';
import { routingStatuses } from '../../../domain/routing/routing.ts';
import { waitKinds } from '../../../domain/run/run.ts';
import { fireSkipReasons } from '../../../domain/schedule/schedule.ts';
import {
  runOrigins,
  type Subject,
  type SubjectEvent,
  type SubjectEventData,
  type SubjectEventType,
  type SubjectKind,
  subjectKinds,
} from '../../../domain/subject-event.ts';
import { stepKinds } from '../../../domain/workflow/definition.ts';
import { isoTime } from '../../../lib/text/time.ts';
import { recordedIntentSchema, toolStatusSchema } from '../resources/schemas.ts';

/** A name in camelCase as snake_case. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** The data of a type of event on the wire. */
export type EventResponseData<Type extends SubjectEventType> = {
  readonly [Key in keyof SubjectEventData[Type] as SnakeCase<Key & string>]: SubjectEventData[Type][Key];
};

const durationMs = z.number().describe('Milliseconds');
const nullableDurationMs = z.number().nullable().describe('Milliseconds; null when its process is gone');
const error = z.string().describe('Why it failed');
const nullableError = z.string().nullable().describe('Why it failed, else null');
const attempts = z.number().int().describe('Calls of the tool or agent');
const attempt = z.number().int().describe('Number of the attempt, from 1');
const stepId = z.string().describe('Id of the step');
const by = z.string().describe('Who asked for it');
const why = z
  .enum(['failed_before', 'condition', 'cancelled'])
  .describe('Why it did not run; `condition`: its `when` is false, or no step before it has completed');
const name = z.string().describe('Name of the definition');

const workflowId = z.string().describe('Id of the workflow');
const dueAt = z.string().nullable().describe('The fire time: ISO 8601; null for one that a client triggered');

const stepEnd = { step_id: stepId, attempts, duration_ms: nullableDurationMs };
const subtask = {
  task_id: z.string().describe('Id of the subtask'),
  agent_name: z.string().describe('Name of the agent'),
  duration_ms: durationMs,
};

const inboxEvent = z.object({
  item_kind: z.enum(itemKinds).describe('Why the item waits for a person'),
  by: z.string().describe('Who did it; `service` for what the service did by itself'),
  outcome: z
    .string()
    .exactOptional()
    .describe(
      'What was decided; `lapsed` for a claim that ended by itself, `withdrawn` for an item whose subject is gone',
    ),
});

/** The data of each type of event. */
export const eventDataSchemas = {
  'pipeline.transition': z.object({
    from: z.enum(pipelineStates).nullable().describe('Null for the first transition'),
    to: z.enum(pipelineStates).describe('The new state'),
    duration_ms: durationMs,
  }),
  'stage.decided': z.object({
    stage: z.enum(stageNames).describe('The stage'),
    source: z.enum(decisionSources).describe('What decided'),
    summary: z.string().describe('The decision in one sentence'),
  }),
  'tool.executed': z.object({
    tool_name: z.string().describe('Name of the tool'),
    status: toolStatusSchema,
    attempts,
    error: nullableError,
    duration_ms: durationMs,
  }),
  'message.escalated': z.object({ reasons: z.array(z.string()).readonly().describe('Why') }),
  'message.finished': z.object({
    status: z.enum(['COMPLETED', 'FAILED']).describe('The final state'),
    intent: recordedIntentSchema.describe('What the customer wants'),
    confidence: z.number().describe('From 0 to 1'),
    escalated: z.boolean().describe('Whether a person must read it'),
    disposition: z.enum(dispositions).describe('What is to happen with the reply'),
    error: nullableError,
    duration_ms: durationMs,
  }),
  'execution.created': z.object({
    workflow_name: name,
    version: z.number().int().describe('Version of the definition'),
    background: z.boolean().describe('Whether it was started in the background'),
    origin: z.enum(runOrigins).describe('What started it'),
  }),
  'execution.started': z.object({ attempt }),
  'layer.started': z.object({
    layer: z.number().int().describe('Number of the layer, from 0'),
    steps: z.array(z.string()).readonly().describe('Ids of its steps'),
  }),
  'step.started': z.object({
    step_id: stepId,
    kind: z.enum(stepKinds).describe('What the step calls'),
    layer: z.number().int().describe('Number of its layer, from 0'),
    attempt,
  }),
  'step.retrying': z.object({
    step_id: stepId,
    attempt,
    error,
    delay_ms: z.number().describe('Milliseconds until the next attempt'),
  }),
  'step.progress': z.object({
    step_id: stepId,
    done: z.number().int().describe('How many of its items have ended'),
    failed: z.number().int().describe('How many of those have failed'),
    total: z.number().int().describe('How many items it has'),
  }),
  'step.waiting': z.object({
    step_id: stepId,
    for: z.enum(waitKinds).describe('What ends the wait'),
    until: z.iso.datetime().nullable().describe('When it ends by itself, else null'),
  }),
  'step.completed': z.object({
    ...stepEnd,
    copied: z.literal(true).exactOptional().describe('The output is that of the run which this one reruns'),
    error: error.exactOptional().describe('Why it failed, for a step that `on_error` gives an output'),
  }),
  'step.failed': z.object({ ...stepEnd, error }),
  'step.skipped': z.object({ step_id: stepId, why }),
  'step.cancelled': z.object({ ...stepEnd, why: z.literal('cancelled').describe('Always `cancelled`') }),
  'execution.waiting': z.object({
    for: z.array(z.enum(waitKinds)).readonly().describe('What its steps wait for'),
  }),
  'execution.resumed': z.object({
    by: z.string().describe('Who ended the wait; `service` for a time or a child execution'),
  }),
  'execution.cancel_requested': z.object({ by, reason: z.string().nullable().describe('Why, else null') }),
  'execution.retried': z.object({
    by,
    attempt,
    steps: z.array(z.string()).readonly().describe('Ids of the steps that run again'),
  }),
  'execution.recovered': z.object({
    recoveries: z.number().int().describe('How often the run was continued after a crash'),
    recoveries_without_progress: z
      .number()
      .int()
      .describe('The same since a step completed last, or since the last retry'),
    unknown_steps: z
      .array(z.string())
      .readonly()
      .describe('Ids of the steps that were under way and whose effects nobody knows'),
  }),
  'execution.completed': z.object({ error: z.null().describe('Always null'), duration_ms: durationMs }),
  'execution.failed': z.object({ error, duration_ms: nullableDurationMs }),
  'execution.cancelled': z.object({ error, duration_ms: nullableDurationMs }),
  'routing.started': z.object({
    goal_length: z.number().int().describe('Characters of the goal'),
    subtasks: z.number().int().describe('Number of subtasks'),
  }),
  'subtask.completed': z.object(subtask),
  'subtask.failed': z.object({ ...subtask, error }),
  'routing.finished': z.object({
    status: z.enum(routingStatuses).describe('How it ended'),
    total: z.number().int().describe('Number of subtasks'),
    completed: z.number().int().describe('Number of subtasks that succeeded'),
    failed: z.number().int().describe('Number of subtasks that failed'),
    error: nullableError,
    duration_ms: durationMs,
  }),
  'inbox.opened': inboxEvent,
  'inbox.claimed': inboxEvent,
  'inbox.released': inboxEvent,
  'inbox.resolved': inboxEvent,
  'inbox.expired': inboxEvent,
  'workflow.created': z.object({ name }),
  'workflow.updated': z.object({ name }),
  'workflow.deleted': z.object({ name }),
  'schedule.fired': z.object({
    workflow_id: workflowId,
    execution_id: z.string().describe('Id of the execution that was started'),
    due_at: dueAt,
  }),
  'schedule.skipped': z.object({
    workflow_id: workflowId,
    due_at: dueAt,
    reason: z
      .enum(fireSkipReasons)
      .describe(
        'Why no execution was started: `overlap`, one goes on; `queue_full`, too many fires wait; `missed`, no process ran at the time, told once for fire times that follow each other; `disabled`, it waited when the schedule was disabled; `workflow_not_found`; `invalid_input`; `unavailable`, too many background runs wait; `failed`, see the log',
      ),
  }),
} satisfies { readonly [Type in SubjectEventType]: z.ZodType<EventResponseData<Type>> };

/** All types of events. */
export const eventTypes = Object.keys(eventDataSchemas) as readonly SubjectEventType[];

const subjectSchema = z
  .object({
    kind: z.enum(subjectKinds).describe('What the event is about'),
    id: z.string().describe('Id of the record'),
    workflow_id: z.string().optional().describe('Id of its workflow; with executions only'),
  })
  .openapi('EventSubject');

/** The subject of an event on the wire. */
export interface EventResponseSubject {
  readonly kind: SubjectKind;
  readonly id: string;
  /** With executions only. */
  readonly workflow_id?: string | undefined;
}

/** An event on the wire, of any type. */
export type EventResponse = {
  readonly [Type in SubjectEventType]: {
    /** 1, 2, 3 … without gaps within the subject. */
    readonly seq: number;
    readonly type: Type;
    /** ISO 8601, in UTC. */
    readonly at: string;
    readonly subject: EventResponseSubject;
    readonly data: EventResponseData<Type>;
  };
}[SubjectEventType];

const anyData = z.union(
  Object.values(eventDataSchemas) as unknown as readonly [z.ZodType<EventResponse['data']>],
);

/** The schema `Event` of the OpenAPI document. */
export const eventSchema = z
  .object({
    seq: z.number().int().describe('1, 2, 3 … without gaps within the subject'),
    type: z.enum(eventTypes).describe('What happened'),
    at: z.iso.datetime().describe('When it happened'),
    subject: subjectSchema,
    data: anyData.describe('Depends on the type; contains no inputs, outputs and message texts'),
  })
  .openapi('Event');

/** An event as it is sent. */
export function toEventResponse({ seq, type, at, subject, data }: SubjectEvent): EventResponse {
  const event = { seq, type, at: isoTime(at), subject: toSubjectResponse(subject), data: toSnakeCase(data) };
  // The schemas of the data are checked against the types of the domain, under the names that `toSnakeCase` makes.
  return event as EventResponse;
}

function toSubjectResponse({ kind, id, workflowId }: Subject) {
  return workflowId === undefined ? { kind, id } : { kind, id, workflow_id: workflowId };
}

/** The names of the data of all events: a closed set. */
const names = new Map<string, string>();

function toSnakeCase(data: object): object {
  const converted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(data)) {
    let name = names.get(key);
    if (name === undefined) {
      name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      names.set(key, name);
    }
    converted[name] = value;
  }
  return converted;
}
