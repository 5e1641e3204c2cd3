import { describe, expect, test } from 'vitest';
import type { Run } from '../../../src/domain/run/run.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { burnCpu, createTurnCounter } from '../../support/event-loop.ts';
import { settle } from '../../support/fake-clock.ts';
import { askAgent, callTool, gate, workflowRig } from '../../support/workflow/rig.ts';

/** Status by step id. */
function statuses({ stepResults }: Run): Record<string, string> {
  return Object.fromEntries(stepResults.map(({ stepId, status }) => [stepId, status]));
}

function resultOf({ stepResults }: Run, id: string) {
  return stepResults.find(({ stepId }) => stepId === id) ?? expect.fail(`no step ${id}`);
}

describe('a workflow run', () => {
  test('ends with everything recorded that happened', async () => {
    const rig = workflowRig();
    rig.tool('double', async ({ number }) => {
      await rig.clock.advance(250);
      return { number: Number(number) * 2 };
    });
    rig.agents.register({ name: 'echo', description: '', handle: ({ payload }) => payload });
    const { id, createdAt } = await rig.define(
      askAgent('tell', 'echo', { result: '$step.twice.number' }, ['twice']),
      callTool('twice', 'double', { number: '$input.number' }),
    );
    const execution = await rig.workflows.run(id, { input: { number: 21 } });
    const later = '2026-01-01T00:00:00.250Z';
    expect(execution).toEqual({
      runId: '00000000-0000-7000-8000-000000000002',
      workflowId: id,
      workflowName: 'sample',
      status: 'COMPLETED',
      background: false,
      input: { number: 21 },
      error: null,
      ...{ createdAt, startedAt: createdAt, completedAt: later, durationMs: 250 },
      stepResults: [
        {
          ...{ stepId: 'tell', kind: 'agent', status: 'COMPLETED', layer: 1, attempts: 1 },
          ...{ output: { result: 42 }, error: null },
          ...{ startedAt: later, completedAt: later, durationMs: 0 },
        },
        {
          ...{ stepId: 'twice', kind: 'tool', status: 'COMPLETED', layer: 0, attempts: 1 },
          ...{ output: { number: 42 }, error: null },
          ...{ startedAt: createdAt, completedAt: later, durationMs: 250 },
        },
      ],
    });
    expect(await rig.workflows.getRun(id, execution.runId)).toEqual(execution);
  });

  test('runs the steps of a layer at the same time, and the next layer when all of them have ended', async () => {
    const rig = workflowRig();
    const slow = gate();
    const begun: string[] = [];
    rig.tool('work', async ({ name }) => {
      begun.push(String(name));
      if (name === 'slow') await slow.promise;
      return {};
    });
    const { id } = await rig.define(
      callTool('a', 'work', { name: 'slow' }),
      callTool('b', 'work', { name: 'fast' }),
      callTool('c', 'work', { name: 'after b' }, ['b']),
    );
    const running = rig.workflows.run(id);
    await settle();
    expect(begun).toEqual(['slow', 'fast']);
    slow.resolve();
    expect((await running).status).toBe('COMPLETED');
    expect(begun).toEqual(['slow', 'fast', 'after b']);
  });

  test('finishes the layer in which a step failed, then skips the rest', async () => {
    const rig = workflowRig();
    const slow = gate();
    rig.tool('fail', () => {
      throw new ToolError('out of paper', { permanent: true });
    });
    rig.tool('wait', async () => {
      await slow.promise;
      return { done: true };
    });
    rig.tool('never', () => expect.fail('a skipped step was run'));
    const { id } = await rig.define(
      callTool('bad', 'fail'),
      callTool('good', 'wait'),
      callTool('after good', 'never', {}, ['good']),
      callTool('last', 'never', {}, ['after good']),
    );
    const running = rig.workflows.run(id);
    await settle();
    slow.resolve();
    const execution = await running;
    expect(statuses(execution)).toEqual({
      bad: 'FAILED',
      good: 'COMPLETED',
      'after good': 'SKIPPED',
      last: 'SKIPPED',
    });
    expect(execution).toMatchObject({ status: 'FAILED', error: 'step "bad" failed: out of paper' });
    expect(resultOf(execution, 'bad')).toMatchObject({ error: 'out of paper', output: null, attempts: 1 });
    expect(resultOf(execution, 'last')).toMatchObject({
      ...{ attempts: 0, output: null, error: null },
      ...{ startedAt: null, completedAt: null, durationMs: null },
    });
    expect(await rig.workflows.getRun(id, execution.runId)).toEqual(execution);
  });

  test('names the first failed step and counts the others of its layer', async () => {
    const rig = workflowRig();
    rig.tool('fail', ({ text }) => {
      throw new ToolError(String(text), { permanent: true });
    });
    const { id } = await rig.define(
      ...['one', 'two', 'three'].map((text) => callTool(text, 'fail', { text })),
    );
    expect((await rig.workflows.run(id)).error).toBe('step "one" failed: one (and 2 more of its layer)');
  });

  test('fails a step whose tool or agent is not registered', async () => {
    const rig = workflowRig();
    const { id, warnings } = await rig.define(callTool('a', 'missing'), askAgent('b', 'nobody'));
    expect(warnings).toHaveLength(2);
    const execution = await rig.workflows.run(id);
    expect(resultOf(execution, 'a').error).toBe('no tool "missing" is registered');
    expect(resultOf(execution, 'b').error).toBe('no agent "nobody" is registered');
  });

  test('uses tools and agents that are registered after the definition was made', async () => {
    const rig = workflowRig();
    const { id } = await rig.define(callTool('a', 'late'));
    rig.tool('late', () => ({ here: true }));
    expect(resultOf(await rig.workflows.run(id), 'a').output).toEqual({ here: true });
  });

  test('records whatever an agent throws and goes no further', async () => {
    const rig = workflowRig();
    const thrown: unknown[] = [new Error('secret'), 'secret', null, undefined, Object.create(null), 1n];
    for (const [number, value] of thrown.entries()) {
      rig.agents.register({
        name: `agent-${number}`,
        description: '',
        handle() {
          throw value;
        },
      });
    }
    const { id } = await rig.define(...thrown.map((_, number) => askAgent(`s${number}`, `agent-${number}`)));
    const execution = await rig.workflows.run(id);
    expect(execution.stepResults.map(({ status }) => status)).toEqual(thrown.map(() => 'FAILED'));
    expect(JSON.stringify(execution)).not.toContain('secret');
  });

  test('gives each step a key of its own that is the same for every attempt', async () => {
    const rig = workflowRig();
    const keys: string[] = [];
    rig.tool('flaky', (_, { idempotencyKey, attempt }) => {
      keys.push(idempotencyKey);
      if (attempt === 1) throw new Error('try again');
      return {};
    });
    const { id } = await rig.define(callTool('pay', 'flaky'));
    const running = rig.workflows.run(id);
    await rig.clock.advance(1_000);
    const execution = await running;
    expect(keys).toEqual([`${execution.runId}:pay`, `${execution.runId}:pay`]);
    expect(resultOf(execution, 'pay')).toMatchObject({ status: 'COMPLETED', attempts: 2 });
  });

  test('sends agents their input in its own name', async () => {
    const rig = workflowRig();
    const senders: string[] = [];
    rig.agents.register({
      name: 'listener',
      description: '',
      handle({ sender, payload }) {
        senders.push(sender);
        return { payload };
      },
    });
    const { id } = await rig.define(askAgent('ask', 'listener', { x: 1 }));
    const execution = await rig.workflows.run(id);
    expect(senders).toEqual([`workflow:${execution.runId}`]);
    expect(resultOf(execution, 'ask').output).toEqual({ payload: { x: 1 } });
  });

  test('never runs more steps at the same time than it may', async () => {
    const rig = workflowRig({ limits: { maxConcurrentSteps: 7 } });
    let running = 0;
    let most = 0;
    rig.tool('work', async () => {
      running++;
      most = Math.max(most, running);
      await settle();
      running--;
      return {};
    });
    const { id } = await rig.define(...Array.from({ length: 40 }, (_, n) => callTool(`s${n}`, 'work')));
    expect((await rig.workflows.run(id)).status).toBe('COMPLETED');
    expect(most).toBe(7);
  });

  test('tells of each step and of its own end', async () => {
    const rig = workflowRig();
    rig.tool('ok', () => ({}));
    rig.tool('fail', () => {
      throw new ToolError('no', { permanent: true });
    });
    const { id } = await rig.define(
      callTool('a', 'ok'),
      callTool('b', 'fail', {}, ['a']),
      callTool('c', 'ok', {}, ['b']),
    );
    const { runId } = await rig.workflows.run(id);
    const told = rig.told.events.filter(({ type }) => type !== 'tool.executed');
    const step = { type: 'step.finished', runId, kind: 'tool', durationMs: 0 };
    expect(told).toEqual([
      { ...step, stepId: 'a', status: 'COMPLETED', error: null },
      { ...step, stepId: 'b', status: 'FAILED', error: 'no' },
      {
        ...{ type: 'run.finished', runId, workflowId: id, status: 'FAILED' },
        ...{ error: 'step "b" failed: no', durationMs: 0 },
      },
    ]);
  });

  test('takes no notice of what its caller does to the input afterwards', async () => {
    const rig = workflowRig();
    const input = { list: [1] };
    rig.tool('echo', ({ list }) => ({ list: list ?? null }));
    const { id } = await rig.define(callTool('a', 'echo', { list: '$input.list' }));
    const running = rig.workflows.run(id, { input });
    input.list.push(2);
    const execution = await running;
    expect(execution.input).toEqual({ list: [1] });
    expect(resultOf(execution, 'a').output).toEqual({ list: [1] });
  });

  test('refuses an input that is no JSON', async () => {
    const rig = workflowRig();
    const { id } = await rig.define(callTool('a', 'none'));
    const input = JSON.parse('{"x": 1e999}');
    await expect(rig.workflows.run(id, { input })).rejects.toMatchObject({
      code: 'validation',
      message: 'input: contains a number that is not finite',
    });
    expect((await rig.workflows.listRuns(id, { limit: 1, offset: 0 })).total).toBe(0);
  });

  test('lets other work run while its steps follow each other without waiting', async () => {
    const rig = workflowRig();
    const turns = createTurnCounter();
    rig.tool('busy', () => {
      turns.count();
      burnCpu(3);
      return {};
    });
    const chain = Array.from({ length: 20 }, (_, n) =>
      callTool(`s${n}`, 'busy', {}, n === 0 ? [] : [`s${n - 1}`]),
    );
    const wide = Array.from({ length: 20 }, (_, n) => callTool(`w${n}`, 'busy', {}, ['s19']));
    const { id } = await rig.define(...chain, ...wide);
    expect((await rig.workflows.run(id)).status).toBe('COMPLETED');
    expect(turns.most).toBeLessThanOrEqual(5);
  });
});

describe('a template in a run', () => {
  test('works the same whether a tool or an agent put out the value', async () => {
    const rig = workflowRig();
    const value: JsonObject = { list: [{ name: 'x' }], nothing: null, number: 0 };
    rig.tool('make', () => ({ value }));
    rig.agents.register({ name: 'make', description: '', handle: () => ({ value }) });
    rig.agents.register({ name: 'echo', description: '', handle: ({ payload }) => payload });
    rig.tool('echo', (input) => input);
    const read = (from: string): JsonObject => ({
      all: `$step.${from}.value`,
      deep: [`$step.${from}.value.list.0.name`, { n: `$step.${from}.value.number` }],
    });
    const { id } = await rig.define(
      callTool('tool', 'make'),
      askAgent('agent', 'make'),
      callTool('a', 'echo', read('tool'), ['tool']),
      callTool('b', 'echo', read('agent'), ['agent']),
      askAgent('c', 'echo', read('tool'), ['tool']),
      askAgent('d', 'echo', read('agent'), ['agent']),
    );
    const execution = await rig.workflows.run(id);
    for (const step of ['a', 'b', 'c', 'd']) {
      expect(resultOf(execution, step).output).toEqual({ all: value, deep: ['x', { n: 0 }] });
    }
  });

  test('fails its step where it cannot be resolved, without calling the tool', async () => {
    const rig = workflowRig();
    rig.tool('make', () => ({ value: 1 }));
    rig.tool('never', () => expect.fail('a step without input was run'));
    const { id } = await rig.define(
      callTool('a', 'make'),
      callTool('b', 'never', { x: '$step.a.__proto__' }, ['a']),
    );
    const execution = await rig.workflows.run(id);
    expect(resultOf(execution, 'b')).toMatchObject({
      status: 'FAILED',
      attempts: 0,
      error: 'the template "$step.a.__proto__" cannot be resolved: the output of step "a" has no "__proto__"',
    });
  });

  test('never reads a step that is not upstream, however the layers fall', async () => {
    const rig = workflowRig();
    rig.tool('echo', (input) => input);
    const { id } = await rig.define(
      callTool('a', 'echo', { x: 1 }),
      callTool('b', 'echo', { x: '$step.a.x' }),
      callTool('first', 'echo', { x: 1 }),
      callTool('second', 'echo', {}, ['first']),
    );
    for (let round = 0; round < 200; round++) {
      expect(resultOf(await rig.workflows.run(id), 'b')).toMatchObject({
        status: 'FAILED',
        error: 'the template "$step.a.x" names step "a", which is not upstream',
      });
    }
    const { id: other } = await rig.define(
      callTool('early', 'echo', { x: 1 }),
      callTool('first', 'echo', { x: 1 }),
      callTool('second', 'echo', { x: '$step.early.x' }, ['first']),
    );
    expect(resultOf(await rig.workflows.run(other), 'second').status).toBe('FAILED');
  });

  test('hands on copies, so that nobody changes what others see', async () => {
    const rig = workflowRig();
    rig.tool('make', () => ({ value: { list: [1] } }));
    rig.tool('spoil', (input) => {
      const { value, fixed } = input as { value: { list: number[] }; fixed: { list: number[] } };
      value.list.push(2);
      fixed.list.push(2);
      return input;
    });
    rig.agents.register({
      name: 'spoil',
      description: '',
      handle({ payload }) {
        const { value, fixed } = payload as { value: { list: number[] }; fixed: { list: number[] } };
        value.list.push(3);
        fixed.list.push(3);
        return payload;
      },
    });
    const input = { value: '$step.a.value', fixed: { list: [0] } };
    const { id } = await rig.define(
      callTool('a', 'make'),
      callTool('b', 'spoil', input, ['a']),
      askAgent('c', 'spoil', input, ['a']),
      callTool('d', 'spoil', { value: '$step.a.value', fixed: '$input' }, ['b', 'c']),
    );
    for (let round = 0; round < 2; round++) {
      const execution = await rig.workflows.run(id, { input: { list: [9] } });
      expect(execution.status).toBe('COMPLETED');
      expect(execution.stepResults.map(({ output }) => output)).toEqual([
        { value: { list: [1] } },
        { value: { list: [1, 2] }, fixed: { list: [0, 2] } },
        { value: { list: [1, 3] }, fixed: { list: [0, 3] } },
        { value: { list: [1, 2] }, fixed: { list: [9, 2] } },
      ]);
      expect(execution.input).toEqual({ list: [9] });
    }
    expect((await rig.workflows.get(id)).steps[1]?.staticInput).toEqual(input);
  });
});

describe('a bomb of templates', () => {
  /** Steps each of which names the one before so many times. */
  const bomb = (steps: number, times: number) => [
    callTool('s0', 'echo', { x: 'x'.repeat(1_000) }),
    ...Array.from({ length: steps }, (_, n) =>
      callTool(`s${n + 1}`, 'echo', { x: new Array(times).fill(`$step.s${n}.x`) }, [`s${n}`]),
    ),
  ];

  test.each([
    [12, 4],
    [30, 2],
    [1, 1_000],
  ])('of %i steps naming the one before %i times ends as one failed step', async (steps, times) => {
    const rig = workflowRig();
    rig.tool('echo', (input) => input);
    const { id } = await rig.define(...bomb(steps, times));
    const execution = await rig.workflows.run(id);
    const failed = execution.stepResults.filter(({ status }) => status === 'FAILED');
    expect(failed.map(({ error }) => error)).toEqual([
      'the resolved input is larger than 262144 bytes of JSON',
    ]);
    expect(JSON.stringify(execution).length).toBeLessThan(1_000_000);
  });

  test('of nesting ends as one failed step', async () => {
    const rig = workflowRig();
    rig.tool('echo', (input) => input);
    const steps = Array.from({ length: 100 }, (_, n) =>
      n === 0
        ? callTool('s0', 'echo', { x: 0 })
        : callTool(`s${n}`, 'echo', { x: { y: `$step.s${n - 1}.x` } }, [`s${n - 1}`]),
    );
    const { id } = await rig.define(...steps);
    const execution = await rig.workflows.run(id);
    const failed = execution.stepResults.filter(({ status }) => status === 'FAILED');
    expect(failed.map(({ error }) => error)).toEqual(['the resolved input is nested deeper than 64 levels']);
  });
});

describe('the outputs of a run', () => {
  test('fail the step that puts out more than a mebibyte', async () => {
    const rig = workflowRig();
    rig.tool('big', ({ length }) => ({ x: 'x'.repeat(Number(length)) }));
    const most = 1_024 * 1_024 - '{"x":""}'.length;
    const { id } = await rig.define(
      callTool('fits', 'big', { length: most }),
      callTool('too_big', 'big', { length: most + 1 }),
    );
    const execution = await rig.workflows.run(id);
    expect(statuses(execution)).toEqual({ fits: 'COMPLETED', too_big: 'FAILED' });
  });

  test('fail the step with which they are more than any store could give back', async () => {
    const rig = workflowRig({ limits: { maxConcurrentSteps: 1 } });
    rig.tool('big', () => ({ x: 'x'.repeat(1_000_000) }));
    const { id } = await rig.define(...Array.from({ length: 40 }, (_, n) => callTool(`s${n}`, 'big')));
    const execution = await rig.workflows.run(id);
    const completed = execution.stepResults.filter(({ status }) => status === 'COMPLETED');
    expect(completed).toHaveLength(33);
    expect(resultOf(execution, 's39')).toMatchObject({
      output: null,
      error: 'the outputs of this run together are larger than 33554432 bytes of JSON',
    });
    expect(await rig.workflows.getRun(id, execution.runId)).toEqual(execution);
  });
});
