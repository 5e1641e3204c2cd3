import { describe, expect, test } from 'vitest';
import { defaultRecoveryPolicy } from '../../../../src/domain/run/recover.ts';
import type { Step } from '../../../../src/domain/workflow/definition.ts';
import { settle } from '../../../support/fake-clock.ts';
import { callTool, createTestEngine } from '../../../support/workflow/engine.ts';
import { setUpProcesses, step } from '../../../support/workflow/processes.ts';

test('a step whose turn comes after the time of its run is not called', async () => {
  const engine = createTestEngine();
  const { clock, workflows } = engine;
  const called: string[] = [];
  engine.tool('slow', (input, { signal }) => {
    called.push(String(input['id']));
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  const steps = [callTool('a', 'slow', { id: 'a' }), callTool('b', 'slow', { id: 'b' })];
  const definition = { name: 'n', description: '', steps, timeoutMs: 1_000, maxConcurrentSteps: 1 };
  const { id } = await workflows.create(definition);
  const running = workflows.run(id);
  await clock.advance(1_000);
  await clock.advance(60_000);
  const run = await running;
  expect(called).toEqual(['a']);
  expect(run).toMatchObject({ status: 'FAILED', error: 'the workflow timed out after 1000 ms' });
  expect(run.stepResults.map(({ error }) => error)).toEqual([
    'the workflow timed out after 1000 ms',
    'the workflow timed out after 1000 ms',
  ]);
});

test.each([
  { runs: 'durable', recovery: defaultRecoveryPolicy },
  { runs: 'not durable', recovery: undefined },
])(
  'of a layer with more steps than may run at once, none begins after the time of its run: $runs',
  async (given) => {
    const engine = createTestEngine(given.recovery === undefined ? {} : { recovery: given.recovery });
    const { clock, workflows } = engine;
    const called: string[] = [];
    engine.tool('slow', async (input, { signal }) => {
      called.push(String(input['id']));
      await Promise.race([
        new Promise<void>((resolve) => clock.after(400, resolve)),
        new Promise((resolve) => signal.addEventListener('abort', resolve)),
      ]);
      signal.throwIfAborted();
      return {};
    });
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    const steps = [
      ...ids.map((id) => callTool(id, 'slow', { id })),
      { ...callTool('clean', 'slow', { id: 'clean' }), runIf: 'always' as const },
      callTool('later', 'slow', { id: 'later' }, ['a']),
    ];
    const definition = { name: 'n', description: '', steps, timeoutMs: 1_000, maxConcurrentSteps: 2 };
    const { id } = await workflows.create(definition);
    const { runId } = await workflows.run(id, { background: true });
    await clock.advance(999);
    expect(called).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await clock.advance(1);
    await clock.advance(60_000);
    expect(called).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'clean']);
    const run = await engine.control.get(runId);
    expect(run).toMatchObject({ status: 'FAILED', error: 'the workflow timed out after 1000 ms' });
    expect(run.stepResults.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual([
      ...['COMPLETED 1', 'COMPLETED 1', 'COMPLETED 1', 'COMPLETED 1', 'FAILED 1', 'FAILED 1'],
      ...['FAILED 0', 'FAILED 0', 'FAILED 0', 'COMPLETED 1', 'SKIPPED 0'],
    ]);
    expect(clock.pending()).toBe(0);
  },
);

describe('the process that continues a run in the middle of a layer', () => {
  const TOO_LATE = 'the workflow timed out after 1000 ms';

  /**
   * A run of at most 1,000 ms whose first process is gone: `a` has ended, `b` was under way, `c` and `d` had not begun.
   */
  async function continuedAt(now: number, a: Step) {
    const { first, second, clock, called, calls, recordOf } = setUpProcesses();
    const steps = [a, step('b'), step('c'), step('d')];
    const definition = { name: 'n', description: '', steps, timeoutMs: 1_000, maxConcurrentSteps: 1 };
    const { id } = await first.workflows.create(definition);
    const { runId } = await first.workflows.run(id, { background: true });
    await settle();
    if (called()[0] === 'first a') calls[0]?.end();
    await clock.advance(100);
    expect(called().at(-1)).toBe('first b');
    const before = calls.length;
    first.process.kill();
    await clock.advance(now - 100);
    await second.runQueue.wake(runId);
    await settle();
    return { called: called().slice(before), run: await recordOf(runId) };
  }

  const unknown = callTool('a', 'missing');

  test.each([step('a'), unknown])(
    'goes on just before the time of the run is over, after $toolName',
    async (a) => {
      const { called, run } = await continuedAt(999, a);
      expect([called, run.status]).toEqual([['second b'], 'RUNNING']);
    },
  );

  test.each([
    { a: step('a'), status: 'COMPLETED', error: TOO_LATE },
    { a: unknown, status: 'FAILED', error: 'step "a" failed: no tool "missing" is registered' },
  ])('starts none of its steps after that, where the first one is $status', async ({ a, status, error }) => {
    const { called, run } = await continuedAt(1_000, a);
    expect(called).toEqual([]);
    expect(run).toMatchObject({ status: 'FAILED', error });
    expect(run.stepResults.map((result) => result.status)).toEqual([status, 'SKIPPED', 'SKIPPED', 'SKIPPED']);
  });
});

test('a run whose time is over sets no timer that is due at once while a last step runs', async () => {
  const engine = createTestEngine();
  const { clock, workflows } = engine;
  const tool = Promise.withResolvers<void>();
  engine.tool('last', async () => {
    await tool.promise;
    return {};
  });
  const { id } = await workflows.create({
    name: 'n',
    description: '',
    timeoutMs: 1_000,
    steps: [
      { id: 'pause', kind: 'wait', dependsOn: [], durationMs: 5_000 },
      { ...callTool('last', 'last', {}, ['pause']), runIf: 'always' },
    ],
  });
  const running = workflows.run(id);
  await clock.advance(999);
  const before = clock.waits.length;
  await clock.advance(1);
  await settle();
  expect(clock.waits.slice(before).filter((ms) => ms === 0)).toEqual([]);
  tool.resolve();
  expect((await running).error).toBe('the workflow timed out after 1000 ms');
});

test('an approval expires although its item could not be opened', async () => {
  const engine = createTestEngine();
  const { clock, workflows, inbox } = engine;
  Object.assign(inbox, { create: () => Promise.reject(new Error('the inbox is full')) });
  const { id } = await workflows.create({
    name: 'n',
    description: '',
    steps: [{ id: 'ask', kind: 'approval', title: 'May I?', dependsOn: [], expiresInMs: 5_000 }],
  });
  const { runId } = await workflows.run(id, { background: true });
  await clock.advance(10_000);
  expect(await engine.control.get(runId)).toMatchObject({ status: 'FAILED', waitingFor: [] });
});
