import { createRoute } from '@hono/zod-openapi';
import { executionExample } from '../../docs/examples-runs.ts';
import { errorResponses, jsonContent, stateConflict } from '../../docs/responses.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { runResponse } from './run-responses.ts';
import { executionSchema, resolveStepRequestSchema, stepParams } from './run-schemas.ts';

/** Who decides over HTTP without a name. */
const BY = 'api';

const resolveStepRoute = createRoute({
  method: 'post',
  path: '/runs/{execution_id}/steps/{step_id}/resolve',
  operationId: 'resolveStep',
  tags: ['Runs'],
  summary: 'Decide about a step whose outcome is unknown',
  description:
    'For a `WAITING` step whose process stopped while it was under way, with `RUN_UNKNOWN_OUTCOME=ask`: the execution goes on with the decision, and the inbox item of the step is resolved. The first decision counts.',
  request: {
    params: stepParams,
    body: {
      ...jsonContent(resolveStepRequestSchema, 'The decision', {
        outcome: 'completed',
        output: { mail_id: 'm-4711' },
        by: 'ann',
      }),
      required: true,
    },
  },
  responses: {
    200: jsonContent(executionSchema, 'The execution with the decision', executionExample),
    ...errorResponses(400, 404, 413, 415, 422, 503),
    ...stateConflict(
      'The step does not wait for a decision, or somebody has decided already',
      'somebody has decided about step "mail" already',
    ),
  },
});

/** `POST /runs/{execution_id}/steps/{step_id}/resolve`. */
export function resolveStepResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(resolveStepRoute), async (c) => {
    const { execution_id, step_id } = c.req.valid('param');
    const { outcome, output, by = BY } = c.req.valid('json');
    c.set('logFields', { execution_id, step_id });
    return runResponse(
      c,
      await orchestrator.runs.resolve(execution_id, step_id, { outcome, output, by }),
      200,
    );
  });
}
