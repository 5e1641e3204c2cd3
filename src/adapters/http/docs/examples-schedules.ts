/** Examples of schedules for the OpenAPI document. Tests compare them with their schemas. */

const scheduleId = '01a1fb9e-c0de-7000-8e39-c1cb04ae37d6';

export const scheduleRequestExample = {
  workflow_id: '01a1fb9e-a8bc-7000-bd31-9056dd2860ed',
  cron: '0 9 * * 1-5',
  timezone: 'Europe/Berlin',
  input: { order_id: 'A-1234' },
  overlap: 'skip',
  catch_up: 'none',
  enabled: true,
};

export const scheduleExample = {
  schedule_id: scheduleId,
  ...scheduleRequestExample,
  created_at: '2026-11-20T16:00:41.532Z',
  updated_at: '2026-11-20T16:00:41.532Z',
  version: 1,
  next_fire_at: '2026-11-23T08:00:00.000Z',
  last_fired_at: null,
};

export const createdScheduleExample = { ...scheduleExample, warnings: [] };

export const replacedScheduleExample = {
  ...createdScheduleExample,
  cron: '0 7 * * *',
  updated_at: '2026-11-21T01:00:41.532Z',
  version: 2,
  next_fire_at: '2026-11-21T06:00:00.000Z',
};

export const schedulesExample = { total: 1, limit: 50, offset: 0, schedules: [scheduleExample] };

export const fireTimesExample = {
  fire_times: ['2026-11-23T08:00:00.000Z', '2026-11-24T08:00:00.000Z', '2026-11-25T08:00:00.000Z'],
};
