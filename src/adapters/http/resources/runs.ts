import { createRoute, z } from '@hono/zod-openapi';
import {
  type Run,
  type RunSummary,
  runStatuses,
  type StepResult,
  stepStatuses,
} from '../../../domain/run/run.ts';
import { stepKinds } from '../../../domain/workflow/definition.ts';
import {
  executionExample,
  executionsExample,
  pendingExecutionExample,
  runRequestExample,
} from '../docs/examples.ts';
import {
  anyObjectSchema,
  errorResponses,
  idParameter,
  jsonContent,
  jsonObjectSchema,
  nullableObjectSchema,
  pageQuerySchema,
  pageSchema,
} from './schemas.ts';
import { workflowParams } from './workflows.ts';

const runRequestSchema = z
  .object({
    background: z
      .boolean({ error: 'must be true or false' })
      .default(false)
      .openapi({ description: 'Answer at once with the PENDING execution instead of waiting for the end' }),
    input: jsonObjectSchema.default({}).openapi({ description: 'What `$input.<path>` refers to' }),
  })
  .openapi('RunRequest');

const stepResultSchema = z
  .object({
    step_id: z.string().describe('Id of the step in the definition'),
    kind: z.enum(stepKinds).describe('Whether a tool or an agent does the step'),
    status: z.enum(stepStatuses).describe('`SKIPPED` where an earlier layer failed'),
    layer: z.number().int().describe('Index of its layer, from 0'),
    attempts: z.number().int().describe('How often it was tried; 0 where its work was never begun'),
    output: nullableObjectSchema.describe('What the tool returned or the agent replied, else null'),
    error: z.string().nullable().describe('Why it failed, else null'),
    started_at: z.iso.datetime().nullable().describe('Null before it starts'),
    completed_at: z.iso.datetime().nullable().describe('Null before it ends'),
    duration_ms: z.number().nullable().describe('Milliseconds of its work; null before it ends'),
  })
  .openapi('StepResult');

const summarySchema = z
  .object({
    execution_id: z.uuid().describe('Where `GET /workflows/{id}/runs/{execution_id}` finds it'),
    workflow_id: z.string().describe('Id of the definition'),
    workflow_name: z.string().describe('Name of the definition'),
    status: z.enum(runStatuses).describe('`FAILED` as soon as one step failed'),
    background: z.boolean().describe('Whether nobody waited for the end'),
    input: anyObjectSchema.describe('The input of the run'),
    error: z.string().nullable().describe('Why the run failed, else null'),
    created_at: z.iso.datetime().describe('When the run was asked for'),
    started_at: z.iso.datetime().nullable().describe('Null before it starts'),
    completed_at: z.iso.datetime().nullable().describe('Null before it ends'),
    duration_ms: z.number().nullable().describe('Milliseconds from start to end; null before it ends'),
  })
  .openapi('ExecutionSummary');

const executionSchema = summarySchema
  .extend({
    step_results: z
      .record(z.string(), stepResultSchema)
      .openapi({ description: 'By step id, every step from the start' }),
  })
  .openapi('Execution');

const location = z.object({ Location: z.string().openapi({ description: 'Path of the execution' }) });

export const runRoute = createRoute({
  method: 'post',
  path: '/workflows/{id}/run',
  operationId: 'runWorkflow',
  tags: ['Workflows'],
  summary: 'Run a workflow',
  description:
    'Waits for the end unless `background` is true. There is no deduplication: a repeated call runs the workflow again.',
  request: {
    params: workflowParams,
    body: { ...jsonContent(runRequestSchema, 'How to run it', runRequestExample), required: false },
  },
  responses: {
    200: jsonContent(executionSchema, 'The finished execution', executionExample),
    202: {
      ...jsonContent(executionSchema, 'The PENDING execution of a background run', pendingExecutionExample),
      headers: location,
    },
    ...errorResponses(400, 404, 413, 415, 422, 503),
  },
});

export const runsRoute = createRoute({
  method: 'get',
  path: '/workflows/{id}/runs',
  operationId: 'listRuns',
  tags: ['Workflows'],
  summary: 'List the executions of a workflow, newest first',
  description: 'Without their step results. Those of a deleted definition are still found under its id.',
  request: { params: workflowParams, query: pageQuerySchema },
  responses: {
    200: jsonContent(
      pageSchema('executions', summarySchema),
      'A page of executions, without their step results',
      executionsExample,
    ),
    ...errorResponses(404, 422, 503),
  },
});

export const executionRoute = createRoute({
  method: 'get',
  path: '/workflows/{id}/runs/{execution_id}',
  operationId: 'getRun',
  tags: ['Workflows'],
  summary: 'Read an execution',
  description:
    'Its status and all its step results, while it runs, too. 404 under the id of another workflow.',
  request: { params: workflowParams.extend({ execution_id: idParameter('`execution_id` of the run') }) },
  responses: {
    200: jsonContent(executionSchema, 'The execution as of now', executionExample),
    ...errorResponses(404, 503),
  },
});

/** An execution's summary in its wire form. */
export function toWireExecutionSummary(execution: RunSummary): z.input<typeof summarySchema> {
  return {
    execution_id: execution.runId,
    workflow_id: execution.workflowId,
    workflow_name: execution.workflowName,
    status: execution.status,
    background: execution.background,
    input: execution.input,
    error: execution.error,
    created_at: execution.createdAt,
    started_at: execution.startedAt,
    completed_at: execution.completedAt,
    duration_ms: execution.durationMs,
  };
}

/** An execution in its wire form: its step results by step id. */
export function toWireExecution(execution: Run): z.input<typeof executionSchema> {
  const results: Record<string, z.input<typeof stepResultSchema>> = {};
  // Step ids cannot begin with an underscore, so none of them is `__proto__`.
  for (const result of execution.stepResults) results[result.stepId] = toWireStepResult(result);
  return { ...toWireExecutionSummary(execution), step_results: results };
}

function toWireStepResult(result: StepResult): z.input<typeof stepResultSchema> {
  return {
    step_id: result.stepId,
    kind: result.kind,
    status: result.status,
    layer: result.layer,
    attempts: result.attempts,
    output: result.output,
    error: result.error,
    started_at: result.startedAt,
    completed_at: result.completedAt,
    duration_ms: result.durationMs,
  };
}
