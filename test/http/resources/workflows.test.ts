import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf, type TestApp } from '../../support/http/app.ts';

const echoTwice = {
  name: 'Echo twice',
  description: 'two steps',
  steps: [
    { id: 'one', tool_name: 'lookup', static_input: { text: '$input.text', cost: '$$5' } },
    {
      id: 'two',
      kind: 'agent',
      agent_name: 'echo',
      depends_on: ['one'],
      static_input: { heard: '$step.one.got' },
    },
  ],
};

interface Workflow {
  readonly id: string;
}

interface Execution {
  readonly execution_id: string;
  readonly status: string;
}

/** An app with one workflow. */
async function appWith(definition: object = echoTwice): Promise<TestApp & { readonly id: string }> {
  const app = createTestApp();
  const { id } = await jsonOf<Workflow>(await app.post('/workflows', definition));
  return { ...app, id };
}

describe('POST /workflows', () => {
  test('returns 201 with the stored definition, its Location and its ETag', async () => {
    const { post, request } = createTestApp();
    const response = await post('/workflows', echoTwice);
    expect(response.status).toBe(201);
    const workflow = await jsonOf<Workflow>(response);
    expect(workflow).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      version: 1,
      name: 'Echo twice',
      description: 'two steps',
      steps: [{ ...echoTwice.steps[0], kind: 'tool', depends_on: [] }, echoTwice.steps[1]],
      layers: [['one'], ['two']],
      warnings: [],
      created_at: '2026-01-01T00:00:00.000Z',
    });
    expect(response.headers.get('location')).toBe(`/workflows/${workflow.id}`);
    expect(response.headers.get('etag')).toBe('"1"');
    expect(await jsonOf(await request(`/workflows/${workflow.id}`))).toEqual(workflow);
  });

  test('returns the same Location with a trailing slash', async () => {
    const { post } = createTestApp();
    const response = await post('/workflows/', echoTwice);
    const { id } = await jsonOf<Workflow>(response);
    expect(response.headers.get('location')).toBe(`/workflows/${id}`);
  });

  test('leads by Location and Link to a workflow whose id a program has chosen, and to its runs', async () => {
    const { post, request, orchestrator } = createTestApp();
    const steps = [{ id: 'a', kind: 'tool', toolName: 'lookup' }] as const;
    const { id } = await orchestrator.workflows.create({ name: 'n', steps }, 'each night/ü?');
    await post(`/workflows/${encodeURIComponent(id)}/run`, {});
    const started = await post(`/workflows/${encodeURIComponent(id)}/run`, { background: true });
    const location = started.headers.get('location') ?? expect.fail();
    expect(location).toMatch(/^\/workflows\/each%20night%2F%C3%BC%3F\/runs\/[0-9a-f-]{36}$/);
    expect(await jsonOf(await request(location))).toMatchObject({ workflow_id: id });
    const listed = await request(`/workflows/${encodeURIComponent(id)}/runs?limit=1`);
    expect(listed.headers.get('link')).toContain('</workflows/each%20night%2F%C3%BC%3F/runs?');
  });

  test('returns a Location for an id of any characters', async () => {
    const { post, request } = createTestApp({ ports: { newId: () => 'a b/ü' } });
    const response = await post('/workflows', echoTwice);
    expect(response.headers.get('location')).toBe('/workflows/a%20b%2F%C3%BC');
    expect(await jsonOf(await request('/workflows/a%20b%2F%C3%BC'))).toMatchObject({ id: 'a b/ü' });
  });

  test('adds the defaults of a step and of a definition', async () => {
    const { post } = createTestApp();
    const response = await post('/workflows', { name: 'n', steps: [{ id: 'a', tool_name: 'lookup' }] });
    expect(await jsonOf(response)).toMatchObject({
      description: '',
      steps: [{ id: 'a', kind: 'tool', tool_name: 'lookup', depends_on: [], static_input: {} }],
    });
  });

  test('rejects duplicate ids, unknown dependencies and cycles together', async () => {
    const { post, request } = createTestApp();
    const step = (id: string, ...depends_on: string[]) => ({ id, tool_name: 'lookup', depends_on });
    const steps = [step('a', 'b'), step('b', 'a'), step('c', 'nobody'), step('d'), step('d')];
    const detail = await expectError(await post('/workflows', { name: 'n', steps }), 422);
    for (const word of ['nobody', 'd', 'a', 'b']) expect(detail).toContain(word);
    expect(await jsonOf(await request('/workflows'))).toMatchObject({ total: 0 });
  });

  test('reports of too many steps their number alone, with the issues of other members', async () => {
    const { post, request } = createTestApp({ limits: { maxWorkflowSteps: 2 } });
    const few = Array.from({ length: 21 }, (_, index) => ({ id: `s${index}`, tool_name: 'lookup' }));
    const tooMany = 'steps: must contain at most 2 steps, but there are 21';
    await expectError(await post('/workflows', { name: 'n', steps: few }), 422, tooMany);
    const steps = [0, ...few.slice(1)];
    await expectError(await post('/workflows', { name: 'n', steps }), 422, tooMany);
    await expectError(
      await post('/workflows', { name: '', steps }),
      422,
      `name: must not be empty; ${tooMany}`,
    );
    expect(await jsonOf(await request('/workflows'))).toMatchObject({ total: 0 });
  });

  test('reports of half a million dependencies their number alone', async () => {
    const { post } = createTestApp();
    const steps = [{ id: 'a', tool_name: 'lookup', depends_on: new Array(500_000).fill(0) }];
    const detail = 'steps.0.depends_on: must have at most 10000 items, but there are 500000';
    await expectError(await post('/workflows', { name: 'n', steps }), 422, detail);
  });

  test('rejects thousands of invalid dependencies with a truncated detail', async () => {
    const { post } = createTestApp();
    const depends_on = new Array(10_000).fill(0);
    const body = { name: 'n', steps: [{ id: 'a', tool_name: 'lookup', depends_on }] };
    const detail = await expectError(
      await post('/workflows', body),
      422,
      /^steps\.0\.depends_on\.0: must be a step id; /,
    );
    expect(detail).toHaveLength(2_000);
  });

  test('reports issues of the schema and of the graph together', async () => {
    const { post } = createTestApp({ limits: { maxWorkflowSteps: 8 } });
    const steps = [
      { id: '-a', kind: 'agent', depends_on: ['-a', 'b', 7] },
      { id: 'b', tool_name: 5, depends_on: ['-a'] },
      { id: 'c', kind: 'other', depends_on: ['nobody'] },
      { id: 'c', tool_name: 'lookup', depends_on: 'b', static_input: [] },
      { kind: 'tool', depends_on: ['b'] },
      { id: 7 },
      null,
      'b',
    ];
    const detail = await expectError(await post('/workflows', { name: '', steps }), 422);
    expect(detail.split('; ').sort()).toEqual(
      [
        'name: must not be empty',
        'steps.0.id: must be 1 to 64 letters, digits, "_" or "-", and begin with a letter or digit',
        'steps.0.agent_name: is required for a step of kind agent',
        'steps.0.depends_on.2: must be a step id',
        'steps.0.depends_on: step "-a" depends on itself',
        'steps.1.tool_name: must be a string',
        'steps.2.kind: must be tool, agent, workflow, wait or approval',
        'steps.2.depends_on: names the unknown step "nobody"',
        'steps.3.depends_on: must be an array of step ids',
        'steps.3.static_input: must be an object',
        'steps.3.id: "c" is already the id of steps.2',
        'steps.4.id: is required',
        'steps.4.tool_name: is required for a step of kind tool',
        'steps.5.id: must be a string',
        'steps.5.tool_name: is required for a step of kind tool',
        'steps.6: must be an object',
        'steps.7: must be an object',
        'steps: there is a cycle of dependencies: "-a" -> "b" -> "-a"',
      ].sort(),
    );
  });

  test.each([
    [{}, 'name: is required; steps: must be an array of steps'],
    [{ steps: [] }, 'name: is required; steps: must contain at least one step'],
    [{ name: 5, steps: {} }, 'name: must be a string; steps: must be an array of steps'],
    [[], 'body: must be an object'],
  ])('reports all issues of %j', async (body, detail) => {
    await expectError(await createTestApp().post('/workflows', body), 422, detail);
  });
});

describe('a definition over the limit of one thousand', () => {
  test('is rejected with 409 until another is deleted', async () => {
    const { post, request, orchestrator } = createTestApp();
    const steps = [{ id: 'a', tool_name: 'lookup' }];
    for (let count = 1; count < 1_000; count++) {
      await orchestrator.workflows.create({
        name: 'n',
        steps: [{ id: 'a', kind: 'tool', toolName: 'lookup' }],
      });
    }
    const last = await jsonOf(await post('/workflows', { name: 'n', steps }));
    const rejected = await post('/workflows', { name: 'n', steps });
    await expectError(rejected, 409, 'the store is full: the limit is 1000 records, delete some first');
    await request(`/workflows/${last['id']}`, { method: 'DELETE' });
    expect((await post('/workflows', { name: 'n', steps })).status).toBe(201);
  });
});

describe('GET /workflows', () => {
  test('lists definitions newest first', async () => {
    const { post, request } = createTestApp();
    for (const name of ['first', 'second', 'third']) await post('/workflows', { ...echoTwice, name });
    expect(await jsonOf(await request('/workflows?limit=2'))).toMatchObject({
      total: 3,
      limit: 2,
      offset: 0,
      workflows: [{ name: 'third' }, { name: 'second' }],
    });
  });
});

describe('DELETE /workflows/{id}', () => {
  test('returns 204 without a body, then 404', async () => {
    const { request, id } = await appWith();
    const response = await request(`/workflows/${id}`, { method: 'DELETE' });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const again = await request(`/workflows/${id}`, { method: 'DELETE' });
    await expectError(again, 404, `workflow "${id}" not found`);
    await expectError(await request(`/workflows/${id}`), 404, `workflow "${id}" not found`);
  });
});

describe('POST /workflows/{id}/run', () => {
  test('returns the finished execution with all its step results', async () => {
    const { post, id } = await appWith();
    const response = await post(`/workflows/${id}/run`, { input: { text: ['hello'] } });
    expect(response.status).toBe(200);
    const ended = {
      status: 'COMPLETED',
      error: null,
      started_at: '2026-01-01T00:00:00.000Z',
      completed_at: '2026-01-01T00:00:00.000Z',
      duration_ms: 0,
    };
    const got = { text: ['hello'], cost: '$5' };
    expect(await jsonOf(response)).toEqual({
      ...ended,
      execution_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      workflow_id: id,
      workflow_name: 'Echo twice',
      version: 1,
      background: false,
      attempt: 1,
      recoveries: 0,
      recoveries_without_progress: 0,
      parent_execution_id: null,
      rerun_of: null,
      customer_id: null,
      input: { text: ['hello'] },
      output: null,
      waiting_for: [],
      actions: ['rerun', 'delete'],
      created_at: '2026-01-01T00:00:00.000Z',
      step_results: {
        one: { ...ended, step_id: 'one', kind: 'tool', layer: 0, attempts: 1, output: { got } },
        two: { ...ended, step_id: 'two', kind: 'agent', layer: 1, attempts: 1, output: { heard: got } },
      },
    });
  });

  test.each([undefined, '', '{}', '{"background": false}'])(
    'accepts %j as a run with the defaults',
    async (body) => {
      const { request, id } = await appWith({ name: 'n', steps: [{ id: 'a', tool_name: 'lookup' }] });
      const headers = { 'Content-Type': 'application/json' };
      const response = await request(`/workflows/${id}/run`, {
        method: 'POST',
        ...(body === undefined ? {} : { body, headers }),
      });
      expect(response.status).toBe(200);
      expect(await jsonOf(response)).toMatchObject({ status: 'COMPLETED', background: false, input: {} });
    },
  );

  test('returns 200 with the failed step, and skips the steps after it', async () => {
    const { post, id } = await appWith({
      name: 'n',
      steps: [
        { id: 'bad', tool_name: 'nobody' },
        { id: 'after', tool_name: 'lookup', depends_on: ['bad'] },
      ],
    });
    const response = await post(`/workflows/${id}/run`, {});
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toMatchObject({
      status: 'FAILED',
      step_results: { bad: { status: 'FAILED', output: null }, after: { status: 'SKIPPED' } },
    });
  });

  test('returns 202 at once for a background run, which continues', async () => {
    const { post, request, clock, id } = await appWith();
    const response = await post(`/workflows/${id}/run`, { background: true, input: { text: 'x' } });
    expect(response.status).toBe(202);
    const execution = await jsonOf<Execution>(response);
    expect(execution).toMatchObject({ status: 'PENDING', background: true });
    const place = `/workflows/${id}/runs/${execution.execution_id}`;
    expect(response.headers.get('location')).toBe(place);
    await clock.advance(1_000);
    expect(await jsonOf(await request(place))).toMatchObject({ status: 'COMPLETED' });
  });

  test('returns 404 for an unknown workflow', async () => {
    const { post } = createTestApp();
    await expectError(await post('/workflows/nobody/run', {}), 404, 'workflow "nobody" not found');
  });
});

describe('GET /workflows/{id}/runs', () => {
  test('lists executions newest first, without their step results', async () => {
    const { post, request, id } = await appWith();
    for (const text of ['a', 'b', 'c']) await post(`/workflows/${id}/run`, { input: { text } });
    const page = await jsonOf<{ executions: readonly object[] }>(
      await request(`/workflows/${id}/runs?limit=2`),
    );
    expect(page).toMatchObject({
      total: 3,
      limit: 2,
      offset: 0,
      executions: [{ input: { text: 'c' } }, { input: { text: 'b' } }],
    });
    expect(page.executions[0]).not.toHaveProperty('step_results');
  });

  test('still lists the executions of a deleted definition, and returns 404 for an unknown one', async () => {
    const { post, request, id } = await appWith();
    await post(`/workflows/${id}/run`, {});
    await request(`/workflows/${id}`, { method: 'DELETE' });
    expect(await jsonOf(await request(`/workflows/${id}/runs`))).toMatchObject({ total: 1 });
    await expectError(await request('/workflows/nobody/runs'), 404, 'workflow "nobody" not found');
  });
});

describe('GET /workflows/{id}/runs/{execution_id}', () => {
  test('returns the response of the run, and 404 under the id of another workflow', async () => {
    const { post, request, id } = await appWith();
    const execution = await jsonOf<Execution>(await post(`/workflows/${id}/run`, { input: { text: 'x' } }));
    const { execution_id } = execution;
    expect(await jsonOf(await request(`/workflows/${id}/runs/${execution_id}`))).toEqual(execution);
    const other = await jsonOf<Workflow>(await post('/workflows', echoTwice));
    for (const path of [
      `${other.id}/runs/${execution_id}`,
      `nobody/runs/${execution_id}`,
      `${id}/runs/nobody`,
    ]) {
      await expectError(await request(`/workflows/${path}`), 404, /^execution ".+" not found$/);
    }
  });
});
