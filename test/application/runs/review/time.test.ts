import { expect, test } from 'vitest';
import { settle } from '../../../support/fake-clock.ts';
import { callTool, createTestEngine } from '../../../support/workflow/engine.ts';

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
