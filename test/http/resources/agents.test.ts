import { describe, expect, test } from 'vitest';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';

interface Routing {
  readonly routing_id: string;
  readonly results: readonly object[];
}

describe('GET /agents', () => {
  test('lists the built-in and the registered agents, each with name and description', async () => {
    const { request, orchestrator } = createTestApp();
    orchestrator.agents.register({ name: 'own', description: 'My own', handle: () => ({}) });
    const response = await request('/agents');
    expect(response.status).toBe(200);
    const { count, agents } = await jsonOf<{ count: number; agents: object[] }>(response);
    expect(count).toBe(4);
    expect(agents.map((agent) => Object.keys(agent))).toEqual(Array(4).fill(['name', 'description']));
    expect(agents).toMatchObject([
      { name: 'echo' },
      { name: 'summary' },
      { name: 'support_pipeline' },
      { name: 'own', description: 'My own' },
    ]);
  });
});

describe('GET /agents?include=keywords,effect', () => {
  test('adds the keywords of each agent, none for an agent without', async () => {
    const { request, orchestrator } = createTestApp();
    orchestrator.agents.register({ name: 'own', description: 'My own', handle: () => ({}) });
    orchestrator.agents.register({
      name: 'two',
      description: 'Two',
      keywords: ['a', 'b c'],
      handle: () => ({}),
    });
    const { agents } = await jsonOf<{ agents: object[] }>(await request('/agents?include=keywords'));
    expect(agents).toMatchObject([
      { name: 'echo', keywords: expect.arrayContaining(['echo', 'say back']) },
      { name: 'summary' },
      { name: 'support_pipeline' },
      { name: 'own', keywords: [] },
      { name: 'two', keywords: ['a', 'b c'] },
    ]);
  });

  test('adds the effect where it is named too, write for an agent that states none', async () => {
    const { request, orchestrator } = createTestApp();
    orchestrator.agents.register({ name: 'own', description: 'My own', handle: () => ({}) });
    orchestrator.agents.register({
      name: 'two',
      description: 'Two',
      effect: 'idempotent',
      handle: () => ({}),
    });
    const { agents } = await jsonOf<{ agents: object[] }>(await request('/agents?include=effect'));
    expect(agents).toEqual([
      { name: 'echo', description: expect.any(String), effect: 'read' },
      { name: 'summary', description: expect.any(String), effect: 'read' },
      { name: 'support_pipeline', description: expect.any(String), effect: 'idempotent' },
      { name: 'own', description: 'My own', effect: 'write' },
      { name: 'two', description: 'Two', effect: 'idempotent' },
    ]);
    const both = await jsonOf<{ agents: object[] }>(await request('/agents?include=effect,keywords'));
    expect(both.agents[3]).toEqual({ name: 'own', description: 'My own', effect: 'write', keywords: [] });
  });

  test.each([
    ['include=', 'include: must be a list of keywords, effect'],
    ['include=secrets', 'include: must be a list of keywords, effect'],
    ['include=keywords,', 'include: must be a list of keywords, effect'],
    ['include=keywords&include=keywords', 'include: must be given once'],
  ])('answers 422 to ?%s', async (query, detail) => {
    const { request } = createTestApp();
    await expectError(await request(`/agents?${query}`), 422, detail);
  });
});

describe('POST /agents/route?dry_run=true', () => {
  const goal = 'Summarise: refund my order. Echo it.';

  test('returns the subtasks, and dispatches and stores nothing', async () => {
    const { post, request, orchestrator } = createTestApp();
    orchestrator.agents.register({
      name: 'own',
      description: 'Must not be asked',
      keywords: ['launch'],
      handle: () => {
        throw new Error('asked');
      },
    });
    const response = await post('/agents/route?dry_run=true', { goal: 'Launch it. Paint the fence.' });
    expect(response.status).toBe(200);
    const text = 'Launch it.';
    expect(await jsonOf(response)).toEqual({
      routing_id: null,
      goal: 'Launch it. Paint the fence.',
      customer_id: null,
      status: 'planned',
      decomposition: 'keyword',
      results: [
        {
          task_id: null,
          agent_name: 'own',
          payload: { text, message: text, goal: 'Launch it. Paint the fence.' },
          matched: ['Launch'],
          status: 'planned',
          output: null,
          error: null,
          duration_ms: 0,
        },
      ],
      unassigned: ['Paint the fence.'],
      error: null,
      created_at: '2026-01-01T00:00:00.000Z',
      completed_at: '2026-01-01T00:00:00.000Z',
      duration_ms: 0,
    });
    expect(await jsonOf(await request('/agents/routes'))).toMatchObject({ total: 0 });
    expect(await jsonOf(await request('/trace'))).toMatchObject({ total: 0 });
  });

  test('has the fields of a routing result', async () => {
    const { post } = createTestApp();
    const planned = await jsonOf<Routing>(await post('/agents/route?dry_run=true', { goal }));
    const routed = await jsonOf<Routing>(await post('/agents/route', { goal }));
    expect(Object.keys(planned)).toEqual(Object.keys(routed));
    expect(planned.results.map(Object.keys)).toEqual(routed.results.map(Object.keys));
  });

  test('is failed where nothing would be dispatched', async () => {
    const { post } = createTestApp();
    expect(await jsonOf(await post('/agents/route?dry_run=true', { goal: 'qwertz' }))).toMatchObject({
      status: 'failed',
      results: [],
      unassigned: ['qwertz'],
      error: expect.stringMatching(/^no registered agent matches/),
    });
  });

  test('dispatches with dry_run=false', async () => {
    const { post } = createTestApp();
    const response = await post('/agents/route?dry_run=false', { goal: 'Echo it.' });
    expect(await jsonOf(response)).toMatchObject({ status: 'completed', routing_id: expect.any(String) });
  });

  test.each([
    ['dry_run=', 'dry_run: must be true or false'],
    ['dry_run=1', 'dry_run: must be true or false'],
    ['dry_run=TRUE', 'dry_run: must be true or false'],
    ['dry_run=true&dry_run=true', 'dry_run: must be given once'],
  ])('answers 422 to ?%s', async (query, detail) => {
    const { post, request } = createTestApp();
    await expectError(await post(`/agents/route?${query}`, { goal }), 422, detail);
    expect(await jsonOf(await request('/agents/routes'))).toMatchObject({ total: 0 });
  });
});

describe('POST /agents/route', () => {
  test('runs exactly the given subtasks, and returns results in their order', async () => {
    const { post } = createTestApp();
    const response = await post('/agents/route', {
      goal: 'summarize it all',
      subtasks: [
        { agent_name: 'echo', payload: { a: [1], constructor: 2 } },
        { agent_name: 'nobody' },
        { agent_name: 'echo' },
      ],
    });
    expect(response.status).toBe(200);
    const result = (agent_name: string, payload: object, more: object) => ({
      task_id: expect.any(String),
      agent_name,
      payload,
      matched: [],
      duration_ms: 0,
      ...more,
    });
    expect(await jsonOf(response)).toEqual({
      routing_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      goal: 'summarize it all',
      status: 'partial',
      decomposition: 'explicit',
      customer_id: null,
      unassigned: [],
      results: [
        result(
          'echo',
          { a: [1], constructor: 2 },
          {
            status: 'completed',
            output: { a: [1], constructor: 2 },
            error: null,
          },
        ),
        result('nobody', {}, { status: 'failed', output: null, error: expect.stringContaining('nobody') }),
        result('echo', {}, { status: 'completed', output: {}, error: null }),
      ],
      error: null,
      created_at: '2026-01-01T00:00:00.000Z',
      completed_at: '2026-01-01T00:00:00.000Z',
      duration_ms: 0,
    });
  });

  test('decomposes a goal by keywords without subtasks', async () => {
    const { post } = createTestApp();
    const response = await post('/agents/route', {
      goal: 'Please summarize this: It rained. Then the sun came out.',
    });
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toMatchObject({ decomposition: 'keyword', status: 'completed' });
  });

  test('returns 200 with status failed if the goal has no subtasks', async () => {
    const { post } = createTestApp();
    const none = await post('/agents/route', { goal: 'x', subtasks: [] });
    expect(await jsonOf(none)).toMatchObject({ status: 'failed', decomposition: 'explicit', results: [] });
    const unmatched = await post('/agents/route', { goal: 'qwertz' });
    expect(unmatched.status).toBe(200);
    expect(await jsonOf(unmatched)).toMatchObject({
      status: 'failed',
      decomposition: 'keyword',
      results: [],
      error: expect.stringMatching(/echo.*summary.*support_pipeline/),
    });
  });

  test('runs the message pipeline through support_pipeline and stores its trace', async () => {
    const { post, request } = createTestApp();
    const payload = { message: 'I want my money back', customer_id: 'customer-1' };
    const response = await post('/agents/route', {
      goal: 'x',
      subtasks: [{ agent_name: 'support_pipeline', payload }],
    });
    const { results } = await jsonOf<Routing>(response);
    expect(results).toMatchObject([{ status: 'completed', output: { intent: 'refund' } }]);
    expect(await jsonOf(await request('/trace/'))).toMatchObject({
      total: 1,
      traces: [{ customer_id: 'customer-1', message: 'I want my money back' }],
    });
  });
});

describe('GET /agents/routes', () => {
  test('lists routing runs newest first, with counts instead of results', async () => {
    const { post, request } = createTestApp();
    for (const goal of ['a', 'b', 'c']) {
      await post('/agents/route', { goal, subtasks: [{ agent_name: 'echo' }, { agent_name: 'nobody' }] });
    }
    const page = await jsonOf<{ routes: readonly object[] }>(await request('/agents/routes?limit=2'));
    expect(page).toMatchObject({
      total: 3,
      limit: 2,
      offset: 0,
      routes: [
        { goal: 'c', subtask_counts: { total: 2, completed: 1, failed: 1 } },
        { goal: 'b', status: 'partial' },
      ],
    });
    expect(page.routes[0]).not.toHaveProperty('results');
  });
});

describe('GET /agents/routes/{routing_id}', () => {
  test('returns the response of the routing run', async () => {
    const { post, request } = createTestApp();
    const routing = await jsonOf<Routing>(
      await post('/agents/route', { goal: 'x', subtasks: [{ agent_name: 'echo' }] }),
    );
    expect(await jsonOf(await request(`/agents/routes/${routing.routing_id}`))).toEqual(routing);
  });

  test.each(['nobody', '__proto__', '%0d%0a'])('returns 404 for %s', async (id) => {
    const { request } = createTestApp();
    await expectError(await request(`/agents/routes/${id}`), 404, /not found$/);
  });
});
