import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { MAX_CRON_LENGTH, MAX_TIMEZONE_LENGTH } from '../../../domain/schedule/cron.ts';
import { catchUpModes, overlapModes, type StoredSchedule } from '../../../domain/schedule/schedule.ts';
import { createIssueList } from '../../../domain/workflow/issues.ts';
import { isoTime } from '../../../lib/text/time.ts';
import {
  actionRoute,
  answer,
  creationRoute,
  deleteRoute,
  getRoute,
  listRoute,
  locationHeader,
  matchDocs,
  replaceRoute,
  versionHeaders,
} from '../docs/routes.ts';
import type { AppEnv } from '../env.ts';
import { streamPage } from '../json-stream.ts';
import { type BodyRules, createResource } from '../middleware/validation.ts';
import { routePath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { resourcePath, seenVersion, versionTag } from '../record-headers.ts';
import { jsonResponse, noContentResponse, type ResponseHeaders } from '../response.ts';
import { executionSchema, runResponse } from './executions.ts';
import { pageQuerySchema, pageSchema, plainDigits, toPageRequest } from './listing.ts';
import { noteUnknown } from './request-notes.ts';
import { anyObjectSchema, booleanSchema, count, idParameter, jsonObjectSchema, text } from './schemas.ts';
import { fromWire, toWire } from './wire.ts';

/** The schedules, under `/schedules`. */
export function schedulesResource({ orchestrator, maxBodyBytes, mountPath }: ResolvedHttpAppOptions) {
  const { schedules } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(createScheduleRoute, { rules: scheduleRules }), async (c) => {
      const stored = await schedules.create(fromWire(c.req.valid('json')));
      const base = mountPath(c, createScheduleRoute.path);
      const Location = resourcePath(base, 'schedules', stored.schedule.scheduleId);
      return savedResponse(c, stored, 201, { Location });
    })
    .openapi(endpoint(listSchedulesRoute), (c) => {
      const page = toPageRequest(c.req.valid('query'));
      return streamPage(c, {
        name: 'schedules',
        path: routePath(c, mountPath, listSchedulesRoute),
        toItem: toScheduleResponse,
        list: () => schedules.list(page),
      });
    })
    .openapi(endpoint(getScheduleRoute), async (c) => {
      const stored = await schedules.get(c.req.valid('param').id);
      return jsonResponse(c, toScheduleResponse(stored), 200, versionTag(stored.schedule.version));
    })
    .openapi(endpoint(replaceScheduleRoute, { ...replaceDocs, rules: scheduleRules }), async (c) => {
      const { id } = c.req.valid('param');
      const draft = fromWire(c.req.valid('json'));
      return savedResponse(c, await schedules.replace(id, draft, seenVersion(c, 'a schedule')), 200);
    })
    .openapi(endpoint(deleteScheduleRoute), async (c) => {
      await schedules.delete(c.req.valid('param').id);
      return noContentResponse(c);
    })
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
  return jsonResponse(c, body, status, { ...versionTag(stored.schedule.version), ...headers });
}

const overlapDescription =
  'What a fire does while an execution of the schedule goes on: `skip` starts none, `queue` waits until it has ended, `allow` starts another one';
const catchUpDescription =
  'Which of the fire times that passed while no process ran are made up for: none, or the last one';
const cronDescription =
  'Five fields: minute, hour, day of the month, month, day of the week. A fixed hour that daylight saving leaves out fires at the first instant after the gap, and one that comes twice fires once; hours that begin with `*` go by elapsed time';

/** The schema `ScheduleRequest` of the OpenAPI document. */
const scheduleRequestSchema = z
  .object({
    workflow_id: text(128).openapi({
      description:
        'Id of the workflow, or `key:` and its key: then each run is of the definition that has the key when it starts. The newest version runs',
    }),
    cron: text(MAX_CRON_LENGTH).openapi({ description: cronDescription, example: '0 9 * * 1-5' }),
    timezone: z
      .string({ error: 'must be a string' })
      .max(MAX_TIMEZONE_LENGTH, `must be at most ${MAX_TIMEZONE_LENGTH} characters`)
      .default('UTC')
      .openapi({ description: 'IANA time zone of the fields', example: 'Europe/Berlin' }),
    input: jsonObjectSchema.default({}).openapi({
      description: 'Input of each execution: one that the workflow accepts, unless the schedule is disabled',
      example: { order_id: 'A-1234' },
    }),
    overlap: z
      .enum(overlapModes, { error: 'must be skip, queue or allow' })
      .default('skip')
      .openapi({ description: overlapDescription }),
    catch_up: z
      .enum(catchUpModes, { error: 'must be none or last' })
      .default('none')
      .openapi({ description: catchUpDescription }),
    enabled: booleanSchema.default(true).openapi({ description: 'False: no fire time starts an execution' }),
  })
  .openapi('ScheduleRequest');

/** The schema `Schedule` of the OpenAPI document. */
const scheduleSchema = z
  .object({
    schedule_id: z.string().describe('Unique id'),
    workflow_id: z
      .string()
      .describe('Id of the workflow, or `key:` and its key, as it was sent; it may have been deleted since'),
    cron: z.string().describe(cronDescription),
    timezone: z.string().describe('IANA time zone of the fields'),
    input: anyObjectSchema.openapi({ description: 'Input of each execution' }),
    overlap: z.enum(overlapModes).describe(overlapDescription),
    catch_up: z.enum(catchUpModes).describe(catchUpDescription),
    enabled: z.boolean().describe('False: no fire time starts an execution'),
    created_at: z.iso.datetime().describe('When it was created'),
    updated_at: z.iso.datetime().describe('When it was created or replaced last'),
    version: count('1, and one more for each replacement; quoted, it is the `ETag`'),
    next_fire_at: z.iso.datetime().nullable().describe('The next fire time; null when it is disabled'),
    last_fired_at: z.iso
      .datetime()
      .nullable()
      .describe('When an execution was started last, triggered ones included; null before the first'),
  })
  .openapi('Schedule');

/** The schema `SavedSchedule` of the OpenAPI document. */
const savedScheduleSchema = scheduleSchema
  .extend({
    warnings: z.array(z.string()).openapi({
      description:
        'Members of the request that a schedule does not have, and which have no effect. They are not stored',
    }),
  })
  .openapi('SavedSchedule');

/**
 * The names that a schedule in a request may have without a warning: also those of an answer, so that a schedule can be
 * read, changed and sent back.
 */
const memberNames: readonly string[] = Object.keys({
  ...savedScheduleSchema.shape,
  ...scheduleRequestSchema.shape,
});

/** The rules for a schedule in a request, in addition to its schema. */
const scheduleRules: BodyRules = {
  notes(body) {
    const notes = createIssueList('warnings');
    noteUnknown(body, memberNames, { prefix: '', owner: 'a schedule' }, notes);
    return notes.texts();
  },
};

/** The fire times that come next. */
const fireTimesSchema = z
  .object({
    fire_times: z.array(z.iso.datetime()).describe('The next fire times, in UTC, the first one first'),
  })
  .openapi('FireTimes');

const params = z.object({ id: idParameter('Id of the schedule') });

const MAX_FIRE_TIMES = 100;

const createScheduleRoute = creationRoute('/schedules', {
  operationId: 'createSchedule',
  tag: 'Schedules',
  summary: 'Create a schedule',
  description:
    'It starts executions of a workflow in the background at the times of a cron expression. Each fire time starts at most one, however many processes share the store. Members that a schedule does not have are ignored, and named in `warnings`.',
  body: [scheduleRequestSchema, 'The schedule'],
  answer: [savedScheduleSchema, 'The stored schedule'],
  location: 'Path of the schedule',
});

const listSchedulesRoute = listRoute('/schedules', {
  operationId: 'listSchedules',
  tag: 'Schedules',
  summary: 'List schedules, newest first',
  description:
    'Each schedule is the same as in the response to its creation, with its next fire time and without `warnings`.',
  query: pageQuerySchema,
  page: [pageSchema('schedules', scheduleSchema), 'A page of schedules'],
});

const getScheduleRoute = getRoute('/schedules/{id}', {
  operationId: 'getSchedule',
  tag: 'Schedules',
  summary: 'Get a schedule',
  description: 'With its next fire time, and the time at which it has started an execution last.',
  params,
  answer: [scheduleSchema, 'The schedule', versionHeaders],
});

const replaceScheduleRoute = replaceRoute('/schedules/{id}', {
  operationId: 'replaceSchedule',
  tag: 'Schedules',
  summary: 'Replace a schedule',
  description:
    'Absent members get their defaults, and those that a schedule does not have are named in `warnings`. Executions go on; a fire that waits starts its execution as the schedule is then, and is dropped when the schedule is disabled.',
  params,
  body: [scheduleRequestSchema, 'The schedule'],
  answers: { 200: answer(savedScheduleSchema, 'The schedule after the change', versionHeaders) },
});

const replaceDocs = matchDocs(
  '`ETag` of the schedule as the caller has seen it, or `*`: another version is 412',
);

const deleteScheduleRoute = deleteRoute('/schedules/{id}', {
  operationId: 'deleteSchedule',
  tag: 'Schedules',
  summary: 'Delete a schedule',
  description: 'Its executions stay stored until their retention ends.',
  params,
});

const triggerScheduleRoute = actionRoute('/schedules/{id}/trigger', {
  operationId: 'triggerSchedule',
  tag: 'Schedules',
  summary: 'Start an execution of a schedule now',
  description:
    'Whatever `overlap` and `enabled` say. Later fires count it as an execution of the schedule that goes on.',
  params,
  answers: {
    202: answer(
      executionSchema,
      'The execution, which runs in the background',
      locationHeader('Path of the execution'),
    ),
  },
  errors: [422],
  conflict: [
    'The workflow of the schedule was deleted',
    'the workflow "01a1fb9e-a8bc-7000-bd31-9056dd2860ed" of the schedule does not exist any more',
  ],
});

const previewScheduleRoute = getRoute('/schedules/{id}/preview', {
  operationId: 'previewSchedule',
  tag: 'Schedules',
  summary: 'Get the next fire times of a schedule',
  description: 'Those of a disabled schedule are shown as if it was enabled.',
  params,
  query: z.object({
    n: plainDigits(1, MAX_FIRE_TIMES)
      .optional()
      .openapi({
        param: { description: 'Number of fire times' },
        type: 'integer',
        minimum: 1,
        maximum: MAX_FIRE_TIMES,
        default: 5,
        example: 3,
      }),
  }),
  answer: [fireTimesSchema, 'The next fire times'],
});

const toSchedule = toWire(scheduleSchema);

function toScheduleResponse({ schedule, nextFireAt, lastFiredAt }: StoredSchedule) {
  return toSchedule({
    ...schedule,
    nextFireAt: nextFireAt === null ? null : isoTime(nextFireAt),
    lastFiredAt: lastFiredAt === null ? null : isoTime(lastFiredAt),
  });
}
