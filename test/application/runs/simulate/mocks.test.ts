import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestSimulator, endsOf, resultOf, tool } from '../../../support/workflow/simulator.ts';

const items = [10, 20, 30, 40];

describe('a mock', () => {
  test('is what a step returns, and later steps and the output of the run see it', async () => {
    const { simulate } = createTestSimulator();
    const run = await simulate(
      [
        tool('a'),
        { id: 'b', kind: 'agent', agentName: 'agent', dependsOn: ['a'], staticInput: { n: '$step.a.n' } },
        tool('c', { dependsOn: ['b'], when: 'steps.b.ok && steps.a.n == 7' }),
      ],
      { a: { output: { n: 7 } }, b: { output: { ok: true } }, c: { output: {} } },
      { output: { sum: `$${'{{ steps.a.n + 1 }}'}`, given: '$input.x' }, input: { x: 'y' } },
    );
    expect(run).toMatchObject({ status: 'COMPLETED', simulated: true, background: false, version: 1 });
    expect(run.output).toEqual({ sum: 8, given: 'y' });
    expect(run.input).toEqual({ x: 'y' });
  });

  test('can be an error, which the policies of the step handle', async () => {
    const { simulate } = createTestSimulator();
    const error = { error: 'no' };
    const run = await simulate(
      [
        tool('a', { onError: 'continue' }),
        tool('b', { onError: { output: { none: true } } }),
        tool('c', { dependsOn: ['a'] }),
        tool('d', { dependsOn: ['b'] }),
        tool('e', { dependsOn: ['a', 'd'], runIf: 'always' }),
      ],
      { a: error, b: error, d: { output: {} }, e: { output: {} } },
    );
    expect(endsOf(run)).toEqual({
      a: 'FAILED: no',
      b: 'COMPLETED',
      c: 'SKIPPED',
      d: 'COMPLETED',
      e: 'COMPLETED',
    });
    expect(run.status).toBe('COMPLETED');
    expect(resultOf(run, 'b').output).toEqual({ none: true });
    expect(resultOf(run, 'a').attempts).toBe(3);
  });

  test('of a tool that writes fails once', async () => {
    const { simulate } = createTestSimulator();
    const run = await simulate([tool('a', { toolName: 'write' })], { a: { error: 'no' } });
    expect(run.error).toBe('step "a" failed: no');
    expect(resultOf(run, 'a').attempts).toBe(1);
  });

  test('stands in for tools and agents that are not registered yet', async () => {
    const { simulate } = createTestSimulator();
    const steps = [
      tool('a', { toolName: 'planned' }),
      { id: 'b', kind: 'agent', agentName: 'planned' } as const,
      tool('c', { toolName: 'planned' }),
    ];
    const run = await simulate(steps, { a: { output: { n: 1 } }, b: { output: { n: 2 } } });
    expect(endsOf(run)).toEqual({
      a: 'COMPLETED',
      b: 'COMPLETED',
      c: 'FAILED: no tool "planned" is registered',
    });
  });

  test('counts for each item of a step, or a list has one for each', async () => {
    const { simulate } = createTestSimulator();
    const foreach = { items, onItemError: 'continue' } as const;
    const run = await simulate(
      [
        tool('all', { foreach }),
        tool('each', { foreach, retry: { maxAttempts: 2 } }),
        { id: 'agents', kind: 'agent', agentName: 'agent', foreach },
      ],
      {
        all: { output: { ok: true } },
        each: [{ output: { n: 0 } }, { error: 'no' }, {}],
        agents: [{ error: 'a' }, { output: { b: 1 } }, { output: {} }, { error: 'd', delayMs: 5 }],
      },
    );
    expect(resultOf(run, 'all').output).toMatchObject({ results: items.map(() => ({ ok: true })) });
    const missing = 'simulate: give a mock for step "each"';
    expect(resultOf(run, 'each')).toMatchObject({ attempts: 1 + 2 + 1 + 1 });
    expect(resultOf(run, 'each').output).toEqual({
      results: [{ n: 0 }, null, null, null],
      errors: { 1: 'no', 2: missing, 3: missing },
      count: 4,
      failed: 3,
    });
    expect(resultOf(run, 'agents').output).toMatchObject({ errors: { 0: 'a', 3: 'd' } });
  });

  test('is not what the caller makes of it later', async () => {
    const { simulate } = createTestSimulator();
    const output = { list: [1] };
    const run = await simulate([tool('a')], { a: { output } });
    output.list.push(2);
    expect(resultOf(run, 'a').output).toEqual({ list: [1] });
  });

  test.each([
    [{ x: {} }, 'mocks: there is no step "x"'],
    [{ 'a/b': {} }, 'mocks: there is no step "a/b"'],
    [{ 'w/x': {} }, 'mocks: there is no step "w/x"'],
    [{ constructor: {} }, 'mocks: there is no step "constructor"'],
    [{ a: { output: {}, error: 'e' } }, 'mocks.a: has an output and an error'],
    [{ a: { delayMs: -1 } }, 'mocks.a.delay_ms: must be an integer from 0 to 2592000000'],
    [{ a: { delayMs: 0.5 } }, 'mocks.a.delay_ms: must be an integer from 0 to 2592000000'],
    [{ a: [{}] }, 'mocks.a: is a list, but the step has no foreach'],
    [{ e: [{}, { output: {}, error: 'e' }] }, 'mocks.e.1: has an output and an error'],
    [{ t: { output: {}, error: 'x' } }, 'mocks.t: has an output and an error'],
    [{ w: { delayMs: 1 } }, 'mocks.w: needs an output or an error'],
    [{ p: { error: 'e' } }, 'mocks.p.error: a person answers with an output, not with an error'],
    [{ p: { output: {} } }, 'mocks.p.output.approved: must be true or false'],
    [
      { p: { output: { approved: true, note: 1, decided_by: 2 } } },
      'mocks.p.output.note: must be a string or null; mocks.p.output.decided_by: must be a string',
    ],
    [{ a: { output: { n: Number.NaN } } }, /^mocks\.a\.output: /],
  ])('that is wrong is refused: %j', async (mocks, message) => {
    const { simulate } = createTestSimulator();
    const steps = [
      tool('a'),
      tool('e', { foreach: { items } }),
      { id: 't', kind: 'wait', durationMs: 1 },
      { id: 'w', kind: 'workflow', workflowId: 'gone' },
      { id: 'p', kind: 'approval', title: 'ok?' },
    ] as const;
    const expected = {
      code: 'validation',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    };
    await expect(simulate(steps, mocks)).rejects.toMatchObject(expected);
  });
});

describe('a step without a mock', () => {
  test('gets an output from the output schema of its tool', async () => {
    const { simulate, orchestrator } = createTestSimulator();
    const output = z.object({ id: z.string(), count: z.int().min(3), tags: z.array(z.string()).optional() });
    orchestrator.tools.register({
      name: 'typed',
      description: 'typed',
      input: z.object({}),
      output,
      execute: () => {
        throw new Error('a simulation calls nothing');
      },
    });
    const run = await simulate([tool('a', { toolName: 'typed' }), tool('b', { toolName: 'typed' })], {
      b: { delayMs: 50 },
    });
    expect(resultOf(run, 'a').output).toEqual({ id: 'text', count: 3, tags: ['text'] });
    expect(resultOf(run, 'b')).toMatchObject({ output: { count: 3 }, durationMs: 50 });
  });

  test('fails where the tool has no such schema, and for agents, at the first attempt', async () => {
    const { simulate } = createTestSimulator();
    const run = await simulate([tool('a'), { id: 'b', kind: 'agent', agentName: 'agent' }]);
    expect(endsOf(run)).toEqual({
      a: 'FAILED: simulate: give a mock for step "a"',
      b: 'FAILED: simulate: give a mock for step "b"',
    });
    expect(resultOf(run, 'a').attempts).toBe(1);
  });

  test.each([
    ['no example fits the schema', z.object({ code: z.string().regex(/^[A-Z]{3}-\d{7}$/) })],
    ['the schema has types that JSON has not', z.object({ at: z.date() })],
  ])('fails, once, where %s', async (_, output) => {
    const { simulate, orchestrator } = createTestSimulator();
    orchestrator.tools.register({
      name: 'typed',
      description: 'typed',
      input: z.object({}),
      output,
      execute: () => ({}),
    });
    const run = await simulate([tool('a', { toolName: 'typed' })]);
    expect(run.error).toBe(
      'step "a" failed: simulate: no example fits the output schema of tool "typed": give a mock for step "a"',
    );
    expect(run.stepResults[0]?.attempts).toBe(1);
  });

  test('has its input checked as any call', async () => {
    const { simulate, orchestrator } = createTestSimulator();
    orchestrator.tools.register({
      name: 'typed',
      description: 'typed',
      input: z.object({ id: z.string() }),
      execute: () => ({}),
    });
    const run = await simulate([tool('a', { toolName: 'typed' })], { a: { output: {} } });
    expect(run.error).toMatch(/^step "a" failed: invalid input: id: /);
    expect(resultOf(run, 'a').attempts).toBe(0);
  });
});
