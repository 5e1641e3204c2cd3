import { createRoute } from '@hono/zod-openapi';
import { actionConflict } from '../../../../domain/run/actions.ts';
import {
  cancelRequestExample,
  executionExample,
  executionId,
  retriedExecutionExample,
  runningExecutionExample,
} from '../../docs/examples-runs.ts';
import { errorResponses, jsonContent, stateConflict } from '../../docs/responses.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { noContentResponse } from '../../response.ts';
import { runResponse } from './run-responses.ts';
import { cancelRequestSchema, executionSchema, runParams } from './run-schemas.ts';

/** Who controls runs over HTTP, in their events. */
const BY = 'api';

const cancelRunRoute = createRoute({
  method: 'post',
  path: '/runs/{execution_id}/cancel',
  operationId: 'cancelExecution',
  tags: ['Runs'],
  summary: 'Cancel an execution',
  description:
    'Responds before the execution has ended: steps under way are aborted and get time to end, further steps are SKIPPED, and it ends as CANCELLED. A repeat is no error.',
  request: {
    params: runParams,
    body: { ...jsonContent(cancelRequestSchema, 'Why', cancelRequestExample), required: false },
  },
  responses: {
    200: jsonContent(executionSchema, 'It had ended already, and is unchanged', executionExample),
    202: jsonContent(
      executionSchema,
      'The execution as it is now: it ends as CANCELLED',
      runningExecutionExample,
    ),
    ...errorResponses(400, 404, 413, 415, 422, 503),
  },
});

const retryRunRoute = createRoute({
  method: 'post',
  path: '/runs/{execution_id}/retry',
  operationId: 'retryExecution',
  tags: ['Runs'],
  summary: 'Retry an execution that FAILED or was CANCELLED',
  description:
    'The same execution goes on in the background: its FAILED, CANCELLED and SKIPPED steps run again with the same idempotency keys of tools, and completed steps keep their outputs.',
  request: { params: runParams },
  responses: {
    202: jsonContent(executionSchema, 'The execution, with one more `attempt`', retriedExecutionExample),
    ...errorResponses(404, 503),
    ...stateConflict(
      'The execution is neither FAILED nor CANCELLED',
      actionConflict(executionId, 'COMPLETED', 'retry').message,
    ),
  },
});

const deleteRunRoute = createRoute({
  method: 'delete',
  path: '/runs/{execution_id}',
  operationId: 'deleteExecution',
  tags: ['Runs'],
  summary: 'Delete an execution that has ended',
  description: 'With its step results and its events.',
  request: { params: runParams },
  responses: {
    204: { description: 'Deleted' },
    ...errorResponses(404, 503),
    ...stateConflict('The execution has not ended', actionConflict(executionId, 'RUNNING', 'delete').message),
  },
});

/** The control of one run, under `/runs/{execution_id}`. */
export function runControlResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { runs } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(cancelRunRoute), async (c) => {
      const { execution_id } = c.req.valid('param');
      const { reason = null } = c.req.valid('json');
      const { run, isAccepted } = await runs.cancel(execution_id, { by: BY, reason });
      c.set('logFields', { execution_id });
      return isAccepted ? runResponse(c, run, 202) : runResponse(c, run, 200);
    })
    .openapi(endpoint(retryRunRoute), async (c) => {
      const { execution_id } = c.req.valid('param');
      const run = await runs.retry(execution_id, { by: BY });
      c.set('logFields', { execution_id });
      return runResponse(c, run, 202);
    })
    .openapi(endpoint(deleteRunRoute), async (c) => {
      const { execution_id } = c.req.valid('param');
      await runs.delete(execution_id);
      c.set('logFields', { execution_id });
      return noContentResponse(c);
    });
}
