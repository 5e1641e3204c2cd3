import { z } from '@hono/zod-openapi';
import { runStatuses, stepStatuses } from '../../../domain/run/run.ts';
import { stepKinds } from '../../../domain/workflow/definition.ts';
import { anyObjectSchema, jsonObjectSchema, nullableObjectSchema } from './schemas.ts';

/** The schema `RunRequest` of the OpenAPI document. */
export const runRequestSchema = z
  .object({
    background: z.boolean({ error: 'must be true or false' }).optional().openapi({
      default: false,
      description: 'Return the PENDING execution at once instead of waiting for its end',
    }),
    input: jsonObjectSchema.default({}).openapi({ description: 'What `$input.<path>` refers to' }),
  })
  .openapi('RunRequest');

/** The schema `StepResult` of the OpenAPI document. */
export const stepResultSchema = z
  .object({
    step_id: z.string().describe('Id of the step in the definition'),
    kind: z.enum(stepKinds).describe('Whether a tool or an agent runs the step'),
    status: z.enum(stepStatuses).describe('`SKIPPED` when an earlier layer failed'),
    layer: z.number().int().describe('Index of its layer, from 0'),
    attempts: z.number().int().describe('Number of attempts; 0 when the step was not started'),
    output: nullableObjectSchema.describe('Output of the tool or reply of the agent, else null'),
    error: z.string().nullable().describe('Why it failed, else null'),
    started_at: z.iso.datetime().nullable().describe('Null before it starts'),
    completed_at: z.iso.datetime().nullable().describe('Null before it ends'),
    duration_ms: z.number().nullable().describe('Milliseconds from start to end; null before it ends'),
  })
  .openapi('StepResult');

/** The schema `ExecutionSummary` of the OpenAPI document. */
export const executionSummarySchema = z
  .object({
    execution_id: z.uuid().describe('Id of the execution, for `GET /workflows/{id}/runs/{execution_id}`'),
    workflow_id: z.string().describe('Id of the definition'),
    workflow_name: z.string().describe('Name of the definition'),
    status: z.enum(runStatuses).describe('`FAILED` as soon as one step failed'),
    background: z.boolean().describe('Whether it runs in the background'),
    input: anyObjectSchema.describe('Input of the run'),
    error: z.string().nullable().describe('Why the run failed, else null'),
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
