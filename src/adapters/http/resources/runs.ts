import { createRoute, z } from '@hono/zod-openapi';
import type { Run, RunSummary, StepResult } from '../../../domain/run/run.ts';
import {
  executionExample,
  executionsExample,
  pendingExecutionExample,
  runRequestExample,
} from '../docs/examples.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { streamJson, streamPage } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import type { MountPath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import {
  executionSchema,
  executionSummarySchema,
  runRequestSchema,
  type stepResultSchema,
} from './run-schemas.ts';
import { idParameter, pageQuerySchema, pageSchema, toPageRequest } from './schemas.ts';
import { workflowParams } from './workflow-schemas.ts';

const runWorkflowRoute = createRoute({
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
      headers: z.object({ Location: z.string().openapi({ description: 'Path of the execution' }) }),
    },
    ...errorResponses(400, 404, 413, 415, 422, 503),
  },
});

const listRunsRoute = createRoute({
  method: 'get',
  path: '/workflows/{id}/runs',
  operationId: 'listRuns',
  tags: ['Workflows'],
  summary: 'List the executions of a workflow, newest first',
  description:
    'Without their step results. The executions of a deleted definition are still listed under its id.',
  request: { params: workflowParams, query: pageQuerySchema },
  responses: {
    200: jsonContent(
      pageSchema('executions', executionSummarySchema),
      'A page of executions, without their step results',
      executionsExample,
    ),
    ...errorResponses(404, 422, 503),
  },
});

const getRunRoute = createRoute({
  method: 'get',
  path: '/workflows/{id}/runs/{execution_id}',
  operationId: 'getRun',
  tags: ['Workflows'],
  summary: 'Get an execution',
  description:
    'Its status and all its step results, also while it runs. 404 under the id of another workflow.',
  request: { params: workflowParams.extend({ execution_id: idParameter('`execution_id` of the run') }) },
  responses: {
    200: jsonContent(executionSchema, 'The current state of the execution', executionExample),
    ...errorResponses(404, 503),
  },
});

/** The runs of a workflow, under `/workflows/{id}`. */
export function runsResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { workflows } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(runWorkflowRoute), async (c) => {
      const { background, input } = c.req.valid('json');
      const run = await workflows.run(c.req.valid('param').id, { background, input });
      c.set('logFields', { execution_id: run.runId });
      if (!background) return streamJson(c, toExecutionResponse(run), 'step_results', 200);
      const base = mountPath(c, runWorkflowRoute.path);
      const location = `${base}/workflows/${run.workflowId}/runs/${run.runId}`;
      return jsonResponse(c, toExecutionResponse(run), 202, { Location: location });
    })
    .openapi(endpoint(listRunsRoute), (c) => {
      const { id } = c.req.valid('param');
      const page = toPageRequest(c.req.valid('query'));
      return streamPage(c, 'executions', toExecutionSummaryResponse, () => workflows.listRuns(id, page));
    })
    .openapi(endpoint(getRunRoute), async (c) => {
      const { id, execution_id } = c.req.valid('param');
      const run = await workflows.getRun(id, execution_id);
      return streamJson(c, toExecutionResponse(run), 'step_results', 200);
    });
}

function toExecutionSummaryResponse(run: RunSummary): z.input<typeof executionSummarySchema> {
  return {
    execution_id: run.runId,
    workflow_id: run.workflowId,
    workflow_name: run.workflowName,
    status: run.status,
    background: run.background,
    input: run.input,
    error: run.error,
    created_at: run.createdAt,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    duration_ms: run.durationMs,
  };
}

function toExecutionResponse(run: Run): z.input<typeof executionSchema> {
  const results: Record<string, z.input<typeof stepResultSchema>> = {};
  // Step ids cannot start with an underscore, so none of them is `__proto__`.
  for (const result of run.stepResults) results[result.stepId] = toStepResultResponse(result);
  return { ...toExecutionSummaryResponse(run), step_results: results };
}

function toStepResultResponse(result: StepResult): z.input<typeof stepResultSchema> {
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
