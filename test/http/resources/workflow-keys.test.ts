import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';

interface Workflow {
  readonly id: string;
  readonly version: number;
  readonly key?: string;
  readonly changed?: boolean;
}

const definition = (name: string) => ({
  name,
  steps: [{ id: 'a', tool_name: 'lookup', static_input: { name } }],
});

describe('PUT /workflows/key:{key}', () => {
  test('makes a definition with 201, replaces it with 200, and makes no version where nothing differs', async () => {
    const { put, request } = createTestApp();
    const made = await put('/workflows/key:greet', definition('one'));
    expect([made.status, made.headers.get('etag')]).toEqual([201, '"1"']);
    const first = await jsonOf<Workflow>(made);
    expect(first).toMatchObject({ version: 1, key: 'greet', name: 'one', changed: true });
    expect(made.headers.get('location')).toBe(`/workflows/${first.id}`);

    const same = await put('/workflows/key:greet', { ...definition('one'), key: 'greet' });
    expect([same.status, same.headers.get('etag')]).toEqual([200, '"1"']);
    expect(await jsonOf(same)).toEqual({ ...first, changed: false });

    const changed = await put('/workflows/key%3Agreet', definition('two'));
    expect(changed.status).toBe(200);
    expect(await jsonOf(changed)).toMatchObject({ id: first.id, version: 2, key: 'greet', changed: true });

    // A definition that was read can be sent back.
    const read = await jsonOf<Workflow>(await request('/workflows/key:greet'));
    expect(await jsonOf(await put('/workflows/key:greet', read))).toEqual({ ...read, changed: false });
  });

  test('compares If-Match as with an id', async () => {
    const { put } = createTestApp();
    const path = '/workflows/key:greet';
    await expectError(
      await put(path, definition('one'), { 'If-Match': '"1"' }),
      412,
      'there is no workflow with the key "greet"',
    );
    expect((await put(path, definition('one'), { 'If-Match': '*' })).status).toBe(201);
    const detail = 'the workflow has changed: its version is 1, not 2';
    await expectError(await put(path, definition('one'), { 'If-Match': '"2"' }), 412, detail);
    expect((await put(path, definition('two'), { 'If-Match': '"1"' })).status).toBe(200);
  });

  test('rejects another key in the body, a key that none can have, and what POST rejects', async () => {
    const { put, post, request } = createTestApp();
    await expectError(
      await put('/workflows/key:greet', { ...definition('x'), key: 'hail' }),
      422,
      'key: must be "greet" as in the path, or absent',
    );
    const text = 'key: must be 1 to 64 of a-z, 0-9 and "-"';
    await expectError(await put('/workflows/key:Greet', definition('x')), 422, text);
    await expectError(await post('/workflows', { ...definition('x'), key: 'Greet' }), 422, text);
    await expectError(await post('/workflows', { ...definition('x'), key: 7 }), 422, 'key: must be a string');
    await expectError(await put('/workflows/key:greet', { name: 'x', steps: [] }), 422);
    expect(await jsonOf(await request('/workflows'))).toMatchObject({ total: 0 });
  });
});

describe('a key of a definition', () => {
  test('is taken for others with 409, and kept by PUT under the id where it is absent or null', async () => {
    const { put, post, request } = createTestApp();
    const made = await post('/workflows', { ...definition('one'), key: 'greet' });
    const { id } = await jsonOf<Workflow>(made);
    expect(made.status).toBe(201);
    const detail = 'the key "greet" is that of another workflow';
    await expectError(await post('/workflows', { ...definition('x'), key: 'greet' }), 409, detail);
    const other = await jsonOf<Workflow>(await post('/workflows', { ...definition('other'), key: null }));
    expect(other).not.toHaveProperty('key');
    await expectError(await put(`/workflows/${other.id}`, { ...definition('x'), key: 'greet' }), 409, detail);
    await put(`/workflows/${id}`, definition('two'));
    await put(`/workflows/${id}`, { ...definition('three'), key: null });
    expect(await jsonOf(await request('/workflows/key:greet'))).toMatchObject({
      id,
      version: 3,
      key: 'greet',
    });
    const moved = await jsonOf<Workflow>(
      await put(`/workflows/${id}`, { ...definition('four'), key: 'hail' }),
    );
    expect(moved).toMatchObject({ version: 4, key: 'hail' });
    expect(moved).not.toHaveProperty('changed');
  });

  test('stands wherever an id does, and 404 names one that no definition has', async () => {
    const { put, post, request, app } = createTestApp();
    const { id } = await jsonOf<Workflow>(await put('/workflows/key:greet', definition('one')));
    const get = async (path: string) => jsonOf<Record<string, unknown>>(await request(path));
    const started = await post('/workflows/key%3agreet/run', { background: true });
    const run = await jsonOf<{ execution_id: string; workflow_id: string }>(started);
    expect([run.workflow_id, started.headers.get('location')]).toEqual([
      ...[id, `/workflows/${id}/runs/${run.execution_id}`],
    ]);
    expect(await get('/workflows/key:greet/versions')).toMatchObject({ total: 1 });
    expect(await get('/workflows/key:greet/versions/1')).toMatchObject({ id });
    expect(await get('/workflows/key:greet/runs')).toMatchObject({ total: 1 });
    expect(await get(`/workflows/key:greet/runs/${run.execution_id}`)).toMatchObject({ workflow_id: id });
    const events = await get(`/workflows/key:greet/runs/${run.execution_id}/events`);
    expect(events).toMatchObject({ ended: true });
    expect(await get('/runs?workflow_id=key:greet')).toMatchObject({ executions: [{ workflow_id: id }] });
    const feed = await get('/events?workflow_id=key:greet&types=workflow.created');
    expect(feed).toMatchObject({ events: [{ subject: { kind: 'workflow', id } }] });
    const simulated = await jsonOf(
      await post('/workflows/key:greet/simulate', { mocks: { a: { output: {} } } }),
    );
    expect(simulated).toMatchObject({ workflow_id: id, simulated: true });

    const unknown = 'workflow "key:nope" not found';
    for (const path of ['', '/versions', '/versions/1', '/runs', '/runs/x', '/runs/x/events']) {
      await expectError(await request(`/workflows/key:nope${path}`), 404, unknown);
    }
    for (const path of ['/runs', '/events']) {
      await expectError(await request(`${path}?workflow_id=key:nope`), 404, unknown);
    }
    for (const action of ['run', 'simulate']) {
      await expectError(await post(`/workflows/key:nope/${action}`, {}), 404, unknown);
    }
    expect((await app.request('/workflows/key:greet', { method: 'DELETE' })).status).toBe(204);
    await expectError(await app.request('/workflows/key:greet', { method: 'DELETE' }), 404);
  });

  test('is never answered with 304, because another definition may have it with the same version', async () => {
    const { put, request, app } = createTestApp();
    const { id } = await jsonOf<Workflow>(await put('/workflows/key:greet', definition('one')));
    const headers = { 'If-None-Match': '"1"' };
    expect((await request(`/workflows/${id}`, { headers })).status).toBe(304);
    await app.request('/workflows/key:greet', { method: 'DELETE' });
    await put('/workflows/key:greet', definition('two'));
    for (const path of ['/workflows/key:greet', '/workflows/key:greet/versions/1']) {
      const response = await request(path, { headers });
      expect([response.status, response.headers.get('etag')]).toEqual([200, '"1"']);
      expect(await jsonOf(response)).toMatchObject({ name: 'two' });
    }
  });

  test('is that of a schedule, whose runs are of the definition that has it then', async () => {
    const { put, post, request, app } = createTestApp();
    await put('/workflows/key:greet', definition('one'));
    const body = { workflow_id: 'key:greet', cron: '0 9 * * *' };
    const made = await jsonOf<{ schedule_id: string }>(await post('/schedules', body));
    expect(made).toMatchObject({ workflow_id: 'key:greet' });
    await app.request('/workflows/key:greet', { method: 'DELETE' });
    const gone = await post(`/schedules/${made.schedule_id}/trigger`, {});
    await expectError(gone, 409, 'the workflow "key:greet" of the schedule does not exist any more');
    const { id } = await jsonOf<Workflow>(await put('/workflows/key:greet', definition('two')));
    const triggered = await post(`/schedules/${made.schedule_id}/trigger`, {});
    expect([triggered.status, await jsonOf(triggered)]).toMatchObject([202, { workflow_id: id, version: 1 }]);
    expect(await jsonOf(await request(`/schedules/${made.schedule_id}`))).toMatchObject(body);
    const unknown = await post('/schedules', { ...body, workflow_id: 'key:nope' });
    await expectError(unknown, 422, 'workflow_id: there is no workflow "key:nope"');
  });
});
