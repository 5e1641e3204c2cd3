import { createRoute } from '@hono/zod-openapi';
import {
  executionExample,
  executionsExample,
  pendingExecutionExample,
  runRequestExample,
} from '../../docs/examples-runs.ts';
import { conditionalDocs, linkHeaders, preferDocs, taggedHeaders } from '../../docs/headers.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { createOnce } from '../../idempotency/once.ts';
import { streamPage } from '../../json-stream.ts';
import { createResource } from '../../middleware/validation.ts';
import type { MountPath } from '../../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { createTags, resourcePath } from '../../record-headers.ts';
import { pageQuerySchema, pageSchema, toPageRequest } from '../schemas.ts';
import { workflowParams } from '../workflows/workflow-schemas.ts';
import { runFilterSchema, toRunFilter } from './run-filter.ts';
import { runPreferences } from './run-preferences.ts';
import { currentRunResponse, toExecutionSummaryResponse } from './run-responses.ts';
import { executionSchema, executionSummarySchema, runParams, runRequestSchema } from './run-schemas.ts';
import { startedRunDocs, startRunOnce } from './run-start.ts';

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
    ...startedRunDocs(executionExample, pendingExecutionExample),
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
    'Without their step results. With filters the list has the executions that fit all of them, and `total` is their number. The executions of a deleted definition are still listed under its id.',
  request: { params: workflowParams, query: pageQuerySchema.extend(runFilterSchema.shape) },
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
  request: { params: workflowParams.extend(runParams.shape) },
  responses: {
    200: {
      ...jsonContent(executionSchema, 'The current state of the execution', executionExample),
      headers: taggedHeaders.partial(),
    },
    ...errorResponses(404, 503),
  },
});

/** The runs of a workflow, under `/workflows/{id}`. */
export function workflowRunsResource(options: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { orchestrator, version, maxBodyBytes, newId } = options;
  const { workflows } = orchestrator;
  const tagOf = createTags(version);
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const once = createOnce(options);
  return app
    .openapi(idempotentEndpoint(runWorkflowRoute, preferDocs), (c) => {
      const { input, version: ofDefinition, customer_id: customerId, ...body } = c.req.valid('json');
      const { id } = c.req.valid('param');
      const preferences = runPreferences(body.background, c.req.header('prefer'));
      const { background, waitMs } = preferences;
      const work = startRunOnce(c, {
        newId,
        preferences,
        start: (runId) =>
          workflows.run(id, { background, input, waitMs, runId, version: ofDefinition, customerId }),
        get: (runId) => workflows.getRun(id, runId),
        base: mountPath(c, runWorkflowRoute.path),
      });
      return once(c, work);
    })
    .openapi(endpoint(listRunsRoute), (c) => {
      const { id } = c.req.valid('param');
      const query = c.req.valid('query');
      return streamPage(c, {
        name: 'executions',
        path: resourcePath(mountPath(c, listRunsRoute.path), 'workflows', id, 'runs'),
        toItem: toExecutionSummaryResponse,
        list: () => workflows.listRuns(id, toPageRequest(query), toRunFilter(query)),
      });
    })
    .openapi(endpoint(getRunRoute, conditionalDocs), async (c) => {
      const { id, execution_id } = c.req.valid('param');
      return currentRunResponse(c, await workflows.getRun(id, execution_id), tagOf);
    });
}
