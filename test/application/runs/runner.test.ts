import { describe, expect, test } from 'vitest';
import type { Run } from '../../../src/domain/run/run.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { burnCpu, createTurnCounter } from '../../support/event-loop.ts';
import { settle } from '../../support/fake-clock.ts';
import { callAgent, callTool, createTestEngine } from '../../support/workflow/engine.ts';

/** Status by step id. */
function statuses({ stepResults }: Run): Record<string, string> {
  return Object.fromEntries(stepResults.map(({ stepId, status }) => [stepId, status]));
}

function resultOf({ stepResults }: Run, id: string) {
  return stepResults.find(({ stepId }) => stepId === id) ?? expect.fail(`no step ${id}`);
}

describe('a workflow run', () => {
  test('returns and saves its results with their times', async () => {
    const engine = createTestEngine();
    engine.tool('double', async ({ number }) => {
      await engine.clock.advance(250);
      return { number: Number(number) * 2 };
    });
    engine.agents.register({ name: 'echo', description: '', handle: ({ payload }) => payload });
    const { id, createdAt } = await engine.define(
      callAgent('report', 'echo', { result: '$step.twice.number' }, ['twice']),
      callTool('twice', 'double', { number: '$input.number' }),
    );
    const run = await engine.workflows.run(id, { input: { number: 21 } });
    const later = '2026-01-01T00:00:00.250Z';
    expect(run).toEqual({
      runId: '00000000-0000-7000-8000-000000000002',
      workflowId: id,
      workflowName: 'sample',
      version: 1,
      attempt: 1,
      recoveries: 0,
      recoveriesWithoutProgress: 0,
      rerunOf: null,
      parentRunId: null,
      customerId: null,
      output: null,
      waitingFor: [],
      wakeAt: null,
      status: 'COMPLETED',
      background: false,
      input: { number: 21 },
      error: null,
      createdAt,
      startedAt: createdAt,
      completedAt: later,
      durationMs: 250,
      stepResults: [
        {
          stepId: 'report',
          kind: 'agent',
          status: 'COMPLETED',
          layer: 1,
          attempts: 1,
          output: { result: 42 },
          error: null,
          startedAt: later,
          completedAt: later,
          durationMs: 0,
        },
        {
          stepId: 'twice',
          kind: 'tool',
          status: 'COMPLETED',
          layer: 0,
          attempts: 1,
          output: { number: 42 },
          error: null,
          startedAt: createdAt,
          completedAt: later,
          durationMs: 250,
        },
      ],
    });
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
  });

  test('runs the steps of a layer concurrently, and the next layer when all of them have ended', async () => {
    const engine = createTestEngine();
    const slow = Promise.withResolvers<void>();
    const started: string[] = [];
    engine.tool('work', async ({ name }) => {
      started.push(String(name));
      if (name === 'slow') await slow.promise;
      return {};
    });
    const { id } = await engine.define(
      callTool('a', 'work', { name: 'slow' }),
      callTool('b', 'work', { name: 'fast' }),
      callTool('c', 'work', { name: 'after b' }, ['b']),
    );
    const running = engine.workflows.run(id);
    await settle();
    expect(started).toEqual(['slow', 'fast']);
    slow.resolve();
    expect((await running).status).toBe('COMPLETED');
    expect(started).toEqual(['slow', 'fast', 'after b']);
  });

  test('finishes the layer of a failed step, then skips the remaining layers', async () => {
    const engine = createTestEngine();
    const slow = Promise.withResolvers<void>();
    engine.tool('fail', () => {
      throw new ToolError('out of paper', { permanent: true });
    });
    engine.tool('wait', async () => {
      await slow.promise;
      return { done: true };
    });
    engine.tool('never', () => expect.fail('a skipped step was run'));
    const { id } = await engine.define(
      callTool('bad', 'fail'),
      callTool('good', 'wait'),
      callTool('after-good', 'never', {}, ['good']),
      callTool('last', 'never', {}, ['after-good']),
    );
    const running = engine.workflows.run(id);
    await settle();
    slow.resolve();
    const run = await running;
    expect(statuses(run)).toEqual({
      bad: 'FAILED',
      good: 'COMPLETED',
      'after-good': 'SKIPPED',
      last: 'SKIPPED',
    });
    expect(run).toMatchObject({ status: 'FAILED', error: 'step "bad" failed: out of paper' });
    expect(resultOf(run, 'bad')).toMatchObject({ error: 'out of paper', output: null, attempts: 1 });
    expect(resultOf(run, 'last')).toMatchObject({
      attempts: 0,
      output: null,
      error: null,
      startedAt: null,
      completedAt: null,
      durationMs: null,
    });
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
  });

  test('has an error with the first failed step and the number of others in its layer', async () => {
    const engine = createTestEngine();
    engine.tool('fail', ({ text }) => {
      throw new ToolError(String(text), { permanent: true });
    });
    const { id } = await engine.define(
      ...['one', 'two', 'three'].map((text) => callTool(text, 'fail', { text })),
    );
    expect((await engine.workflows.run(id)).error).toBe('step "one" failed: one (and 2 more of its layer)');
  });

  test('fails a step whose tool or agent is not registered', async () => {
    const engine = createTestEngine();
    const { id, warnings } = await engine.define(callTool('a', 'missing'), callAgent('b', 'nobody'));
    expect(warnings).toHaveLength(2);
    const run = await engine.workflows.run(id);
    expect(resultOf(run, 'a').error).toBe('no tool "missing" is registered');
    expect(resultOf(run, 'b').error).toBe('no agent "nobody" is registered');
  });

  test('uses tools and agents that are registered after its definition was created', async () => {
    const engine = createTestEngine();
    const { id } = await engine.define(callTool('a', 'late'));
    engine.tool('late', () => ({ here: true }));
    expect(resultOf(await engine.workflows.run(id), 'a').output).toEqual({ here: true });
  });

  test('fails a step whose agent throws any value, without the thrown value', async () => {
    const engine = createTestEngine();
    const thrown: unknown[] = [new Error('secret'), 'secret', null, undefined, Object.create(null), 1n];
    for (const [number, value] of thrown.entries()) {
      engine.agents.register({
        name: `agent-${number}`,
        description: '',
        handle() {
          throw value;
        },
      });
    }
    const { id } = await engine.define(
      ...thrown.map((_, number) => callAgent(`s${number}`, `agent-${number}`)),
    );
    const run = await engine.workflows.run(id);
    expect(run.stepResults.map(({ status }) => status)).toEqual(thrown.map(() => 'FAILED'));
    expect(JSON.stringify(run)).not.toContain('secret');
  });

  test('has one idempotency key for all attempts of a step', async () => {
    const engine = createTestEngine();
    const keys: string[] = [];
    engine.tool('flaky', (_, { idempotencyKey, attempt }) => {
      keys.push(idempotencyKey);
      if (attempt === 1) throw new Error('try again');
      return {};
    });
    const { id } = await engine.define(callTool('pay', 'flaky'));
    const running = engine.workflows.run(id);
    await engine.clock.advance(1_000);
    const run = await running;
    expect(keys).toEqual([`${run.runId}:pay`, `${run.runId}:pay`]);
    expect(resultOf(run, 'pay')).toMatchObject({ status: 'COMPLETED', attempts: 2 });
  });

  test('calls agents as the sender `workflow:<run id>`', async () => {
    const engine = createTestEngine();
    const senders: string[] = [];
    engine.agents.register({
      name: 'listener',
      description: '',
      handle({ sender, payload }) {
        senders.push(sender);
        return { payload };
      },
    });
    const { id } = await engine.define(callAgent('call', 'listener', { x: 1 }));
    const run = await engine.workflows.run(id);
    expect(senders).toEqual([`workflow:${run.runId}`]);
    expect(resultOf(run, 'call').output).toEqual({ payload: { x: 1 } });
  });

  test('runs at most the permitted number of steps concurrently', async () => {
    const engine = createTestEngine({ limits: { maxConcurrentSteps: 7 } });
    let running = 0;
    let maxRunning = 0;
    engine.tool('work', async () => {
      running++;
      maxRunning = Math.max(maxRunning, running);
      await settle();
      running--;
      return {};
    });
    const { id } = await engine.define(...Array.from({ length: 40 }, (_, n) => callTool(`s${n}`, 'work')));
    expect((await engine.workflows.run(id)).status).toBe('COMPLETED');
    expect(maxRunning).toBe(7);
  });

  test('emits an event for the end of each step and of the run', async () => {
    const engine = createTestEngine();
    engine.tool('ok', () => ({}));
    engine.tool('fail', () => {
      throw new ToolError('no', { permanent: true });
    });
    const { id } = await engine.define(
      callTool('a', 'ok'),
      callTool('b', 'fail', {}, ['a']),
      callTool('c', 'ok', {}, ['b']),
    );
    const { runId } = await engine.workflows.run(id);
    const events = engine.recorded.events.filter(({ type }) => /^(?:step|run)\.finished$/.test(type));
    const step = { type: 'step.finished', runId, kind: 'tool', durationMs: 0 };
    expect(events).toEqual([
      { ...step, stepId: 'a', status: 'COMPLETED', error: null },
      { ...step, stepId: 'b', status: 'FAILED', error: 'no' },
      {
        type: 'run.finished',
        runId,
        workflowId: id,
        status: 'FAILED',
        error: 'step "b" failed: no',
        cancelledBy: null,
        durationMs: 0,
      },
    ]);
  });

  test('copies its input', async () => {
    const engine = createTestEngine();
    const input = { list: [1] };
    engine.tool('echo', ({ list }) => ({ list: list ?? null }));
    const { id } = await engine.define(callTool('a', 'echo', { list: '$input.list' }));
    const running = engine.workflows.run(id, { input });
    input.list.push(2);
    const run = await running;
    expect(run.input).toEqual({ list: [1] });
    expect(resultOf(run, 'a').output).toEqual({ list: [1] });
  });

  test('rejects an input that is not JSON', async () => {
    const engine = createTestEngine();
    const { id } = await engine.define(callTool('a', 'none'));
    const input = JSON.parse('{"x": 1e999}');
    await expect(engine.workflows.run(id, { input })).rejects.toMatchObject({
      code: 'validation',
      message: 'input: contains a number that is not finite',
    });
    expect((await engine.workflows.listRuns(id, { limit: 1, offset: 0 })).total).toBe(0);
  });

  test('yields to the event loop between synchronous steps', async () => {
    const engine = createTestEngine();
    const turns = createTurnCounter();
    engine.tool('busy', () => {
      turns.count();
      burnCpu(3);
      return {};
    });
    const chain = Array.from({ length: 20 }, (_, n) =>
      callTool(`s${n}`, 'busy', {}, n === 0 ? [] : [`s${n - 1}`]),
    );
    const wide = Array.from({ length: 20 }, (_, n) => callTool(`w${n}`, 'busy', {}, ['s19']));
    const { id } = await engine.define(...chain, ...wide);
    expect((await engine.workflows.run(id)).status).toBe('COMPLETED');
    expect(turns.max).toBeLessThanOrEqual(5);
  });

  test('yields to the event loop between synchronous items', async () => {
    const engine = createTestEngine();
    const turns = createTurnCounter();
    engine.tool('busy', () => {
      turns.count();
      burnCpu(3);
      return {};
    });
    const items = Array.from({ length: 40 }, (_, n) => n);
    const { id } = await engine.define({ ...callTool('a', 'busy'), foreach: { items, concurrency: 40 } });
    expect((await engine.workflows.run(id)).status).toBe('COMPLETED');
    expect(turns.max).toBeLessThanOrEqual(5);
  });
});

describe('a template in a run', () => {
  test('reads outputs of tools and agents alike', async () => {
    const engine = createTestEngine();
    const value: JsonObject = { list: [{ name: 'x' }], nothing: null, number: 0 };
    engine.tool('make', () => ({ value }));
    engine.agents.register({ name: 'make', description: '', handle: () => ({ value }) });
    engine.agents.register({ name: 'echo', description: '', handle: ({ payload }) => payload });
    engine.tool('echo', (input) => input);
    const read = (from: string): JsonObject => ({
      all: `$step.${from}.value`,
      deep: [`$step.${from}.value.list.0.name`, { n: `$step.${from}.value.number` }],
    });
    const { id } = await engine.define(
      callTool('tool', 'make'),
      callAgent('agent', 'make'),
      callTool('a', 'echo', read('tool'), ['tool']),
      callTool('b', 'echo', read('agent'), ['agent']),
      callAgent('c', 'echo', read('tool'), ['tool']),
      callAgent('d', 'echo', read('agent'), ['agent']),
    );
    const run = await engine.workflows.run(id);
    for (const step of ['a', 'b', 'c', 'd']) {
      expect(resultOf(run, step).output).toEqual({ all: value, deep: ['x', { n: 0 }] });
    }
  });

  test('that cannot be resolved fails its step without calling the tool', async () => {
    const engine = createTestEngine();
    engine.tool('make', () => ({ value: 1 }));
    engine.tool('never', () => expect.fail('a step without input was run'));
    const { id } = await engine.define(
      callTool('a', 'make'),
      callTool('b', 'never', { x: '$step.a.__proto__' }, ['a']),
    );
    const run = await engine.workflows.run(id);
    expect(resultOf(run, 'b')).toMatchObject({
      status: 'FAILED',
      attempts: 0,
      error: 'the template "$step.a.__proto__" cannot be resolved: the output of step "a" has no "__proto__"',
    });
  });

  test('says that a step which was skipped has no output', async () => {
    const engine = createTestEngine();
    engine.tool('make', () => ({ value: 1 }));
    const { id } = await engine.define(
      callTool('first', 'make'),
      { ...callTool('maybe', 'make'), when: 'false' },
      callTool('last', 'make', { x: '$step.maybe.value' }, ['first', 'maybe']),
    );
    const run = await engine.workflows.run(id);
    expect(resultOf(run, 'last')).toMatchObject({
      status: 'FAILED',
      error:
        'the template "$step.maybe.value" cannot be resolved: step "maybe" did not complete and has no output',
    });
  });

  test('never reads a step that is not upstream, even one of an earlier layer', async () => {
    const engine = createTestEngine();
    engine.tool('echo', (input) => input);
    const { id } = await engine.define(
      callTool('a', 'echo', { x: 1 }),
      callTool('b', 'echo', { x: '$step.a.x' }),
      callTool('first', 'echo', { x: 1 }),
      callTool('second', 'echo', {}, ['first']),
    );
    for (let round = 0; round < 200; round++) {
      expect(resultOf(await engine.workflows.run(id), 'b')).toMatchObject({
        status: 'FAILED',
        error: 'the template "$step.a.x" names step "a", which is not upstream',
      });
    }
    const { id: other } = await engine.define(
      callTool('early', 'echo', { x: 1 }),
      callTool('first', 'echo', { x: 1 }),
      callTool('second', 'echo', { x: '$step.early.x' }, ['first']),
    );
    expect(resultOf(await engine.workflows.run(other), 'second').status).toBe('FAILED');
  });

  test('passes copies, so that steps do not share objects', async () => {
    const engine = createTestEngine();
    engine.tool('make', () => ({ value: { list: [1] } }));
    engine.tool('modify', (input) => {
      const { value, fixed } = input as { value: { list: number[] }; fixed: { list: number[] } };
      value.list.push(2);
      fixed.list.push(2);
      return input;
    });
    engine.agents.register({
      name: 'modify',
      description: '',
      handle({ payload }) {
        const { value, fixed } = payload as { value: { list: number[] }; fixed: { list: number[] } };
        value.list.push(3);
        fixed.list.push(3);
        return payload;
      },
    });
    const input = { value: '$step.a.value', fixed: { list: [0] } };
    const { id } = await engine.define(
      callTool('a', 'make'),
      callTool('b', 'modify', input, ['a']),
      callAgent('c', 'modify', input, ['a']),
      callTool('d', 'modify', { value: '$step.a.value', fixed: '$input' }, ['b', 'c']),
    );
    for (let round = 0; round < 2; round++) {
      const run = await engine.workflows.run(id, { input: { list: [9] } });
      expect(run.status).toBe('COMPLETED');
      expect(run.stepResults.map(({ output }) => output)).toEqual([
        { value: { list: [1] } },
        { value: { list: [1, 2] }, fixed: { list: [0, 2] } },
        { value: { list: [1, 3] }, fixed: { list: [0, 3] } },
        { value: { list: [1, 2] }, fixed: { list: [9, 2] } },
      ]);
      expect(run.input).toEqual({ list: [9] });
    }
    expect((await engine.workflows.get(id)).steps[1]?.staticInput).toEqual(input);
  });
});

describe('templates that multiply their values', () => {
  /** A chain of steps, each of which reads the output of the previous one `times` times. */
  const multiplyingSteps = (steps: number, times: number) => [
    callTool('s0', 'echo', { x: 'x'.repeat(1_000) }),
    ...Array.from({ length: steps }, (_, n) =>
      callTool(`s${n + 1}`, 'echo', { x: new Array(times).fill(`$step.s${n}.x`) }, [`s${n}`]),
    ),
  ];

  test.each([
    [12, 4],
    [30, 2],
    [1, 1_000],
  ])('fail one step, in a chain of %i steps that read the previous one %i times', async (steps, times) => {
    const engine = createTestEngine();
    engine.tool('echo', (input) => input);
    const { id } = await engine.define(...multiplyingSteps(steps, times));
    const run = await engine.workflows.run(id);
    const failed = run.stepResults.filter(({ status }) => status === 'FAILED');
    expect(failed.map(({ error }) => error)).toEqual([
      'the resolved input is larger than 262144 bytes of JSON',
    ]);
    expect(JSON.stringify(run).length).toBeLessThan(1_000_000);
  });

  test('fail one step when its input is nested too deeply', async () => {
    const engine = createTestEngine();
    engine.tool('echo', (input) => input);
    const steps = Array.from({ length: 100 }, (_, n) =>
      n === 0
        ? callTool('s0', 'echo', { x: 0 })
        : callTool(`s${n}`, 'echo', { x: { y: `$step.s${n - 1}.x` } }, [`s${n - 1}`]),
    );
    const { id } = await engine.define(...steps);
    const run = await engine.workflows.run(id);
    const failed = run.stepResults.filter(({ status }) => status === 'FAILED');
    expect(failed.map(({ error }) => error)).toEqual(['the resolved input is nested deeper than 64 levels']);
  });
});

describe('the outputs of a run', () => {
  test('fail a step with an output larger than 1 MiB', async () => {
    const engine = createTestEngine();
    engine.tool('big', ({ length }) => ({ x: 'x'.repeat(Number(length)) }));
    const maxLength = 1_024 * 1_024 - '{"x":""}'.length;
    const { id } = await engine.define(
      callTool('fits', 'big', { length: maxLength }),
      callTool('too_big', 'big', { length: maxLength + 1 }),
    );
    const run = await engine.workflows.run(id);
    expect(statuses(run)).toEqual({ fits: 'COMPLETED', too_big: 'FAILED' });
  });

  test('fail the step with which they are larger than 32 MiB together', async () => {
    const engine = createTestEngine({ limits: { maxConcurrentSteps: 1 } });
    engine.tool('big', () => ({ x: 'x'.repeat(1_000_000) }));
    const { id } = await engine.define(...Array.from({ length: 40 }, (_, n) => callTool(`s${n}`, 'big')));
    const run = await engine.workflows.run(id);
    const completed = run.stepResults.filter(({ status }) => status === 'COMPLETED');
    expect(completed).toHaveLength(33);
    expect(resultOf(run, 's39')).toMatchObject({
      output: null,
      error: 'the outputs of this run together are larger than 33554432 bytes of JSON',
    });
    expect(await engine.workflows.getRun(id, run.runId)).toEqual(run);
  });
});
