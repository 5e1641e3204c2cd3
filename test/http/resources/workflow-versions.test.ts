import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf, lookup, type TestApp } from '../../support/http/app.ts';

interface Workflow {
  readonly id: string;
  readonly version: number;
  readonly name: string;
}

const definition = (name: string) => ({
  name,
  steps: [{ id: 'a', tool_name: 'lookup', static_input: { name } }],
});

/** An app with a workflow of one version. */
async function appWith(...[overrides]: Parameters<typeof createTestApp>) {
  const app = createTestApp(overrides);
  const { id } = await jsonOf<Workflow>(await app.post('/workflows', definition('one')));
  return { ...app, id, path: `/workflows/${id}` };
}

describe('PUT /workflows/{id}', () => {
  test('returns 200 with the new version and its ETag', async () => {
    const { put, request, path, id } = await appWith();
    const first = await jsonOf<Workflow>(await request(path));
    const response = await put(path, definition('two'));
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"']);
    const second = await jsonOf<Workflow>(response);
    expect(second).toEqual({
      id,
      version: 2,
      name: 'two',
      description: '',
      layers: [['a']],
      warnings: [],
      steps: [{ ...definition('two').steps[0], kind: 'tool', depends_on: [] }],
      created_at: '2026-01-01T00:00:00.000Z',
    });
    expect(first).toMatchObject({ version: 1, name: 'one' });
    expect(await jsonOf(await request(path))).toEqual(second);
    expect(await jsonOf(await request('/workflows'))).toMatchObject({ total: 1, workflows: [second] });
  });

  test('takes the ETag of GET, the version in quotes, and *', async () => {
    const { put, request, path } = await appWith();
    const tag = (await request(path)).headers.get('etag') ?? '';
    const sent = [tag, '"2"', ' "3" ', '*'];
    for (const [index, ifMatch] of sent.entries()) {
      const response = await put(path, definition('next'), { 'If-Match': ifMatch });
      expect([response.status, response.headers.get('etag')]).toEqual([200, `"${index + 2}"`]);
    }
  });

  test('returns 412 where another version is the newest one', async () => {
    const { put, request, path } = await appWith();
    await put(path, definition('two'), { 'If-Match': '"1"' });
    for (const [ifMatch, seen] of [
      ['"1"', 1],
      ['"3"', 3],
    ] as const) {
      const response = await put(path, definition('lost'), { 'If-Match': ifMatch });
      await expectError(response, 412, `the workflow has changed: its version is 2, not ${seen}`);
    }
    expect(await jsonOf(await request(path))).toMatchObject({ version: 2, name: 'two' });
  });

  test.each(['1', 'W/"1"', '"0"', '"1", "2"', '"x"', ''])('rejects the If-Match %j', async (ifMatch) => {
    const { put, path } = await appWith();
    const response = await put(path, definition('two'), { 'If-Match': ifMatch });
    await expectError(response, 422, 'If-Match: must be the ETag of a definition, such as "7", or *');
  });

  test('rejects what POST rejects, with the same detail, and stores nothing', async () => {
    const { put, post, request, path } = await appWith({ limits: { maxWorkflowSteps: 2 } });
    const step = { id: 'a', tool_name: 'lookup' };
    const wrong = [
      {},
      { name: '', steps: [] },
      { name: 'x', steps: [{ ...step, depends_on: ['a', 'b'] }, step] },
      { name: 'x', steps: new Array(30).fill(step) },
    ];
    for (const body of wrong) {
      const detail = await expectError(await post('/workflows', body), 422);
      await expectError(await put(path, body), 422, detail);
    }
    expect(await jsonOf(await request(`${path}/versions`))).toMatchObject({ total: 1 });
  });

  test('returns 404 for an unknown workflow', async () => {
    const { put } = await appWith();
    for (const headers of [{}, { 'If-Match': '*' }, { 'If-Match': '"1"' }]) {
      const response = await put('/workflows/nope', definition('x'), headers);
      await expectError(response, 404, 'workflow "nope" not found');
    }
  });

  test('is an event of the feed', async () => {
    const { put, request, path, id } = await appWith();
    await put(path, definition('two'));
    await request(path, { method: 'DELETE' });
    const feed = await jsonOf<{ events: readonly object[] }>(await request('/events?kind=workflow'));
    const subject = { kind: 'workflow', id };
    expect(feed.events).toMatchObject([
      { seq: 3, type: 'workflow.deleted', subject, data: { name: 'two' } },
      { seq: 2, type: 'workflow.updated', subject, data: { name: 'two' } },
      { seq: 1, type: 'workflow.created', subject, data: { name: 'one' } },
    ]);
    expect(await jsonOf(await request('/events?types=workflow.updated'))).toMatchObject({
      events: [{ seq: 2 }],
    });
  });
});

describe('the tag of a definition', () => {
  test('changes with its version, so that a client gets the new one', async () => {
    const { put, request, path } = await appWith();
    const read = (tag: string) => request(path, { headers: { 'If-None-Match': tag } });
    expect((await read('"1"')).status).toBe(304);
    await put(path, definition('two'));
    const changed = await read('"1"');
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await read('"2"')).status).toBe(304);
  });
});

describe('GET /workflows/{id}/versions', () => {
  test('lists complete versions, newest first, page by page', async () => {
    const { put, request, path, id } = await appWith();
    for (const name of ['two', 'three']) await put(path, definition(name));
    const all = [];
    for (const version of [3, 2, 1]) all.push(await jsonOf(await request(`${path}/versions/${version}`)));
    expect(await jsonOf(await request(`${path}/versions`))).toEqual({
      total: 3,
      limit: 50,
      offset: 0,
      versions: all,
    });
    const response = await request(`${path}/versions?limit=2`);
    expect(response.headers.get('link')).toBe(`</workflows/${id}/versions?limit=2&offset=2>; rel="next"`);
    expect(await jsonOf(response)).toMatchObject({ total: 3, versions: all.slice(0, 2) });
    const last = await request(`${path}/versions?limit=2&offset=2`);
    expect(last.headers.has('link')).toBe(false);
    expect(await jsonOf(last)).toMatchObject({ limit: 2, offset: 2, versions: all.slice(2) });
  });

  test('returns 404 for an unknown workflow, and 422 for a wrong page', async () => {
    const { request, path } = await appWith();
    await expectError(await request('/workflows/nope/versions'), 404, 'workflow "nope" not found');
    await expectError(await request(`${path}/versions?limit=0`), 422, 'limit: must be from 1 to 200');
  });
});

describe('GET /workflows/{id}/versions/{n}', () => {
  test('returns each version, which keeps its tag', async () => {
    const { put, request, path } = await appWith();
    await put(path, definition('two'));
    for (const [version, name] of [
      [1, 'one'],
      [2, 'two'],
    ] as const) {
      const response = await request(`${path}/versions/${version}`);
      expect(response.headers.get('etag')).toBe(`"${version}"`);
      expect(await jsonOf(response)).toMatchObject({ version, name });
      const headers = { 'If-None-Match': `"${version}"` };
      expect((await request(`${path}/versions/${version}`, { headers })).status).toBe(304);
    }
  });

  test.each(['0', '3', '999999999999999'])('returns 404 for version %s of two', async (version) => {
    const { put, request, path, id } = await appWith();
    await put(path, definition('two'));
    const response = await request(`${path}/versions/${version}`);
    await expectError(response, 404, `workflow "${id}" has no version ${version}`);
    await expectError(await request('/workflows/nope/versions/1'), 404, 'workflow "nope" not found');
  });

  test.each(['x', '-1', '1.5', '1e3', '%20', '9999999999999999', '1x'])(
    'returns 422 for version %j',
    async (version) => {
      const { request, path } = await appWith();
      const response = await request(`${path}/versions/${version}`);
      await expectError(response, 422, 'n: must be an integer in plain decimal digits');
    },
  );
});

describe('POST /workflows/{id}/run with a version', () => {
  const run = async ({ post }: TestApp, path: string, body: object) =>
    jsonOf<{ version: number; status: string; step_results: object; execution_id: string }>(
      await post(`${path}/run`, body),
    );

  test('runs that version, and executions show it', async () => {
    const app = await appWith();
    const { put, request, path } = app;
    await put(path, definition('two'));
    const [old, newest] = [await run(app, path, { version: 1 }), await run(app, path, {})];
    expect([old, newest]).toMatchObject([
      { version: 1, workflow_name: 'one', step_results: { a: { output: { got: { name: 'one' } } } } },
      { version: 2, workflow_name: 'two', step_results: { a: { output: { got: { name: 'two' } } } } },
    ]);
    expect(await jsonOf(await request(`/runs/${old.execution_id}`))).toEqual(old);
    const listed = await jsonOf<{ executions: { version: number }[] }>(await request('/runs'));
    expect(listed.executions.map(({ version }) => version)).toEqual([2, 1]);
    const events = await request(`${path}/runs/${newest.execution_id}/events`);
    expect(await jsonOf(events)).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({
          type: 'execution.created',
          data: expect.objectContaining({ version: 2, workflow_name: 'two' }),
        }),
      ]),
    });
  });

  test.each([
    [2, 'version: the workflow has no version 2'],
    [0, 'version: must be an integer of 1 or more'],
    [1.5, 'version: must be an integer of 1 or more'],
    ['1', 'version: must be an integer of 1 or more'],
    [null, 'version: must be an integer of 1 or more'],
  ])('returns 422 for %j', async (version, detail) => {
    const { post, request, path } = await appWith();
    for (const background of [false, true]) {
      await expectError(await post(`${path}/run`, { version, background }), 422, detail);
    }
    expect(await jsonOf(await request(`${path}/runs`))).toMatchObject({ total: 0 });
  });

  test('goes on with its version while a PUT stores another one', async () => {
    const held = Promise.withResolvers<void>();
    const slow = {
      ...lookup,
      execute: async (input: object) => {
        await held.promise;
        return { got: input as never };
      },
    };
    const { put, post, request, path } = await appWith({ tools: [slow] });
    const started = await jsonOf<{ execution_id: string }>(await post(`${path}/run`, { background: true }));
    const execution = `/runs/${started.execution_id}`;
    await expect
      .poll(async () => (await jsonOf(await request(execution)))['status'], { timeout: 15_000 })
      .toBe('RUNNING');
    expect((await put(path, definition('two'))).status).toBe(200);
    held.resolve();
    await expect
      .poll(async () => (await jsonOf(await request(execution)))['status'], { timeout: 15_000 })
      .toBe('COMPLETED');
    expect(await jsonOf(await request(execution))).toMatchObject({
      version: 1,
      workflow_name: 'one',
      step_results: { a: { output: { got: { name: 'one' } } } },
    });
  });
});
