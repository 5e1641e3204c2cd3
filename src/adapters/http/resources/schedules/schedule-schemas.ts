import { z } from '@hono/zod-openapi';
import { MAX_CRON_LENGTH, MAX_TIMEZONE_LENGTH } from '../../../../domain/schedule/cron.ts';
import { catchUpModes, overlapModes } from '../../../../domain/schedule/schedule.ts';
import { createIssueList } from '../../../../domain/workflow/issues.ts';
import type { BodyRules } from '../../middleware/validation.ts';
import {
  anyObjectSchema,
  idParameter,
  jsonObjectSchema,
  pageSchema,
  plainDigits,
  requiredText,
} from '../schemas.ts';
import { noteUnknown } from '../unknown-members.ts';

const overlapDescription =
  'What a fire does while an execution of the schedule goes on: `skip` starts none, `queue` waits until it has ended, `allow` starts another one';
const catchUpDescription =
  'Which of the fire times that passed while no process ran are made up for: none, or the last one';
const cronDescription =
  'Five fields: minute, hour, day of the month, month, day of the week. A fixed hour that daylight saving leaves out fires at the first instant after the gap, and one that comes twice fires once; hours that begin with `*` go by elapsed time';

const text = (max: number) =>
  z.string({ error: requiredText }).min(1, 'must not be empty').max(max, `must be at most ${max} characters`);

/** The schema `ScheduleRequest` of the OpenAPI document. */
export const scheduleRequestSchema = z
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
    enabled: z
      .boolean({ error: 'must be true or false' })
      .default(true)
      .openapi({ description: 'False: no fire time starts an execution' }),
  })
  .openapi('ScheduleRequest');

/** The schema `Schedule` of the OpenAPI document. */
export const scheduleSchema = z
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
    version: z.number().int().describe('1, and one more for each replacement; quoted, it is the `ETag`'),
    next_fire_at: z.iso.datetime().nullable().describe('The next fire time; null when it is disabled'),
    last_fired_at: z.iso
      .datetime()
      .nullable()
      .describe('When an execution was started last, triggered ones included; null before the first'),
  })
  .openapi('Schedule');

/** The schema `SavedSchedule` of the OpenAPI document. */
export const savedScheduleSchema = scheduleSchema
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
export const scheduleRules: BodyRules = {
  notes(body) {
    const notes = createIssueList('warnings');
    noteUnknown(body, memberNames, { prefix: '', owner: 'a schedule' }, notes);
    return notes.texts();
  },
};

/** A page of schedules. */
export const schedulesSchema = pageSchema('schedules', scheduleSchema);

/** The fire times that come next. */
export const fireTimesSchema = z
  .object({
    fire_times: z.array(z.iso.datetime()).describe('The next fire times, in UTC, the first one first'),
  })
  .openapi('FireTimes');

/** The path of one schedule. */
export const scheduleParams = z.object({ id: idParameter('Id of the schedule') });

const MAX_FIRE_TIMES = 100;

/** How many fire times are wanted. */
export const previewQuerySchema = z.object({
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
});
