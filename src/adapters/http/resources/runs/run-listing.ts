import { createRoute } from '@hono/zod-openapi';
import { workflowId } from '../../docs/examples.ts';
import { allExecutionsExample, executionExample } from '../../docs/examples-runs.ts';
import { conditionalDocs, linkHeaders, taggedHeaders } from '../../docs/headers.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { streamCursorPage } from '../../json-stream.ts';
import { createResource } from '../../middleware/validation.ts';
import type { MountPath } from '../../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { createTags } from '../../record-headers.ts';
import { cursorPageSchema, cursorQuerySchema, toCursorRequest } from '../listing/cursor.ts';
import { textSchema } from '../listing/filters.ts';
import { runFilterSchema, toRunFilter } from './run-filter.ts';
import { currentRunResponse, toExecutionSummaryResponse } from './run-responses.ts';
import { executionSchema, executionSummarySchema, runParams } from './run-schemas.ts';

const listRunsRoute = createRoute({
  method: 'get',
  path: '/runs',
  operationId: 'listExecutions',
  tags: ['Runs'],
  summary: 'List the executions of all workflows, newest first',
  description:
    'Without their step results. With filters the list has the executions that fit all of them. Executions of deleted definitions are listed too.',
  request: {
    query: cursorQuerySchema.extend(runFilterSchema.shape).extend({
      workflow_id: textSchema(
        'Only executions of this definition: its id, or `key:` and its key',
        workflowId,
      ),
    }),
  },
  responses: {
    200: {
      ...jsonContent(
        cursorPageSchema('executions', executionSummarySchema),
        'A page of executions, without their step results',
        allExecutionsExample,
      ),
      headers: linkHeaders,
    },
    ...errorResponses(404, 422, 503),
  },
});

const getRunRoute = createRoute({
  method: 'get',
  path: '/runs/{execution_id}',
  operationId: 'getExecution',
  tags: ['Runs'],
  summary: 'Get an execution by its id alone',
  description: 'The same record as under its workflow, with the same `ETag` once it has ended.',
  request: { params: runParams },
  responses: {
    200: {
      ...jsonContent(executionSchema, 'The current state of the execution', executionExample),
      headers: taggedHeaders.partial(),
    },
    ...errorResponses(404, 503),
  },
});

/** The runs of all workflows: `GET /runs` and `GET /runs/{execution_id}`. */
export function runListingResource(options: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { orchestrator, version, maxBodyBytes } = options;
  const { runs } = orchestrator;
  const tagOf = createTags(version);
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(listRunsRoute), (c) => {
      const { workflow_id, ...query } = c.req.valid('query');
      const page = toCursorRequest(query);
      return streamCursorPage(c, {
        name: 'executions',
        path: `${mountPath(c, listRunsRoute.path)}${listRunsRoute.path}`,
        toItem: toExecutionSummaryResponse,
        limit: page.limit,
        list: () => runs.list({ ...toRunFilter(query), workflowId: workflow_id }, page),
      });
    })
    .openapi(endpoint(getRunRoute, conditionalDocs), async (c) =>
      currentRunResponse(c, await runs.get(c.req.valid('param').execution_id), tagOf),
    );
}
