import { createRoute, z } from '@hono/zod-openapi';
import { isoTime } from '../../../../lib/text/time.ts';
import { pendingExecutionExample } from '../../docs/examples-runs.ts';
import { fireTimesExample } from '../../docs/examples-schedules.ts';
import { errorResponses, jsonContent, stateConflict } from '../../docs/responses.ts';
import { createResource } from '../../middleware/validation.ts';
import type { MountPath } from '../../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { resourcePath } from '../../record-headers.ts';
import { jsonResponse } from '../../response.ts';
import { runResponse } from '../runs/run-responses.ts';
import { executionSchema } from '../runs/run-schemas.ts';
import { fireTimesSchema, previewQuerySchema, scheduleParams } from './schedule-schemas.ts';

const triggerScheduleRoute = createRoute({
  method: 'post',
  path: '/schedules/{id}/trigger',
  operationId: 'triggerSchedule',
  tags: ['Schedules'],
  summary: 'Start an execution of a schedule now',
  description:
    'Whatever `overlap` and `enabled` say. Later fires count it as an execution of the schedule that goes on.',
  request: { params: scheduleParams },
  responses: {
    202: {
      ...jsonContent(executionSchema, 'The execution, which runs in the background', pendingExecutionExample),
      headers: z.object({ Location: z.string().openapi({ description: 'Path of the execution' }) }),
    },
    ...errorResponses(404, 422, 503),
    ...stateConflict(
      'The workflow of the schedule was deleted',
      'the workflow "01a1fb9e-a8bc-7000-bd31-9056dd2860ed" of the schedule does not exist any more',
    ),
  },
});

const previewScheduleRoute = createRoute({
  method: 'get',
  path: '/schedules/{id}/preview',
  operationId: 'previewSchedule',
  tags: ['Schedules'],
  summary: 'Get the next fire times of a schedule',
  description: 'Those of a disabled schedule are shown as if it was enabled.',
  request: { params: scheduleParams, query: previewQuerySchema },
  responses: {
    200: jsonContent(fireTimesSchema, 'The next fire times', fireTimesExample),
    ...errorResponses(404, 422, 503),
  },
});

/** What can be done with a schedule, under `/schedules/{id}`. */
export function scheduleActionsResource(options: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { orchestrator, maxBodyBytes } = options;
  const { schedules } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(triggerScheduleRoute), async (c) => {
      const run = await schedules.trigger(c.req.valid('param').id);
      const { runId, workflowId } = run;
      c.set('logFields', { execution_id: runId });
      const base = mountPath(c, triggerScheduleRoute.path);
      const Location = resourcePath(base, 'workflows', workflowId, 'runs', runId);
      return runResponse(c, run, 202, { Location });
    })
    .openapi(endpoint(previewScheduleRoute), async (c) => {
      const { n = 5 } = c.req.valid('query');
      const times = await schedules.preview(c.req.valid('param').id, n);
      return jsonResponse(c, { fire_times: times.map(isoTime) }, 200);
    });
}
