import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';

const definition = {
  name: 'Answer an order question',
  steps: [
    { id: 'order', tool_name: 'check_order_status', static_input: { order_id: '$input.order_id' } },
    {
      id: 'answer',
      kind: 'agent',
      agent_name: 'echo',
      depends_on: ['order'],
      static_input: { status: '$step.order.status' },
    },
  ],
};

interface Execution {
  readonly execution_id: string;
  readonly [member: string]: unknown;
}

/** An app with the example tools and a workflow. */
async function startApp() {
  const app = createTestApp({ tools: exampleTools });
  const { id } = await jsonOf<{ id: string }>(await app.post('/workflows', definition));
  return { ...app, id, path: `/workflows/${id}/simulate` };
}

const input = { order_id: 'A-1' };

describe('POST /workflows/{id}/simulate', () => {
  test('answers 200 with the ended execution, whose steps did what their mocks say', async () => {
    const { post, path, id } = await startApp();
    const mocks = {
      order: { output: { status: 'lost' }, delay_ms: 2_000 },
      answer: { output: { ok: true } },
    };
    const response = await post(path, { input, mocks });
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toMatchObject({
      simulated: true,
      workflow_id: id,
      status: 'COMPLETED',
      version: 1,
      background: false,
      input,
      actions: [],
      waiting_for: [],
      duration_ms: 2_000,
      created_at: '2026-01-01T00:00:00.000Z',
      completed_at: '2026-01-01T00:00:02.000Z',
      step_results: {
        order: { status: 'COMPLETED', output: { status: 'lost' }, attempts: 1, duration_ms: 2_000 },
        answer: { status: 'COMPLETED', output: { ok: true } },
      },
    });
  });

  test('answers 200 with one that has failed, and makes outputs of tools from their schemas', async () => {
    const { post, path } = await startApp();
    const simulated = await jsonOf<Execution>(await post(path, { input }));
    expect(simulated).toMatchObject({
      status: 'FAILED',
      error: 'step "answer" failed: simulate: give a mock for step "answer"',
      step_results: {
        order: { output: { order_id: 'text', status: 'processing', carrier: 'DHL', eta_days: 0 } },
      },
    });
  });

  test('needs no body', async () => {
    const { post, path } = await startApp();
    expect(await jsonOf(await post(path, ''))).toMatchObject({ status: 'FAILED', input: {} });
  });

  test('records nothing: no run, item, event, statistics or log line', async () => {
    const { post, request, path, id, recorded, logger, finished } = await startApp();
    const mocks = { answer: { error: 'no' } };
    const told = recorded.events.length;
    const feed = await jsonOf(await request('/events'));
    const stats = await jsonOf(await request('/stats'));
    const lines = logger.lines.length;
    const { execution_id } = await jsonOf<Execution>(await post(path, { input, mocks }));
    const texts = logger.lines.slice(lines).map(({ message }) => message);
    expect(texts).toEqual(['request']);
    expect(recorded.events.length).toBe(told);
    expect(finished.at(-1)).toMatchObject({ route: '/workflows/{id}/simulate', status: 200 });
    expect(await jsonOf(await request('/events'))).toEqual(feed);
    expect(await jsonOf(await request('/stats'))).toEqual(stats);
    expect(await jsonOf(await request('/runs'))).toMatchObject({ executions: [] });
    expect(await jsonOf(await request(`/workflows/${id}/runs`))).toMatchObject({ total: 0 });
    expect(await jsonOf(await request('/inbox'))).toMatchObject({ items: [] });
    await expectError(await request(`/runs/${execution_id}`), 404, `execution "${execution_id}" not found`);
  });

  test('says 404 of an unknown workflow', async () => {
    const { post } = await startApp();
    await expectError(await post('/workflows/gone/simulate', {}), 404, 'workflow "gone" not found');
  });

  test.each([
    [[], 'body: must be an object'],
    [{ input: 1 }, 'input: must be an object'],
    [{ mocks: [] }, 'mocks: must be an object'],
    [{ version: 0 }, 'version: must be an integer of 1 or more'],
    [{ version: 7 }, 'version: the workflow has no version 7'],
    [{ mocks: { order: 1 } }, 'mocks.order: must be an object'],
    [{ mocks: { order: null } }, 'mocks.order: must be an object'],
    [{ mocks: { order: { output: [] } } }, 'mocks.order.output: must be an object'],
    [{ mocks: { order: { error: '' } } }, 'mocks.order.error: must be a string of 1 to 500 characters'],
    [
      { mocks: { order: { delay_ms: '1' } } },
      'mocks.order.delay_ms: must be an integer from 0 to 2592000000',
    ],
    [
      { mocks: { order: { delay_ms: 3e9 } } },
      'mocks.order.delay_ms: must be an integer from 0 to 2592000000',
    ],
    [{ mocks: { order: { result: {} } } }, 'mocks.order: may have output, error and delay_ms only'],
    [{ mocks: { order: [{}, 2] } }, 'mocks.order.1: must be an object'],
    [{ mocks: { order: [{}] } }, 'mocks.order: is a list, but the step has no foreach'],
    [{ mocks: { order: { output: {}, error: 'x' } } }, 'mocks.order: has an output and an error'],
    [{ mocks: { nothing: {} } }, 'mocks: there is no step "nothing"'],
    [
      { mocks: { __proto__x: {}, toString: {} } },
      'mocks: there is no step "__proto__x"; mocks: there is no step "toString"',
    ],
  ])('says 422 of %j', async (body, detail) => {
    const { post, path } = await startApp();
    await expectError(await post(path, body), 422, detail);
  });

  test('reports some of very many wrong mocks, and of too many their number', async () => {
    const { post, path } = await startApp();
    const mocksOf = (mock: unknown, length = 10_000) =>
      Object.fromEntries(Array.from({ length }, (_, index) => [`s${index}`, mock]));
    const tooMany = 'mocks: must have at most 10000 members, but there are 50000';
    await expectError(await post(path, { mocks: mocksOf(1, 50_000) }), 422, tooMany);
    const wrong = await jsonOf<{ detail: string }>(await post(path, { mocks: mocksOf(1) }));
    expect(wrong.detail).toMatch(/^mocks\.s0: must be an object; mocks\.s1: must be an object; /);
    const unknown = await jsonOf<{ detail: string }>(await post(path, { mocks: mocksOf({}) }));
    expect(unknown.detail).toMatch(/^mocks: there is no step "s0"; mocks: there is no step "s1"; /);
  });
});

test('an item with {} in the list of mocks runs its child for itself, as one beyond the list does', async () => {
  const { post } = createTestApp({ tools: exampleTools });
  const definition = {
    steps: [{ id: 'look', tool_name: 'check_order_status', static_input: { order_id: '$input.id' } }],
    output: { status: '$step.look.status' },
  };
  const step = { id: 'c', kind: 'workflow', definition, static_input: { id: '${{ item }}' } };
  const foreach = { items: ['a', 'b', 'c', 'd'], on_item_error: 'continue' };
  const { id } = await jsonOf<{ id: string }>(
    await post('/workflows', { name: 'n', steps: [{ ...step, foreach }] }),
  );
  const simulate = (c: unknown) =>
    post(`/workflows/${id}/simulate`, { mocks: { c, 'c/look': { output: { status: 'lost' } } } });
  const simulated = await jsonOf(await simulate([{ output: { status: 'found' } }, {}, { error: 'no' }]));
  expect(simulated).toMatchObject({
    status: 'COMPLETED',
    step_results: {
      c: {
        output: {
          results: [
            { output: { status: 'found' } },
            { output: { status: 'lost' } },
            null,
            { output: { status: 'lost' } },
          ],
        },
      },
    },
  });
  await expectError(await simulate([{}, { delay_ms: 5 }]), 422, 'mocks.c.1: needs an output or an error');
  await expectError(await simulate({}), 422, 'mocks.c: needs an output or an error');
});

test('everything of a definition is simulated over HTTP: waits, people, items, child workflows, its output', async () => {
  const { post } = createTestApp({ tools: exampleTools });
  const create = async (body: object) => (await jsonOf<{ id: string }>(await post('/workflows', body))).id;
  const child = await create({
    name: 'child',
    input_schema: { type: 'object', required: ['n'] },
    output: { n: '$input.n' },
    steps: [{ id: 'look', tool_name: 'check_order_status', static_input: { order_id: 'A-1' } }],
  });
  const steps = [
    { id: 'w', kind: 'wait', duration_ms: 86_400_000 },
    { id: 'p', kind: 'approval', title: 'Refund ${{ input.sum }}?', depends_on: ['w'] },
    {
      id: 'each',
      kind: 'agent',
      agent_name: 'echo',
      depends_on: ['p'],
      foreach: { items: 'input.items', on_item_error: 'continue' },
      static_input: { x: '${{ item }}' },
    },
    {
      id: 'c',
      kind: 'workflow',
      workflow_id: child,
      static_input: { n: '$input.sum' },
      when: 'input.sum > 5',
    },
  ];
  const output = { by: '${{ steps.p.decided_by }}', child: '$step.c.output.n', failed: '$step.each.failed' };
  const input_schema = { type: 'object', properties: { sum: { type: 'integer' } } };
  const id = await create({ name: 'all', steps, output, input_schema });
  const path = `/workflows/${id}/simulate`;
  const mocks = {
    p: { output: { approved: true, decided_by: 'ann' }, delay_ms: 3_600_000 },
    each: [{ output: { ok: true } }, { error: 'no' }],
    'c/look': { output: {}, delay_ms: 5 },
  };
  const input = { sum: 7, items: ['a', 'b'] };
  const simulated = await jsonOf(await post(path, { input, mocks }));
  expect(simulated).toMatchObject({
    status: 'COMPLETED',
    completed_at: '2026-01-02T01:00:00.000Z',
    simulated: true,
    output: { by: 'ann', child: 7, failed: 1 },
    step_results: { each: { output: { results: [{ ok: true }, null], errors: { 1: 'no' } } } },
  });
  await expectError(await post(path, { input: { sum: 'x' } }), 422, 'input.sum: must be an integer');
});

describe('GET /tools', () => {
  test('shows the schema of the output of tools that declare one', async () => {
    const bare = { name: 'bare', description: 'bare', input: z.object({}), execute: () => ({}) };
    const { request } = createTestApp({ tools: [...exampleTools, bare] });
    const { tools } = await jsonOf<{ tools: { name: string }[] }>(await request('/tools'));
    const shown = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
    expect(shown['check_order_status']).toMatchObject({
      output_schema: { type: 'object', properties: { eta_days: { type: 'integer', minimum: 0 } } },
    });
    expect(shown['bare']).not.toHaveProperty('output_schema');
  });
});
