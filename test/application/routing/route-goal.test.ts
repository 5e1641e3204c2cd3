import { describe, expect, test } from 'vitest';
import { createAgentBus } from '../../../src/application/agents/bus.ts';
import { createAgentRegistry } from '../../../src/application/agents/registry.ts';
import { createRouting } from '../../../src/application/routing/route-goal.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import { defaultLimits, type Limits } from '../../../src/domain/limits.ts';
import { type SubTask, summarizeRouting } from '../../../src/domain/routing/routing.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Agent } from '../../../src/ports/agent.ts';
import type { Decompose } from '../../../src/ports/decompose.ts';
import type { Ports } from '../../../src/ports/ports.ts';
import { settle } from '../../support/fake-clock.ts';
import { noErasure } from '../../support/fakes.ts';
import { misbehavingAgents, SECRET } from '../../support/misbehaving-agents.ts';
import { testPorts } from '../../support/ports.ts';

interface Options {
  readonly agents?: readonly Agent[];
  readonly limits?: Partial<Limits>;
  readonly ports?: Partial<Ports>;
}

function setUp(options: Options = {}) {
  const { ports, clock, recorded, logger } = testPorts(options.ports);
  const limits = { ...defaultLimits, ...options.limits };
  const agents = createAgentRegistry();
  for (const agent of options.agents ?? [echo, broken]) agents.register(agent);
  const bus = createAgentBus(ports, agents, limits);
  return {
    clock,
    logger,
    events: recorded.events,
    ports,
    routing: createRouting(ports, { agents, bus, ...noErasure }, limits),
  };
}

const echo: Agent = {
  name: 'echo',
  description: 'returns its payload',
  keywords: ['echo'],
  handle: ({ payload }) => payload,
};
const broken: Agent = {
  name: 'broken',
  description: 'fails',
  keywords: ['break'],
  handle: () => {
    throw new Error(SECRET);
  },
};

function task(agentName: string, payload: JsonObject = {}): SubTask {
  return { agentName, payload };
}

const id = (count: number): string => `00000000-0000-7000-8000-${String(count).padStart(12, '0')}`;

describe('a goal with explicit subtasks', () => {
  test('dispatches exactly these, without the decomposer', async () => {
    const decompose: Decompose = () => {
      throw new Error('called');
    };
    const { routing, events } = setUp({ ports: { decompose } });
    const result = await routing.route({
      goal: 'break this',
      subtasks: [task('echo', { n: 1 }), task('echo', { n: 2 })],
    });
    expect(result).toEqual({
      routingId: id(1),
      goal: 'break this',
      customerId: null,
      forwarded: [],
      status: 'completed',
      decomposition: 'explicit',
      subtaskCounts: { total: 2, completed: 2, failed: 0 },
      unassigned: [],
      results: [
        {
          taskId: id(2),
          agentName: 'echo',
          payload: { n: 1 },
          matched: [],
          status: 'completed',
          output: { n: 1 },
          error: null,
          completedAt: '2026-01-01T00:00:00.000Z',
          durationMs: 0,
        },
        {
          taskId: id(3),
          agentName: 'echo',
          payload: { n: 2 },
          matched: [],
          status: 'completed',
          output: { n: 2 },
          error: null,
          completedAt: '2026-01-01T00:00:00.000Z',
          durationMs: 0,
        },
      ],
      error: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      completedAt: '2026-01-01T00:00:00.000Z',
      durationMs: 0,
    });
    const at = Date.UTC(2026, 0, 1);
    expect(events).toEqual([
      { type: 'routing.started', routingId: id(1), seq: 1, at, goalLength: expect.any(Number), subtasks: 2 },
      {
        type: 'subtask.finished',
        routingId: id(1),
        seq: 2,
        at,
        taskId: id(2),
        agentName: 'echo',
        status: 'completed',
        error: null,
        durationMs: 0,
      },
      {
        type: 'subtask.finished',
        routingId: id(1),
        seq: 3,
        at,
        taskId: id(3),
        agentName: 'echo',
        status: 'completed',
        error: null,
        durationMs: 0,
      },
      {
        type: 'routing.finished',
        routingId: id(1),
        seq: 4,
        at,
        completed: 2,
        error: null,
        status: 'completed',
        total: 2,
        failed: 0,
        durationMs: 0,
      },
    ]);
  });

  test('is partial when one of them fails, and the others complete', async () => {
    const { routing } = setUp();
    const subtasks = [task('echo', { n: 1 }), task('broken'), task('nobody'), task('echo', { n: 2 })];
    const result = await routing.route({ goal: 'g', subtasks });
    expect(result).toMatchObject({
      status: 'partial',
      subtaskCounts: { total: 4, completed: 2, failed: 2 },
      results: [
        { status: 'completed', output: { n: 1 } },
        { status: 'failed', output: null, error: 'agent "broken" failed unexpectedly' },
        { status: 'failed', output: null, error: 'no agent "nobody" is registered' },
        { status: 'completed', output: { n: 2 } },
      ],
    });
  });

  test('fails if the list is empty', async () => {
    const { routing } = setUp();
    expect(await routing.route({ goal: 'echo this', subtasks: [] })).toMatchObject({
      status: 'failed',
      decomposition: 'explicit',
      results: [],
      subtaskCounts: { total: 0, completed: 0, failed: 0 },
      error: 'there are no subtasks to dispatch',
    });
  });

  test('runs them concurrently and returns their results in order', async () => {
    const started: number[] = [];
    const slow: Agent = {
      ...echo,
      name: 'slow',
      handle: ({ payload }) => {
        started.push(Number(payload['wait']));
        return new Promise((resolve) => clock.after(Number(payload['wait']), () => resolve(payload)));
      },
    };
    const { routing, clock } = setUp({ agents: [echo, slow] });
    const waits = [30, 10, 20];
    const subtasks = [...waits.map((wait) => task('slow', { wait })), task('echo', { wait: 0 })];
    const pending = routing.route({ goal: 'g', subtasks });
    await settle();
    expect(started).toEqual(waits);
    await clock.advance(30);
    const result = await pending;
    expect(result.results.map(({ output }) => output)).toEqual([
      { wait: 30 },
      { wait: 10 },
      { wait: 20 },
      { wait: 0 },
    ]);
    expect(result.results.map(({ durationMs }) => durationMs)).toEqual([30, 10, 20, 0]);
    expect(result.durationMs).toBe(30);
  });

  test('records the original payloads, even if an agent modifies its own', async () => {
    const writer: Agent = {
      ...echo,
      name: 'writer',
      handle: ({ payload }) => Object.assign(payload, { n: 'written' }),
    };
    const { routing } = setUp({ agents: [writer] });
    const shared = { n: 1 };
    const result = await routing.route({
      goal: 'g',
      subtasks: [task('writer', shared), task('writer', shared)],
    });
    expect(result.results.map(({ payload, output }) => [payload, output])).toEqual([
      [{ n: 1 }, { n: 'written' }],
      [{ n: 1 }, { n: 'written' }],
    ]);
  });

  test('dispatches them again when it is routed again', async () => {
    const { routing } = setUp();
    const request = { goal: 'g', subtasks: [task('echo')] };
    const first = await routing.route(request);
    const second = await routing.route(request);
    expect(second.routingId).not.toBe(first.routingId);
    expect(second.results[0]?.taskId).not.toBe(first.results[0]?.taskId);
  });

  test.each(misbehavingAgents)('survives an agent that $behavior', async ({ agent, error, hangs }) => {
    const { routing, clock } = setUp({ agents: [echo, agent] });
    const subtasks = [task('echo', { n: 1 }), task('rogue'), task('echo', { n: 2 })];
    const pending = routing.route({ goal: 'g', subtasks });
    if (hangs) await clock.advance(defaultLimits.agentTimeoutMs);
    const result = await pending;
    expect(result.status).toBe('partial');
    expect(result.results.map(({ output }) => output)).toEqual([{ n: 1 }, null, { n: 2 }]);
    expect(result.results[1]).toMatchObject({ status: 'failed', error });
    expect(await routing.getRoute(result.routingId)).toEqual(result);
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(clock.pending()).toBe(0);
  });

  test('ends with the results so far when it is aborted', async () => {
    const stuck: Agent = { ...echo, name: 'stuck', handle: () => new Promise(() => {}) };
    const { routing } = setUp({ agents: [echo, stuck] });
    const controller = new AbortController();
    const { signal } = controller;
    const pending = routing.route({ goal: 'g', subtasks: [task('stuck'), task('echo')], signal });
    await settle();
    controller.abort();
    const result = await pending;
    expect(result.results.map(({ error }) => error)).toEqual(['interrupted', null]);
    expect(await routing.getRoute(result.routingId)).toEqual(result);
  });
});

describe('a goal without subtasks', () => {
  test('is decomposed by the keywords of the agents', async () => {
    const { routing } = setUp();
    const goal = 'Echo this; then break that';
    expect(await routing.route({ goal })).toMatchObject({
      status: 'partial',
      decomposition: 'keyword',
      error: null,
      results: [
        {
          agentName: 'echo',
          payload: { text: 'Echo this', message: 'Echo this', goal },
          status: 'completed',
        },
        {
          agentName: 'broken',
          payload: { text: 'break that', message: 'break that', goal },
          status: 'failed',
        },
      ],
    });
  });

  test('tells the words that chose each agent, and the clauses that no agent takes', async () => {
    const { routing } = setUp();
    const result = await routing.route({ goal: 'Echo this; then paint the fence' });
    expect(result).toMatchObject({
      status: 'completed',
      unassigned: ['paint the fence'],
      results: [{ agentName: 'echo', matched: ['Echo'] }],
    });
    expect(await routing.getRoute(result.routingId)).toEqual(result);
    const { items } = await routing.listRoutes({ limit: 1, offset: 0 });
    expect(items).toMatchObject([{ unassigned: ['paint the fence'] }]);
  });

  test('has neither matched words nor unassigned clauses where its decomposer tells none', async () => {
    const decompose: Decompose = () => ({ decomposition: 'llm', subtasks: [task('echo')] });
    const { routing } = setUp({ ports: { decompose } });
    expect(await routing.route({ goal: 'g' })).toMatchObject({ unassigned: [], results: [{ matched: [] }] });
  });

  test('fails if no agent matches, with the names of the registered agents', async () => {
    const { routing } = setUp();
    expect(await routing.route({ goal: 'make me a sandwich' })).toMatchObject({
      status: 'failed',
      decomposition: 'keyword',
      results: [],
      error: 'no registered agent matches the goal; the registered agents are echo, broken',
    });
  });

  test('fails if no agents are registered', async () => {
    const { routing } = setUp({ agents: [] });
    expect(await routing.route({ goal: 'echo' })).toMatchObject({
      status: 'failed',
      error: 'no registered agent matches the goal: there are no agents',
    });
  });

  test('records the kind of its decomposition', async () => {
    const decompose: Decompose = async () => ({ decomposition: 'llm', subtasks: [task('echo', { n: 1 })] });
    const { routing } = setUp({ ports: { decompose } });
    expect(await routing.route({ goal: 'g' })).toMatchObject({ status: 'completed', decomposition: 'llm' });
  });

  test('fails the subtasks of unknown agents', async () => {
    const decompose: Decompose = () => ({
      decomposition: 'llm',
      subtasks: [task('__proto__'), task('echo')],
    });
    const { routing } = setUp({ ports: { decompose } });
    expect(await routing.route({ goal: 'g' })).toMatchObject({
      status: 'partial',
      results: [{ error: 'no agent "__proto__" is registered' }, { error: null }],
    });
  });

  test('dispatches at most 100 subtasks, and says so', async () => {
    const subtasks = Array.from({ length: 1_000 }, () => task('echo'));
    const decompose: Decompose = () => ({ decomposition: 'llm', subtasks });
    const { routing } = setUp({ ports: { decompose } });
    expect(await routing.route({ goal: 'g' })).toMatchObject({
      subtaskCounts: { total: 100 },
      error: 'only the first 100 of 1000 subtasks were dispatched',
    });
  });

  test.each<[string, () => unknown]>([
    ['throws', () => fail(new Error(SECRET))],
    ['throws null', () => fail(null)],
    ['rejects', () => Promise.reject(new Error(SECRET))],
    ['returns undefined', () => undefined],
    ['returns no array', () => ({ decomposition: 'llm', subtasks: 'echo' })],
    ['returns an unknown kind', () => ({ decomposition: 'guess', subtasks: [] })],
    [
      'returns a subtask without a payload',
      () => ({ decomposition: 'llm', subtasks: [{ agentName: 'echo' }] }),
    ],
    ['returns a subtask without an agent', () => ({ decomposition: 'llm', subtasks: [{ payload: {} }] })],
    [
      'returns matched words that are no list',
      () => ({ decomposition: 'llm', subtasks: [{ ...task('echo'), matched: 'echo' }] }),
    ],
    [
      'returns unassigned parts that are no texts',
      () => ({ decomposition: 'llm', subtasks: [], unassigned: [1] }),
    ],
    [
      'returns a payload that is not JSON',
      () => ({ decomposition: 'llm', subtasks: [task('echo', { n: 1n } as never)] }),
    ],
  ])('fails and is recorded when the decomposer %s', async (_, misbehave) => {
    const { routing, logger } = setUp({ ports: { decompose: misbehave as Decompose } });
    const result = await routing.route({ goal: 'g' });
    expect(result).toMatchObject({
      status: 'failed',
      results: [],
      error: 'the goal could not be decomposed',
    });
    expect(await routing.getRoute(result.routingId)).toEqual(result);
    expect(logger.lines.map(({ message }) => message)).toEqual(['decomposition failed']);
  });

  test('shows the message of a ToolError of the decomposer', async () => {
    const { routing } = setUp({ ports: { decompose: () => fail(new ToolError('the model is busy')) } });
    expect((await routing.route({ goal: 'g' })).error).toBe('the model is busy');
  });

  test('fails when the decomposer times out', async () => {
    let received: AbortSignal | undefined;
    const decompose: Decompose = (_goal, _agents, { signal }) => {
      received = signal;
      return new Promise(() => {});
    };
    const { routing, clock } = setUp({ ports: { decompose } });
    const pending = routing.route({ goal: 'g' });
    await clock.advance(defaultLimits.stageTimeoutMs);
    expect((await pending).error).toBe('the goal could not be decomposed: timed out after 60000 ms');
    expect(received?.aborted).toBe(true);
  });
});

describe('a plan', () => {
  test('has the subtasks of a goal, and dispatches, stores and emits nothing', async () => {
    const { routing, events } = setUp();
    const goal = 'Echo this; then break that; paint the fence';
    expect(await routing.plan({ goal })).toEqual({
      goal,
      customerId: null,
      decomposition: 'keyword',
      subtasks: [
        { agentName: 'echo', payload: { text: 'Echo this', message: 'Echo this', goal }, matched: ['Echo'] },
        {
          agentName: 'broken',
          payload: { text: 'break that', message: 'break that', goal },
          matched: ['break'],
        },
      ],
      unassigned: ['paint the fence'],
      error: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      completedAt: '2026-01-01T00:00:00.000Z',
      durationMs: 0,
    });
    expect(events).toEqual([]);
    expect(await routing.listRoutes({ limit: 50, offset: 0 })).toMatchObject({ total: 0 });
  });

  test('has the explicit subtasks as they are', async () => {
    const { routing } = setUp();
    expect(await routing.plan({ goal: 'g', subtasks: [task('nobody', { n: 1 })] })).toMatchObject({
      decomposition: 'explicit',
      subtasks: [{ agentName: 'nobody', payload: { n: 1 }, matched: [] }],
      error: null,
    });
  });

  test('says why it has no subtasks', async () => {
    const { routing } = setUp();
    expect((await routing.plan({ goal: 'qwertz' })).error).toMatch(/^no registered agent matches the goal/);
  });

  test('is rejected for an invalid request, and not for an unavailable store', async () => {
    const storage = {
      assertAvailable() {
        throw unavailable('the store cannot be reached');
      },
    };
    const { routing } = setUp({ ports: { storage } });
    await expect(routing.plan({ goal: '' })).rejects.toMatchObject({ code: 'validation' });
    expect((await routing.plan({ goal: 'echo' })).subtasks).toHaveLength(1);
  });
});

describe('a routing request', () => {
  test.each([
    ['an empty goal', { goal: '' }, 'goal: must not be empty'],
    ['a goal that is too long', { goal: 'x'.repeat(32_769) }, 'goal: must be at most 32768 characters'],
    [
      'too many subtasks',
      { goal: 'g', subtasks: Array.from({ length: 101 }, () => task('echo')) },
      'subtasks: must be at most 100',
    ],
  ])('is rejected with %s before it starts', async (_, request, issue) => {
    const { routing, events } = setUp();
    await expect(routing.route(request)).rejects.toMatchObject({ code: 'validation', message: issue });
    expect(events).toEqual([]);
  });

  test('is rejected before it starts when the store is unavailable', async () => {
    const storage = {
      assertAvailable() {
        throw unavailable('the store cannot be reached');
      },
    };
    const { routing, events } = setUp({ ports: { storage } });
    await expect(routing.route({ goal: 'echo' })).rejects.toMatchObject({ code: 'unavailable' });
    expect(events).toEqual([]);
  });
});

describe('a routing result', () => {
  test('is found by its id, and listed newest first without its subtasks', async () => {
    const { routing } = setUp();
    const first = await routing.route({ goal: 'echo one' });
    const second = await routing.route({ goal: 'echo two' });
    expect(await routing.getRoute(first.routingId)).toEqual(first);
    const page = await routing.listRoutes({ limit: 50, offset: 0 });
    expect(page).toEqual({ total: 2, limit: 50, offset: 0, items: [second, first].map(summarizeRouting) });
    expect(page.items[0]).not.toHaveProperty('results');
  });

  test('of version 0.6, without matched words and unassigned clauses, is read with empty lists', async () => {
    const { routing, ports } = setUp();
    const { unassigned: _, ...result } = await routing.route({ goal: 'echo one' });
    const results = result.results.map(({ matched, ...one }) => one);
    await ports.routes.put({ ...result, results } as never);
    expect(await routing.getRoute(result.routingId)).toEqual({
      ...result,
      unassigned: [],
      results: result.results.map((one) => ({ ...one, matched: [] })),
    });
    const { items } = await routing.listRoutes({ limit: 1, offset: 0 });
    expect(items[0]?.unassigned).toEqual([]);
  });

  test('is not found under an unknown id', async () => {
    const { routing } = setUp();
    await expect(routing.getRoute('nothing')).rejects.toMatchObject({
      code: 'not_found',
      message: 'routing run "nothing" not found',
    });
  });

  test('is returned even if it cannot be stored', async () => {
    const { ports } = setUp();
    const routes = { ...ports.routes, put: () => Promise.reject(unavailable('gone')) };
    const { routing, logger } = setUp({ ports: { routes } });
    expect(await routing.route({ goal: 'echo' })).toMatchObject({ status: 'completed' });
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'the routing result could not be stored'],
    ]);
  });
});

function fail(thrown: unknown): never {
  throw thrown;
}
