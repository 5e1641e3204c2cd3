import { describe, expect, test } from 'vitest';
import { settle } from '../../support/fake-clock.ts';
import { callTool, createTestEngine, type TestEngineOptions } from '../../support/workflow/engine.ts';

/** An engine with tools that wait until they are released by name. */
function setUp(options: TestEngineOptions = {}) {
  const engine = createTestEngine(options);
  const waiting = new Map<string, () => void>();
  engine.tool('wait', async ({ name }, { signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.set(String(name), resolve);
    signal.addEventListener('abort', () => reject(signal.reason));
    await promise;
    return {};
  });
  const release = async (name: string) => {
    (waiting.get(name) ?? expect.fail(`${name} is not waiting`))();
    await settle();
  };
  return { ...engine, release, isWaiting: (name: string) => waiting.has(name) };
}

const wait = (id: string, dependsOn: readonly string[] = []) => callTool(id, 'wait', { name: id }, dependsOn);

describe('a run with a limited wait', () => {
  test('is returned as its record is, and continues', async () => {
    const { define, workflows, clock, release, recorded } = setUp();
    const { id } = await define(wait('a'), wait('b'), wait('c', ['a', 'b']), wait('d', ['c']));
    const running = workflows.run(id, { waitMs: 1_000 });
    await clock.advance(100);
    await release('a');
    await clock.advance(100);
    await release('b');
    await clock.advance(800);
    const run = await running;
    expect(run).toMatchObject({ status: 'RUNNING', background: false, completedAt: null, durationMs: null });
    expect(run.stepResults.map(({ status }) => status)).toEqual([
      'COMPLETED',
      'COMPLETED',
      'RUNNING',
      'PENDING',
    ]);
    expect(run).toEqual(await workflows.getRun(id, run.runId));
    await release('c');
    await release('d');
    expect(await workflows.getRun(id, run.runId)).toMatchObject({ status: 'COMPLETED', durationMs: 1_000 });
    expect(recorded.events.filter(({ type }) => type === 'run.finished')).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  test('shows the steps of its current layer that have ended', async () => {
    const { define, workflows, clock, release } = setUp();
    const { id } = await define(wait('a'), wait('b'));
    const running = workflows.run(id, { waitMs: 1_000 });
    await clock.advance(100);
    await release('a');
    await clock.advance(900);
    const { stepResults, startedAt } = await running;
    expect(stepResults).toMatchObject([{ status: 'COMPLETED' }, { status: 'RUNNING', startedAt }]);
    await release('b');
  });

  test('counts as a background run once its caller no longer waits', async () => {
    const { define, workflows, clock, release, isWaiting } = setUp({ limits: { maxBackgroundRuns: 1 } });
    const first = await define(wait('first'));
    const second = await define(wait('second'));
    const running = workflows.run(first.id, { waitMs: 1_000 });
    await clock.advance(1_000);
    await running;
    await workflows.run(second.id, { background: true });
    await settle();
    expect(isWaiting('second')).toBe(false);
    await release('first');
    expect(isWaiting('second')).toBe(true);
    await release('second');
  });

  test('goes on when the background is full, and no waiting run starts in its place', async () => {
    const { define, workflows, clock, release, isWaiting } = setUp({ limits: { maxBackgroundRuns: 1 } });
    const ids: Record<string, string> = {};
    for (const name of ['long', 'first', 'second']) ids[name] = (await define(wait(name))).id;
    const start = (name: string, request: object) => workflows.run(ids[name] ?? '', request);
    await start('first', { background: true });
    const running = start('long', { waitMs: 1_000 });
    await clock.advance(1_000);
    expect(await running).toMatchObject({ status: 'RUNNING' });
    await start('second', { background: true });
    await release('first');
    expect(isWaiting('second')).toBe(false);
    await release('long');
    expect(isWaiting('second')).toBe(true);
    await release('second');
  });

  test('gets the grace period of a shutdown, and is then interrupted', async () => {
    const { define, workflows, runner, clock } = setUp();
    const { id } = await define(wait('a'), wait('b', ['a']));
    const running = workflows.run(id, { waitMs: 1_000 });
    await clock.advance(1_000);
    const { runId } = await running;
    const closing = runner.close(5_000);
    await clock.advance(4_999);
    expect(await workflows.getRun(id, runId)).toMatchObject({ status: 'RUNNING' });
    await clock.advance(1);
    await closing;
    const { status, error, stepResults } = await workflows.getRun(id, runId);
    expect({ status, error }).toEqual({ status: 'FAILED', error: 'interrupted' });
    expect(stepResults.map((result) => result.status)).toEqual(['FAILED', 'SKIPPED']);
  });

  test('ends in a shutdown while its caller waits, as any other run', async () => {
    const { define, workflows, runner, clock, release } = setUp();
    const { id } = await define(wait('a'));
    const running = workflows.run(id, { waitMs: 60_000 });
    await settle();
    const closing = runner.close(5_000);
    await release('a');
    expect(await running).toMatchObject({ status: 'COMPLETED' });
    await closing;
    expect(clock.pending()).toBe(0);
  });
});
