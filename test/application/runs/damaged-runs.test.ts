import { expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import { ask, type Core, call, child, createCore, pause } from '../../support/workflow/core.ts';

const ERROR = 'the run cannot be continued: its log or its definition is damaged';
const HOUR = 3_600_000;

/** From now on the definition of a run has lost its steps when it is claimed. Counts the claims. */
function damage({ ports: { runs } }: Core, damagedId: string): () => number {
  const { claim } = runs;
  let claims = 0;
  Object.assign(runs, {
    async claim(runId: string) {
      const claimed = await claim(runId);
      if (claimed === undefined || runId !== damagedId) return claimed;
      claims++;
      const definition = { ...claimed.run.definition, steps: [], layers: [], createdAt: 'damaged' };
      return { ...claimed, run: { ...claimed.run, definition } };
    },
  });
  return () => claims;
}

/** A run that waits for a second, for a person and for a child run. */
async function waitingRun() {
  const core = createCore();
  const inner = await core.define([pause('long', HOUR)]);
  const runId = await core.start([pause('second', 1_000), ask('ok'), child('sub', inner)]);
  return { ...core, core, runId };
}

test('a run that cannot be continued fails, and what it waits for ends', async () => {
  const { core, runId, runs, ports, clock, logger, open, childrenOf } = await waitingRun();
  expect(await open()).toHaveLength(1);
  const claims = damage(core, runId);
  await clock.advance(20_000);
  expect(await ports.runs.summary(runId)).toMatchObject({
    status: 'FAILED',
    error: ERROR,
    waitingFor: [],
    output: null,
    completedAt: new Date(clock.now() - 19_000).toISOString(),
  });
  expect(claims()).toBe(1);
  expect(await open()).toEqual([]);
  expect(logger.lines).toContainEqual({
    level: 'error',
    message: 'a workflow run cannot be continued, and is ended',
    execution_id: runId,
    err: expect.objectContaining({ message: 'the step "second" does not exist' }),
  });
  expect(await childrenOf(runId)).toMatchObject([{ status: 'CANCELLED' }]);
  await runs.delete(runId);
  expect(await ports.runs.summary(runId)).toBeUndefined();
});

test('a run that cannot be continued is cancelled where that is asked', async () => {
  const { core, runId, runs, ports, settle } = await waitingRun();
  damage(core, runId);
  await runs.cancel(runId, { by: 'ann', reason: 'too old' });
  await settle();
  expect(await ports.runs.summary(runId)).toMatchObject({ status: 'CANCELLED', error: 'cancelled: too old' });
  const events = (await ports.runs.get(runId))?.events.map(({ type }) => type);
  expect(events?.slice(-2)).toEqual(['execution.cancel_requested', 'execution.cancelled']);
});

test('a run that cannot be continued does not stay claimed while the store is away', async () => {
  const { core, runId, ports, clock } = await waitingRun();
  const claims = damage(core, runId);
  const { append } = ports.runs;
  Object.assign(ports.runs, { append: () => Promise.reject(unavailable('the store is away', 1)) });
  await clock.advance(3_000);
  expect(claims()).toBeGreaterThan(1);
  expect((await ports.runs.summary(runId))?.status).toBe('WAITING');
  Object.assign(ports.runs, { append });
  await clock.advance(10_000);
  expect((await ports.runs.summary(runId))?.status).toBe('FAILED');
});

test('the parent of a run that cannot be continued is told', async () => {
  const core = createCore();
  const inner = await core.define([pause('second', 1_000)]);
  const runId = await core.start([child('sub', inner), call('after', 'echo', { dependsOn: ['sub'] })]);
  const [started] = await core.childrenOf(runId);
  core.orchestrator.start();
  damage(core, started?.runId ?? '');
  await core.clock.advance(10_000);
  expect((await core.get(runId)).stepResults[0]).toMatchObject({
    status: 'FAILED',
    error: `execution "${started?.runId}" ended FAILED: ${ERROR}`,
  });
});
