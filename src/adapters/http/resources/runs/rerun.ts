import { createRoute } from '@hono/zod-openapi';
import { actionConflict } from '../../../../domain/run/actions.ts';
import {
  executionId,
  rerunExecutionExample,
  rerunRequestExample,
  startedRerunExample,
} from '../../docs/examples-runs.ts';
import { preferDocs } from '../../docs/headers.ts';
import { errorResponses, jsonContent, stateConflict } from '../../docs/responses.ts';
import { createOnce } from '../../idempotency/once.ts';
import { createResource } from '../../middleware/validation.ts';
import type { MountPath } from '../../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { runPreferences } from './run-preferences.ts';
import { rerunRequestSchema, runParams } from './run-schemas.ts';
import { startedRunDocs, startRunOnce } from './run-start.ts';

const rerunRoute = createRoute({
  method: 'post',
  path: '/runs/{execution_id}/rerun',
  operationId: 'rerunExecution',
  tags: ['Runs'],
  summary: 'Run the definition of an execution again',
  description:
    'Creates a new execution with the version of the original, in the background unless `background` is false or `Prefer` says otherwise. It works after the definition was deleted. Without an `Idempotency-Key` a repeated call creates another execution.',
  request: {
    params: runParams,
    body: { ...jsonContent(rerunRequestSchema, 'What to run again', rerunRequestExample), required: false },
  },
  responses: {
    ...startedRunDocs(rerunExecutionExample, startedRerunExample),
    ...errorResponses(400, 404, 413, 415, 422, 503),
    ...stateConflict('The execution has not ended', actionConflict(executionId, 'RUNNING', 'rerun').message),
  },
});

/** `POST /runs/{execution_id}/rerun`. */
export function rerunResource(options: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { orchestrator, maxBodyBytes, newId } = options;
  const { runs } = orchestrator;
  const { app, idempotentEndpoint } = createResource(maxBodyBytes);
  const once = createOnce(options);
  return app.openapi(idempotentEndpoint(rerunRoute, preferDocs), (c) => {
    const { from_step: fromStep, items, input, ...body } = c.req.valid('json');
    const { execution_id } = c.req.valid('param');
    const preferences = runPreferences(body.background, c.req.header('prefer'), true);
    const { background, waitMs } = preferences;
    const work = startRunOnce(c, {
      newId,
      preferences,
      start: (newRunId) => runs.rerun(execution_id, { fromStep, items, input, background, waitMs, newRunId }),
      get: runs.get,
      base: mountPath(c, rerunRoute.path),
    });
    return once(c, work);
  });
}
