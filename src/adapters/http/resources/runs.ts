import { createRoute, z } from '@hono/zod-openapi';
import { hasEnded, type Run, type RunSummary, type StepResult } from '../../../domain/run/run.ts';
import {
  executionExample,
  executionsExample,
  pendingExecutionExample,
  runRequestExample,
} from '../docs/examples.ts';
import {
  conditionalDocs,
  linkHeaders,
  preferDocs,
  preferenceApplied,
  taggedHeaders,
} from '../docs/headers.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { createTags, unlessCurrent } from '../headers/entity-tag.ts';
import { createOnce } from '../idempotency/once.ts';
import { findRecord } from '../idempotency/records.ts';
import { streamJson, streamPage } from '../json-stream.ts';
import { createResource } from '../middleware/validation.ts';
import type { MountPath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import type { ResponseHeaders } from '../response.ts';
import { runPreferences } from './run-preferences.ts';
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
    'Waits for the end unless `background` is true or `Prefer` says otherwise. Without an `Idempotency-Key` a repeated call runs the workflow again.',
  request: {
    params: workflowParams,
    body: { ...jsonContent(runRequestSchema, 'How to run it', runRequestExample), required: false },
  },
  responses: {
    200: {
      ...jsonContent(executionSchema, 'The finished execution', executionExample),
      headers: z.object({ 'Preference-Applied': preferenceApplied }),
    },
    202: {
      ...jsonContent(
        executionSchema,
        'The PENDING execution of a background run, or one that has not ended within the wait of `Prefer`',
        pendingExecutionExample,
      ),
      headers: z.object({
        Location: z.string().openapi({ description: 'Path of the execution' }),
        'Preference-Applied': preferenceApplied,
      }),
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
    200: {
      ...jsonContent(
        pageSchema('executions', executionSummarySchema),
        'A page of executions, without their step results',
        executionsExample,
      ),
      headers: linkHeaders,
    },
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
    'Its status and all its step results, also while it runs. It has an `ETag` once it has ended. 404 under the id of another workflow.',
  request: { params: workflowParams.extend({ execution_id: idParameter('`execution_id` of the run') }) },
  responses: {
    200: {
      ...jsonContent(executionSchema, 'The current state of the execution', executionExample),
      headers: taggedHeaders.partial(),
    },
    ...errorResponses(404, 503),
  },
});

/** The runs of a workflow, under `/workflows/{id}`. */
export function runsResource(options: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { orchestrator, version, maxBodyBytes, newId } = options;
  const { workflows } = orchestrator;
  const tagOf = createTags(version);
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const once = createOnce(options);
  return app
    .openapi(idempotentEndpoint(runWorkflowRoute, preferDocs), (c) => {
      const { input, ...body } = c.req.valid('json');
      const { id } = c.req.valid('param');
      const { background, waitMs, applied } = runPreferences(body.background, c.req.header('prefer'));
      const locationOf = (run: Run) => {
        const base = mountPath(c, runWorkflowRoute.path);
        return `${base}/workflows/${run.workflowId}/runs/${run.runId}`;
      };
      const respond = async (run: Run) => {
        c.set('logFields', { execution_id: run.runId });
        // A repeat may have other preferences than the request that started the run.
        const isApplied = applied !== '' && run.background === background;
        const headers = isApplied ? { 'Preference-Applied': applied } : {};
        const response = toExecutionResponse(run);
        if (hasEnded(run.status) && !run.background) {
          return streamJson(c, response, 'step_results', 200, headers);
        }
        return streamJson(c, response, 'step_results', 202, { Location: locationOf(run), ...headers });
      };
      return once(c, {
        createReference: newId,
        perform: async (runId) => respond(await workflows.run(id, { background, input, waitMs, runId })),
        async recall(runId) {
          const run = await findRecord(workflows.getRun(id, runId));
          if (run === undefined) return undefined;
          return run.background || hasEnded(run.status)
            ? { response: await respond(run) }
            : { location: locationOf(run) };
        },
      });
    })
    .openapi(endpoint(listRunsRoute), (c) => {
      const { id } = c.req.valid('param');
      const page = toPageRequest(c.req.valid('query'));
      return streamPage(c, {
        name: 'executions',
        path: `${mountPath(c, listRunsRoute.path)}/workflows/${encodeURIComponent(id)}/runs`,
        toItem: toExecutionSummaryResponse,
        list: () => workflows.listRuns(id, page),
      });
    })
    .openapi(endpoint(getRunRoute, conditionalDocs), async (c) => {
      const { id, execution_id } = c.req.valid('param');
      const run = await workflows.getRun(id, execution_id);
      const respond = (headers: ResponseHeaders = {}) =>
        streamJson(c, toExecutionResponse(run), 'step_results', 200, headers);
      // A run that can still change has no tag, and so no 304, not even for `If-None-Match: *`.
      if (!hasEnded(run.status)) return respond();
      return unlessCurrent(c, tagOf(run.runId, run.completedAt ?? ''), respond);
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
