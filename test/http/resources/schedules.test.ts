import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';

const START = '2026-01-01T00:00:00.000Z';
const HOUR = 3_600_000;

interface Schedule {
  readonly schedule_id: string;
  readonly version: number;
  readonly next_fire_at: string | null;
  readonly warnings?: readonly string[];
}

/** An app with a workflow, and a client of its schedules. */
async function setUp() {
  const app = createTestApp();
  const steps = [{ id: 'a', tool_name: 'lookup', static_input: { order: '$input.order_id' } }];
  const workflow = await jsonOf<{ id: string }>(await app.post('/workflows', { name: 'n', steps }));
  const draft = { workflow_id: workflow.id, cron: '0 9 * * 1-5', input: { order_id: 'A-1' } };
  const create = async (changes: object = {}) =>
    jsonOf<Schedule>(await app.post('/schedules', { ...draft, ...changes }));
  const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    app.request(path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { ...app, workflowId: workflow.id, draft, create, send };
}

describe('POST /schedules', () => {
  test('returns 201 with the schedule, its defaults, its Location and its ETag', async () => {
    const { post, request, draft } = await setUp();
    const response = await post('/schedules', draft);
    expect(response.status).toBe(201);
    const schedule = await jsonOf<Schedule>(response);
    expect(schedule).toEqual({
      schedule_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...draft,
      timezone: 'UTC',
      overlap: 'skip',
      catch_up: 'none',
      enabled: true,
      version: 1,
      created_at: START,
      updated_at: START,
      next_fire_at: '2026-01-01T09:00:00.000Z',
      last_fired_at: null,
      warnings: [],
    });
    expect(response.headers.get('location')).toBe(`/schedules/${schedule.schedule_id}`);
    expect(response.headers.get('etag')).toBe('"1"');
    const { warnings, ...stored } = schedule;
    expect(await jsonOf(await request(`/schedules/${schedule.schedule_id}`))).toEqual(stored);
  });

  test('warns of members that a schedule does not have, and stores none of that', async () => {
    const { request, create, send, draft } = await setUp();
    const unknown = { tz: 'Europe/Berlin', Time_Zone: 'Europe/Berlin', catchup: 'last', enabeld: false };
    const warnings = [
      'body: a schedule has no member "tz"',
      'body: a schedule has no member "Time_Zone"; did you mean "timezone"?',
      'body: a schedule has no member "catchup"; did you mean "catch_up"?',
      'body: a schedule has no member "enabeld"; did you mean "enabled"?',
    ];
    const created = await create(unknown);
    expect(created).toMatchObject({ warnings, timezone: 'UTC', catch_up: 'none', enabled: true });
    const path = `/schedules/${created.schedule_id}`;
    const replaced = await send('PUT', path, { ...draft, ...unknown });
    expect(await jsonOf(replaced)).toMatchObject({ warnings, version: 2 });
    const stored = await jsonOf<Schedule>(await request(path));
    expect(stored).not.toHaveProperty('warnings');
    const { schedules } = await jsonOf<{ schedules: object[] }>(await request('/schedules'));
    expect(schedules).toEqual([stored]);
  });

  test('does not warn of the members of an answer that is sent back', async () => {
    const { create, send } = await setUp();
    const created = await create();
    const replaced = await send('PUT', `/schedules/${created.schedule_id}`, created);
    expect(await jsonOf(replaced)).toMatchObject({ warnings: [], version: 2 });
  });

  test('reads the fields in the time zone', async () => {
    const { create } = await setUp();
    const { next_fire_at } = await create({ timezone: 'America/New_York' });
    expect(next_fire_at).toBe('2026-01-01T14:00:00.000Z');
  });

  test('has no next fire time when it is disabled', async () => {
    const { create } = await setUp();
    expect(await create({ enabled: false })).toMatchObject({ enabled: false, next_fire_at: null });
  });

  test.each([
    [{ cron: '0 9 * *' }, /^cron: must have five fields .*, not 4$/],
    [{ cron: '0 0 9 * * *' }, /^cron: must have five fields .*, not 6$/],
    [{ cron: '@daily' }, /^cron: must have five fields .*, not 1$/],
    [{ cron: '0 25 * * *' }, 'cron: the hour 25 is not between 0 and 23'],
    [{ cron: '0 0 30 2 *' }, 'cron: names dates that never come'],
    [{ cron: 'a * * * *' }, /^cron: cannot be read: /],
    [{ cron: 5 }, 'cron: must be a string'],
    [{ cron: undefined }, 'cron: is required'],
    [{ cron: '0,'.repeat(101) }, 'cron: must be at most 200 characters'],
    [{ timezone: 'Europe/Berlln' }, /^timezone: must be the name of an IANA time zone/],
    [{ timezone: '+02:00' }, /^timezone: must be the name of an IANA time zone/],
    [{ workflow_id: 'nothing' }, 'workflow_id: there is no workflow "nothing"'],
    [{ workflow_id: undefined }, 'workflow_id: is required'],
    [{ workflow_id: 'key:gone' }, 'workflow_id: there is no workflow "key:gone"'],
    [{ workflow_id: 'key:NO!' }, 'workflow_id: the key must be 1 to 64 of a-z, 0-9 and "-"'],
    [{ input: [] }, 'input: must be an object'],
    [{ overlap: 'wait' }, 'overlap: must be skip, queue or allow'],
    [{ catch_up: 'all' }, 'catch_up: must be none or last'],
    [{ enabled: 'yes' }, 'enabled: must be true or false'],
    [
      { cron: 'x', timezone: 'y', workflow_id: 'z' },
      /^cron: .*; timezone: .*; workflow_id: there is no workflow "z"$/,
    ],
  ])('rejects %j and names the field', async (changes, detail) => {
    const { post, request, draft } = await setUp();
    await expectError(await post('/schedules', { ...draft, ...changes }), 422, detail);
    expect(await jsonOf(await request('/schedules'))).toMatchObject({ total: 0 });
  });

  test('rejects an input that the workflow does not accept, unless the schedule is disabled', async () => {
    const { post, request, send, create, draft } = await setUp();
    const input_schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const steps = [{ id: 'a', tool_name: 'lookup', static_input: { order: '$input.n' } }];
    const workflow = await jsonOf<{ id: string }>(
      await post('/workflows', { name: 'typed', steps, input_schema }),
    );
    const typed = { ...draft, workflow_id: workflow.id };
    const wrong = { ...typed, cron: 'x', input: { n: 'one' } };
    await expectError(await post('/schedules', wrong), 422, /^cron: .*; input\.n: must be an integer/);
    const refused = await send('POST', '/schedules', wrong, { Accept: 'application/problem+json' });
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/cron' }, { pointer: '/input/n' }] });
    expect(await jsonOf(await request('/schedules'))).toMatchObject({ total: 0 });
    const { schedule_id: id } = await create({ ...typed, enabled: false });
    await expectError(await send('PUT', `/schedules/${id}`, typed), 422, /^input\.n: /);
    expect(await jsonOf(await request(`/schedules/${id}`))).toMatchObject({ version: 1, enabled: false });
    expect((await send('PUT', `/schedules/${id}`, { ...typed, input: { n: 1 } })).status).toBe(200);
  });
});

describe('GET /schedules', () => {
  test('lists schedules page by page, newest first', async () => {
    const { request, create } = await setUp();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift((await create()).schedule_id);
    const page = await jsonOf(await request('/schedules?limit=2&offset=1'));
    expect(page).toMatchObject({ total: 3, limit: 2, offset: 1 });
    expect(page['schedules']).toMatchObject(ids.slice(1).map((schedule_id) => ({ schedule_id })));
  });

  test('returns 404 for an unknown schedule, whatever is asked of it', async () => {
    const { send, draft } = await setUp();
    const unknown = 'schedule "nothing" not found';
    await expectError(await send('GET', '/schedules/nothing'), 404, unknown);
    await expectError(await send('DELETE', '/schedules/nothing'), 404, unknown);
    await expectError(await send('PUT', '/schedules/nothing', draft), 404, unknown);
    await expectError(await send('POST', '/schedules/nothing/trigger'), 404, unknown);
    await expectError(await send('GET', '/schedules/nothing/preview'), 404, unknown);
  });
});

describe('PUT /schedules/{id}', () => {
  test('replaces a schedule with the defaults of what is absent', async () => {
    const { send, request, create, clock, workflowId } = await setUp();
    const { schedule_id: id } = await create({ timezone: 'Europe/Berlin', overlap: 'allow' });
    await clock.advance(1_000);
    const response = await send('PUT', `/schedules/${id}`, { workflow_id: workflowId, cron: '30 1 * * *' });
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"']);
    const { warnings, ...replaced } = await jsonOf(response);
    expect(warnings).toEqual([]);
    expect(replaced).toEqual({
      schedule_id: id,
      workflow_id: workflowId,
      cron: '30 1 * * *',
      timezone: 'UTC',
      input: {},
      overlap: 'skip',
      catch_up: 'none',
      enabled: true,
      version: 2,
      last_fired_at: null,
      created_at: START,
      updated_at: '2026-01-01T00:00:01.000Z',
      next_fire_at: '2026-01-01T01:30:00.000Z',
    });
    expect(await jsonOf(await request(`/schedules/${id}`))).toEqual(replaced);
  });

  test('returns 412 for another version than that of If-Match, and 422 for a malformed one', async () => {
    const { send, create, draft } = await setUp();
    const { schedule_id: id } = await create();
    const put = (tag: string, changes = {}) =>
      send('PUT', `/schedules/${id}`, { ...draft, ...changes }, { 'If-Match': tag });
    expect((await put('"1"')).status).toBe(200);
    await expectError(await put('"1"'), 412, 'the schedule has changed: its version is 2, not 1');
    expect((await put('*')).status).toBe(200);
    await expectError(await put('1'), 422, 'If-Match: must be the ETag of a schedule, such as "7", or *');
    await expectError(await put('"3"', { cron: '61 * * * *' }), 422, /^cron: the minute 61/);
  });
});

describe('DELETE /schedules/{id}', () => {
  test('removes a schedule once; its runs stay', async () => {
    const { send, request, create, clock } = await setUp();
    const { schedule_id: id } = await create();
    await send('POST', `/schedules/${id}/trigger`);
    await clock.advance(1);
    expect((await send('DELETE', `/schedules/${id}`)).status).toBe(204);
    expect((await send('DELETE', `/schedules/${id}`)).status).toBe(404);
    expect((await jsonOf(await request('/runs')))['executions']).toHaveLength(1);
  });
});

describe('POST /schedules/{id}/trigger', () => {
  test('returns 202 with the execution and its Location, also of a disabled schedule', async () => {
    const { send, request, create, clock, workflowId } = await setUp();
    const { schedule_id: id } = await create({ enabled: false });
    const response = await send('POST', `/schedules/${id}/trigger`);
    expect(response.status).toBe(202);
    const execution = await jsonOf<{ execution_id: string }>(response);
    expect(execution).toMatchObject({
      workflow_id: workflowId,
      status: 'PENDING',
      background: true,
      input: { order_id: 'A-1' },
    });
    const location = `/workflows/${workflowId}/runs/${execution.execution_id}`;
    expect(response.headers.get('location')).toBe(location);
    await clock.advance(1_000);
    expect(await jsonOf(await request(location))).toMatchObject({ status: 'COMPLETED' });
    const { events } = await jsonOf<{ events: object[] }>(await request(`${location}/events`));
    expect(events[0]).toMatchObject({ type: 'execution.created', data: { origin: 'schedule' } });
    expect(await jsonOf(await request(`/schedules/${id}`))).toMatchObject({
      next_fire_at: null,
      last_fired_at: START,
      version: 1,
    });
  });

  test('returns 409 when the workflow was deleted', async () => {
    const { send, create, workflowId } = await setUp();
    const { schedule_id: id } = await create();
    await send('DELETE', `/workflows/${workflowId}`);
    const detail = `the workflow "${workflowId}" of the schedule does not exist any more`;
    await expectError(await send('POST', `/schedules/${id}/trigger`), 409, detail);
    await expectError(await send('POST', `/schedules/${id}/trigger`), 409, detail);
  });
});

describe('GET /schedules/{id}/preview', () => {
  test('returns the next fire times: five, or as many as asked', async () => {
    const { request, create } = await setUp();
    const { schedule_id: id } = await create({
      cron: '30 2 * * *',
      timezone: 'Europe/Berlin',
      enabled: false,
    });
    const five = await jsonOf(await request(`/schedules/${id}/preview`));
    expect(five['fire_times']).toHaveLength(5);
    const one = await jsonOf(await request(`/schedules/${id}/preview?n=1`));
    expect(one).toEqual({ fire_times: ['2026-01-01T01:30:00.000Z'] });
    const many = await jsonOf(await request(`/schedules/${id}/preview?n=100`));
    expect(many['fire_times']).toHaveLength(100);
    expect(many['fire_times']).toContain('2026-03-29T01:00:00.000Z');
  });

  test.each(['0', '101', '-1', 'x', '1.5', ''])('rejects n=%s', async (n) => {
    const { request, create } = await setUp();
    const { schedule_id: id } = await create();
    await expectError(await request(`/schedules/${id}/preview?n=${n}`), 422, /^n: must be /);
  });
});

test('a started service lists what a schedule has done among its events', async () => {
  const { request, create, clock, orchestrator, workflowId } = await setUp();
  orchestrator.start();
  const { schedule_id: id } = await create({ cron: '0 * * * *' });
  await clock.advance(HOUR + 1_000);
  const { events } = await jsonOf<{ events: object[] }>(await request('/events?kind=schedule'));
  expect(events).toMatchObject([
    {
      seq: 1,
      type: 'schedule.fired',
      subject: { kind: 'schedule', id },
      data: { workflow_id: workflowId, due_at: '2026-01-01T01:00:00.000Z' },
    },
  ]);
  await orchestrator.close(0);
});
