import { describe, expect, test } from 'vitest';
import { settle } from '../../support/fake-clock.ts';
import { testPorts } from '../../support/ports.ts';
import { callTool, createTestEngine } from '../../support/workflow/engine.ts';

const RUN_ID = '00000000-0000-7000-8000-00000000abcd';

/** Engines over one store, with a workflow of two steps, and the calls of these. A call ends when it is told to. */
async function setUp(names: readonly string[], recovery?: { maxRecoveries: number; unknownOutcome: 'fail' }) {
  const { runs, workflows } = testPorts().ports;
  const calls: string[] = [];
  const ends: (() => void)[] = [];
  const [one, two] = names.map((name) => {
    const engine = createTestEngine({
      ports: { runs: { ...runs }, workflows },
      ...(recovery && { recovery }),
    });
    engine.tool(
      'write',
      async ({ step }, { signal }) => {
        calls.push(`${name} ${step}`);
        await new Promise<void>((resolve, reject) => {
          ends.push(resolve);
          signal.addEventListener('abort', () => reject(signal.reason));
        });
        return {};
      },
      'write',
    );
    return engine;
  });
  if (one === undefined) return expect.fail();
  const first = callTool('a', 'write', { step: 'a' });
  const { id } = await one.define(first, callTool('b', 'write', { step: 'b' }, ['a']));
  const start = (engine: typeof one, background: boolean) =>
    engine.workflows.run(id, { runId: RUN_ID, background });
  const endAll = async (): Promise<void> => {
    for (const end of ends.splice(0)) end();
    await settle();
  };
  return { one, two: two ?? one, calls, start, endAll };
}

const durable = { maxRecoveries: 3, unknownOutcome: 'fail' } as const;

describe.each([
  ['a run', undefined],
  ['a durable run', durable],
])('%s that is started twice with the same id', (_, recovery) => {
  test.each([
    ['in the background', true],
    ['while its caller waits', false],
  ])('by another process %s is not run again', async (_where, background) => {
    const { one, two, calls, start, endAll } = await setUp(['one', 'two'], recovery);
    const first = start(one, background);
    await settle();
    const again = await start(two, background);
    expect(again).toMatchObject({ runId: RUN_ID, status: 'RUNNING' });
    await endAll();
    await endAll();
    await first;
    expect(calls).toEqual(['one a', 'one b']);
    expect(await start(two, background)).toMatchObject({ runId: RUN_ID, status: 'COMPLETED' });
    await endAll();
    expect(calls).toEqual(['one a', 'one b']);
  });

  test.each([
    ['in the background', true],
    ['while its caller waits', false],
  ])('by the same process %s at the same time is not run again', async (_where, background) => {
    const { one, calls, start, endAll } = await setUp(['one'], recovery);
    const both = Promise.all([start(one, background), start(one, true), start(one, true)]);
    await settle();
    expect(calls).toEqual(['one a']);
    await one.control.cancel(RUN_ID, { by: 'ann', reason: null });
    await endAll();
    expect((await both).map(({ runId }) => runId)).toEqual([RUN_ID, RUN_ID, RUN_ID]);
    expect(await one.control.get(RUN_ID)).toMatchObject({ status: 'CANCELLED' });
    expect(one.recorded.events.filter(({ type }) => type === 'run.finished')).toHaveLength(1);
    expect(one.clock.pending()).toBe(0);
  });
});
