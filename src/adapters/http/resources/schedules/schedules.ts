import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ScheduleDraft } from '../../../../application/schedules/schedules.ts';
import type { StoredSchedule } from '../../../../domain/schedule/schedule.ts';
import { isoTime } from '../../../../lib/text/time.ts';
import {
  createdScheduleExample,
  replacedScheduleExample,
  scheduleExample,
  scheduleRequestExample,
  schedulesExample,
} from '../../docs/examples-schedules.ts';
import { linkHeaders, matchDocs, versionHeaders } from '../../docs/headers.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import type { AppEnv } from '../../env.ts';
import { streamPage } from '../../json-stream.ts';
import { createResource } from '../../middleware/validation.ts';
import type { MountPath } from '../../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { resourcePath, seenVersion, versionTag } from '../../record-headers.ts';
import { jsonResponse, noContentResponse, type ResponseHeaders } from '../../response.ts';
import { pageQuerySchema, toPageRequest } from '../schemas.ts';
import {
  savedScheduleSchema,
  scheduleParams,
  scheduleRequestSchema,
  scheduleRules,
  scheduleSchema,
  schedulesSchema,
} from './schedule-schemas.ts';

const createScheduleRoute = createRoute({
  method: 'post',
  path: '/schedules',
  operationId: 'createSchedule',
  tags: ['Schedules'],
  summary: 'Create a schedule',
  description:
    'It starts executions of a workflow in the background at the times of a cron expression. Each fire time starts at most one, however many processes share the store. Members that a schedule does not have are ignored, and named in `warnings`.',
  request: {
    body: { ...jsonContent(scheduleRequestSchema, 'The schedule', scheduleRequestExample), required: true },
  },
  responses: {
    201: {
      ...jsonContent(savedScheduleSchema, 'The stored schedule', createdScheduleExample),
      headers: versionHeaders.extend({
        Location: z.string().openapi({ description: 'Path of the schedule' }),
      }),
    },
    ...errorResponses(400, 409, 413, 415, 422, 503),
  },
});

const listSchedulesRoute = createRoute({
  method: 'get',
  path: '/schedules',
  operationId: 'listSchedules',
  tags: ['Schedules'],
  summary: 'List schedules, newest first',
  description:
    'Each schedule is the same as in the response to its creation, with its next fire time and without `warnings`.',
  request: { query: pageQuerySchema },
  responses: {
    200: { ...jsonContent(schedulesSchema, 'A page of schedules', schedulesExample), headers: linkHeaders },
    ...errorResponses(422, 503),
  },
});

const getScheduleRoute = createRoute({
  method: 'get',
  path: '/schedules/{id}',
  operationId: 'getSchedule',
  tags: ['Schedules'],
  summary: 'Get a schedule',
  description: 'With its next fire time, and the time at which it has started an execution last.',
  request: { params: scheduleParams },
  responses: {
    200: { ...jsonContent(scheduleSchema, 'The schedule', scheduleExample), headers: versionHeaders },
    ...errorResponses(404, 503),
  },
});

const replaceScheduleRoute = createRoute({
  method: 'put',
  path: '/schedules/{id}',
  operationId: 'replaceSchedule',
  tags: ['Schedules'],
  summary: 'Replace a schedule',
  description:
    'Absent members get their defaults, and those that a schedule does not have are named in `warnings`. Executions go on; a fire that waits starts its execution as the schedule is then, and is dropped when the schedule is disabled.',
  request: {
    params: scheduleParams,
    body: { ...jsonContent(scheduleRequestSchema, 'The schedule', scheduleRequestExample), required: true },
  },
  responses: {
    200: {
      ...jsonContent(savedScheduleSchema, 'The schedule after the change', replacedScheduleExample),
      headers: versionHeaders,
    },
    ...errorResponses(400, 404, 412, 413, 415, 422, 503),
  },
});

const deleteScheduleRoute = createRoute({
  method: 'delete',
  path: '/schedules/{id}',
  operationId: 'deleteSchedule',
  tags: ['Schedules'],
  summary: 'Delete a schedule',
  description: 'Its executions stay stored until their retention ends.',
  request: { params: scheduleParams },
  responses: { 204: { description: 'Deleted' }, ...errorResponses(404, 503) },
});

const replaceDocs = matchDocs(
  '`ETag` of the schedule as the caller has seen it, or `*`: another version is 412',
);

/** The schedules, under `/schedules`. */
export function schedulesResource(options: ResolvedHttpAppOptions, mountPath: MountPath) {
  const { orchestrator, maxBodyBytes } = options;
  const { schedules } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(createScheduleRoute, { rules: scheduleRules }), async (c) => {
      const stored = await schedules.create(toScheduleDraft(c.req.valid('json')));
      const base = mountPath(c, createScheduleRoute.path);
      const Location = resourcePath(base, 'schedules', stored.schedule.scheduleId);
      return savedResponse(c, stored, 201, { Location });
    })
    .openapi(endpoint(listSchedulesRoute), (c) => {
      const page = toPageRequest(c.req.valid('query'));
      return streamPage(c, {
        name: 'schedules',
        path: `${mountPath(c, listSchedulesRoute.path)}${listSchedulesRoute.path}`,
        toItem: toScheduleResponse,
        list: () => schedules.list(page),
      });
    })
    .openapi(endpoint(getScheduleRoute), async (c) => {
      const stored = await schedules.get(c.req.valid('param').id);
      return jsonResponse(c, toScheduleResponse(stored), 200, tagOf(stored));
    })
    .openapi(endpoint(replaceScheduleRoute, { ...replaceDocs, rules: scheduleRules }), async (c) => {
      const { id } = c.req.valid('param');
      const draft = toScheduleDraft(c.req.valid('json'));
      return savedResponse(c, await schedules.replace(id, draft, seenVersion(c, 'a schedule')), 200);
    })
    .openapi(endpoint(deleteScheduleRoute), async (c) => {
      await schedules.delete(c.req.valid('param').id);
      return noContentResponse(c);
    });
}

/** The response to a request that has stored a schedule, with what is to be said about its body. */
function savedResponse<S extends 200 | 201>(
  c: Context<AppEnv>,
  stored: StoredSchedule,
  status: S,
  headers: ResponseHeaders = {},
) {
  const warnings = c.get('notes');
  if (warnings === undefined) throw new Error('the body of the request was not looked over');
  const body = { ...toScheduleResponse(stored), warnings: [...warnings] };
  return jsonResponse(c, body, status, { ...tagOf(stored), ...headers });
}

function tagOf({ schedule }: StoredSchedule): ResponseHeaders {
  return versionTag(schedule.version);
}

function toScheduleDraft(request: z.output<typeof scheduleRequestSchema>): ScheduleDraft {
  const { workflow_id: workflowId, catch_up: catchUp, ...rest } = request;
  return { workflowId, catchUp, ...rest };
}

function toScheduleResponse(stored: StoredSchedule): z.input<typeof scheduleSchema> {
  const { schedule, nextFireAt, lastFiredAt } = stored;
  return {
    schedule_id: schedule.scheduleId,
    workflow_id: schedule.workflowId,
    cron: schedule.cron,
    timezone: schedule.timezone,
    input: schedule.input,
    overlap: schedule.overlap,
    catch_up: schedule.catchUp,
    enabled: schedule.enabled,
    created_at: schedule.createdAt,
    updated_at: schedule.updatedAt,
    version: schedule.version,
    next_fire_at: nextFireAt === null ? null : isoTime(nextFireAt),
    last_fired_at: lastFiredAt === null ? null : isoTime(lastFiredAt),
  };
}
