import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { actionsOf, runActions } from '../../../domain/run/actions.ts';
import { stepDecisions } from '../../../domain/run/events.ts';
import {
  hasEnded,
  type Run,
  type RunSummary,
  runStatuses,
  stepStatuses,
  type Wait,
  waitKinds,
} from '../../../domain/run/run.ts';
import { stepKinds } from '../../../domain/workflow/definition.ts';
import type { AppEnv } from '../env.ts';
import { streamJson } from '../json-stream.ts';
import { type CreateTag, unlessCurrent } from '../record-headers.ts';
import type { ResponseHeaders } from '../response.ts';
import {
  anyObjectSchema,
  booleanSchema,
  count,
  customerIdSchema,
  jsonObjectSchema,
  nullableObjectSchema,
  versionSchema,
} from './schemas.ts';
import { toWire } from './wire.ts';

// Runs on the wire, where they are called executions.

/** A response with a run. */
export function runResponse<S extends 200 | 202>(
  c: Context<AppEnv>,
  run: Run,
  status: S,
  headers: ResponseHeaders = {},
) {
  return streamJson(c, toExecution(run), 'step_results', status, headers);
}

/** The response to a read of a run: once it has ended with a tag, which a retry changes. */
export function currentRunResponse(c: Context<AppEnv>, run: Run, tagOf: CreateTag) {
  const respond = (headers: ResponseHeaders = {}) => runResponse(c, run, 200, headers);
  // A run that can still change has no tag, and so no 304, not even for `If-None-Match: *`.
  if (!hasEnded(run.status)) return respond();
  return unlessCurrent(c, tagOf(run.runId, `${run.completedAt}:${run.attempt}`), respond);
}

/** The schema `RunRequest` of the OpenAPI document. */
export const runRequestSchema = z
  .object({
    background: booleanSchema.optional().openapi({
      default: false,
      description: 'Return the PENDING execution at once instead of waiting for its end',
    }),
    input: jsonObjectSchema.default({}).openapi({ description: 'What `$input.<path>` refers to' }),
    customer_id: customerIdSchema.optional().openapi({
      description: 'Id of the customer whose data the run has: erasing the customer deletes it',
      example: 'customer-42',
    }),
    version: versionSchema.openapi({
      description: 'Version of the definition; the newest one when absent',
    }),
  })
  .openapi('RunRequest');

/** The maximum length of the reason of a cancel, in characters. */
const MAX_REASON = 500;

/** The longest name of a person, in characters. */
const MAX_NAME = 128;

/** The schema `ResolveStepRequest` of the OpenAPI document. */
export const resolveStepRequestSchema = z
  .object({
    outcome: z
      .enum(stepDecisions, { error: `must be one of ${stepDecisions.join(', ')}` })
      .openapi({ description: 'Whether the step has completed or failed, or is to run again' }),
    output: jsonObjectSchema
      .optional()
      .openapi({ description: 'Output of the step, with `completed`; `{}` when absent' }),
    by: z
      .string({ error: 'must be a string' })
      .trim()
      .min(1, 'must not be empty')
      .max(MAX_NAME, `must be at most ${MAX_NAME} characters`)
      .optional()
      .openapi({ description: 'Who decides; `api` when absent' }),
  })
  .openapi('ResolveStepRequest');

/** The maximum length of the id of a step, in characters. */
const MAX_STEP_ID = 64;

/** The schema `CancelRequest` of the OpenAPI document. */
export const cancelRequestSchema = z
  .object({
    reason: z
      .string({ error: 'must be a string' })
      .max(MAX_REASON, `must be at most ${MAX_REASON} characters`)
      .nullish()
      .openapi({ description: 'Why, for the events of the execution' }),
  })
  .openapi('CancelRequest');

/** The schema `RerunRequest` of the OpenAPI document. */
export const rerunRequestSchema = z
  .object({
    from_step: z
      .string({ error: 'must be a string' })
      .max(MAX_STEP_ID, `must be at most ${MAX_STEP_ID} characters`)
      .optional()
      .openapi({
        description:
          'Id of the step to begin with: completed steps that do not depend on it are copied and not run. All steps run when absent',
      }),
    items: z.literal('failed', { error: 'must be "failed"' }).optional().openapi({
      description:
        'Of the step `from_step`, which has `foreach`: items that have completed are copied, and the others run with the same idempotency keys as before; the child execution of an item goes on with what has completed of it. Not together with `input`',
    }),
    input: jsonObjectSchema
      .optional()
      .openapi({ description: 'Input of the new execution; that of the original when absent' }),
    background: booleanSchema.optional().openapi({
      default: true,
      description: 'Return the PENDING execution at once instead of waiting for its end',
    }),
  })
  .openapi('RerunRequest');

/** The schema `StepResult` of the OpenAPI document. */
export const stepResultSchema = z
  .object({
    step_id: z.string().describe('Id of the step in the definition'),
    kind: z.enum(stepKinds).describe('What the step calls or waits for'),
    status: z
      .enum(stepStatuses)
      .describe(
        '`SKIPPED` when an earlier layer failed, its condition does not hold, or the run was cancelled; `WAITING` until what it waits for comes',
      ),
    layer: count('Index of its layer, from 0'),
    attempts: count('Number of attempts; 0 when the step was not started'),
    output: nullableObjectSchema.describe('Output of a completed step, else null'),
    error: z.string().nullable().describe('Why it failed, else null'),
    started_at: z.iso.datetime().nullable().describe('Null before it starts'),
    completed_at: z.iso.datetime().nullable().describe('Null before it ends'),
    duration_ms: z.number().nullable().describe('Milliseconds from start to end; null before it ends'),
  })
  .openapi('StepResult');

/** Something that a run waits for. */
const waitSchema = z.object({
  kind: z
    .enum(waitKinds)
    .describe(
      'What ends the wait: an answer in the inbox, a time, the end of a child execution, or the decision about an unknown outcome',
    ),
  step_id: z.string().describe('Id of the step that waits'),
  item_id: z
    .string()
    .optional()
    .openapi({ description: 'Id of the inbox item that ends the wait; for `approval` and `recovery`' }),
  execution_id: z
    .string()
    .optional()
    .openapi({ description: 'Id of the child execution whose end ends the wait; for `workflow`' }),
  until: z.iso.datetime().optional().openapi({ description: 'When the wait ends by itself' }),
});

/** The schema `ExecutionSummary` of the OpenAPI document. */
export const executionSummarySchema = z
  .object({
    execution_id: z.uuid().describe('Id of the execution, for `GET /runs/{execution_id}`'),
    workflow_id: z.string().describe('Id of the definition'),
    workflow_name: z.string().describe('Name of the definition'),
    version: count('Version of the definition'),
    status: z.enum(runStatuses).describe('`WAITING` while nothing is left to do before a wait ends'),
    background: z.boolean().describe('Whether it runs in the background'),
    attempt: count('1, and one more for each retry'),
    recoveries: count('How often it was continued after a crash with a step under way'),
    recoveries_without_progress: count(
      'The same since a step completed last, or since the last retry. Beyond `RUN_MAX_RECOVERIES` of these it is given up',
    ),
    parent_execution_id: z.string().nullable().describe('The execution that started it as a step, else null'),
    rerun_of: z.string().nullable().describe('The execution that it reruns, else null'),
    customer_id: z
      .string()
      .nullable()
      .describe('The customer whose data it has, else null; child executions and reruns have the same'),
    chain: z.string().optional().openapi({
      description:
        'For a run of a step with a `definition` of its own: the ids of the steps that lead to that, in the version of `workflow_id`, with a `/` between them',
      example: 'welcome',
    }),
    input: anyObjectSchema.describe('Input of the run'),
    output: nullableObjectSchema.describe('Output that its definition makes at a COMPLETED end, else null'),
    error: z.string().nullable().describe('Why the run failed or was cancelled, else null'),
    waiting_for: z
      .array(waitSchema)
      .openapi({ description: 'What it waits for; also while other steps go on' }),
    actions: z.array(z.enum(runActions)).openapi({
      description:
        'What would be accepted now: each is an endpoint under `/runs/{execution_id}`, and `resolve` one under its steps',
    }),
    created_at: z.iso.datetime().describe('When the run was requested'),
    started_at: z.iso.datetime().nullable().describe('Null before it starts'),
    completed_at: z.iso.datetime().nullable().describe('Null before it ends'),
    duration_ms: z.number().nullable().describe('Milliseconds from start to end; null before it ends'),
  })
  .openapi('ExecutionSummary');

/** The schema `Execution` of the OpenAPI document. */
export const executionSchema = executionSummarySchema
  .extend({
    step_results: z
      .record(z.string(), stepResultSchema)
      .openapi({ description: 'Results of all steps, by step id' }),
  })
  .openapi('Execution');

const toWait = toWire(waitSchema, ({ kind, itemId, until }: Wait) => ({
  // The id of a wait for a time means nothing to clients.
  item_id: kind === 'approval' || kind === 'recovery' ? itemId : undefined,
  execution_id: kind === 'workflow' ? itemId : undefined,
  until: until ?? undefined,
}));

const toStepResult = toWire(stepResultSchema);

/** A run as listings show it. */
export const toExecutionSummary = toWire(executionSummarySchema, (run: RunSummary) => ({
  execution_id: run.runId,
  parent_execution_id: run.parentRunId,
  waiting_for: run.waitingFor.map(toWait),
  actions: actionsOf(run),
}));

/** A run with its step results. */
export function toExecution(run: Run): z.input<typeof executionSchema> {
  // Step ids cannot start with an underscore, so none of them is `__proto__`.
  const results = run.stepResults.map((result) => [result.stepId, toStepResult(result)]);
  return { ...toExecutionSummary(run), step_results: Object.fromEntries(results) };
}
