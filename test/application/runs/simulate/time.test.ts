import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/adapters/shared/system.ts';
import { burnCpu } from '../../../support/event-loop.ts';
import { createTestSimulator, endsOf, resultOf, tool } from '../../../support/workflow/simulator.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Milliseconds between two times of a run. */
function between(from: string | null, to: string | null): number {
  return Date.parse(to ?? '') - Date.parse(from ?? '');
}

describe('the time of a simulation', () => {
  test.each([
    [999, 'COMPLETED'],
    [1_001, 'FAILED: timed out after 1000 ms'],
  ])('decides whether a step of %i ms is in time', async (delayMs, end) => {
    const { simulate } = createTestSimulator();
    const run = await simulate([tool('a', { timeoutMs: 1_000 })], { a: { output: {}, delayMs } });
    expect(endsOf(run)).toEqual({ a: end });
    expect(run.durationMs).toBe(Math.min(delayMs, 1_000));
  });

  test('is that of the longest of parallel steps', async () => {
    const { simulate } = createTestSimulator();
    const mocks = { a: { output: {}, delayMs: 3_000 }, b: { output: {}, delayMs: 7_000 } };
    const run = await simulate([tool('a'), tool('b'), tool('c', { dependsOn: ['a', 'b'] })], {
      ...mocks,
      c: { output: {} },
    });
    expect(run.durationMs).toBe(7_000);
    expect(between(run.startedAt, resultOf(run, 'a').completedAt)).toBe(3_000);
    expect(between(run.startedAt, resultOf(run, 'c').startedAt)).toBe(7_000);
  });

  test('begins now, and weeks of it pass at once', async () => {
    const { simulate, clock } = createTestSimulator();
    const run = await simulate([
      { id: 'a', kind: 'wait', durationMs: 30 * DAY },
      { id: 'b', kind: 'wait', until: '2026-06-01T00:00:00Z', dependsOn: ['a'] },
    ]);
    expect(run).toMatchObject({ status: 'COMPLETED', createdAt: '2026-01-01T00:00:00.000Z' });
    expect(run.completedAt).toBe('2026-06-01T00:00:00.000Z');
    expect(clock.pending()).toBe(0);
  });

  test('passes with the attempts of a tool and their back-off', async () => {
    const { simulate } = createTestSimulator();
    const retry = { maxAttempts: 4, backoffMs: 1_000, factor: 10, maxBackoffMs: 600_000 };
    const run = await simulate([tool('a', { retry })], { a: { error: 'no', delayMs: 10 } });
    expect(resultOf(run, 'a')).toMatchObject({ status: 'FAILED', attempts: 4, error: 'no' });
    expect(run.durationMs).toBe(4 * 10 + (1_000 + 10_000 + 100_000) / 2);
  });

  test('ends calls at the time-outs of tools and agents', async () => {
    const { simulate } = createTestSimulator({ limits: { toolTimeoutMs: 5_000, agentTimeoutMs: 7_000 } });
    const run = await simulate([tool('a'), { id: 'b', kind: 'agent', agentName: 'agent' }], {
      a: { output: {}, delayMs: HOUR },
      b: { output: {}, delayMs: HOUR },
    });
    expect(endsOf(run)).toEqual({
      a: 'FAILED: timed out after 5000 ms',
      b: 'FAILED: agent "agent" timed out after 7000 ms',
    });
  });

  test('ends a run at its time-out, while a step runs and while it waits', async () => {
    const { simulate } = createTestSimulator();
    const error = 'the workflow timed out after 60000 ms';
    const mocks = { a: { output: {}, delayMs: 8_000 } };
    const steps = Array.from({ length: 9 }, (_, index) =>
      tool(`a${index}`, { dependsOn: index === 0 ? [] : [`a${index - 1}`] }),
    );
    const all = Object.fromEntries(steps.map(({ id }) => [id, mocks.a]));
    const called = await simulate(steps, all, { timeoutMs: 60_000 });
    expect(called).toMatchObject({ status: 'FAILED', error, durationMs: 60_000 });
    expect(resultOf(called, 'a7')).toMatchObject({ status: 'FAILED', error });
    expect(resultOf(called, 'a8').status).toBe('SKIPPED');
    const waiting = await simulate([{ id: 'w', kind: 'wait', durationMs: DAY }], {}, { timeoutMs: 60_000 });
    expect(waiting).toMatchObject({ status: 'FAILED', error });
    expect(between(waiting.startedAt, waiting.completedAt)).toBe(60_000);
  });

  test('stands still while steps start, however busy the process is', async () => {
    const { simulate } = createTestSimulator();
    let isOver = false;
    const burn = (): void => {
      burnCpu(12);
      if (!isOver) setImmediate(burn);
    };
    setImmediate(burn);
    try {
      const steps = Array.from({ length: 60 }, (_, index) => tool(`s${index}`, { timeoutMs: 1_000 }));
      const mocks = Object.fromEntries(steps.map(({ id }) => [id, { output: {}, delayMs: 999 }]));
      const run = await simulate([...steps, { id: 'w', kind: 'wait', durationMs: 999 }], mocks);
      expect(run).toMatchObject({ status: 'COMPLETED', durationMs: 999 });
    } finally {
      isOver = true;
    }
  });

  test('is the same in two simulations of the same', async () => {
    const { simulate } = createTestSimulator();
    const steps = [tool('a'), tool('b'), { id: 'w', kind: 'wait', durationMs: 5 } as const];
    const mocks = { a: { error: 'no' }, b: { output: { n: 1 }, delayMs: 33 } };
    const [one, other] = [await simulate(steps, mocks), await simulate(steps, mocks)];
    expect({ ...one, workflowId: '' }).toEqual({ ...other, workflowId: '' });
  });
});

describe('a large simulation', () => {
  const clock = systemClock;

  test('of 1,000 steps keeps the event loop going', async () => {
    const { simulate } = createTestSimulator({ ports: { clock } });
    const steps = Array.from({ length: 1_000 }, (_, index) =>
      tool(`s${index}`, { dependsOn: index === 0 ? [] : [`s${index - 1}`] }),
    );
    const mocks = Object.fromEntries(steps.map(({ id }) => [id, { output: {}, delayMs: 5_000 }]));
    expect(await simulate(steps, mocks)).toMatchObject({ status: 'COMPLETED', durationMs: 5_000_000 });
  });

  test('of 1,000 items has the time of their concurrency', async () => {
    const { simulate } = createTestSimulator({ ports: { clock } });
    const items = Array.from({ length: 1_000 }, (_, index) => index);
    const run = await simulate([tool('a', { foreach: { items, concurrency: 10 } })], {
      a: { output: { ok: true }, delayMs: 1_000 },
    });
    expect(run).toMatchObject({ status: 'COMPLETED', durationMs: 100_000 });
    expect(resultOf(run, 'a').output).toMatchObject({ count: 1_000, failed: 0 });
  });

  test('of 1,000 items that wait for people comes to its end', async () => {
    const { simulate } = createTestSimulator({ ports: { clock } });
    const items = Array.from({ length: 1_000 }, (_, index) => index);
    const step = { id: 'a', kind: 'approval', title: 'ok?', foreach: { items, concurrency: 100 } } as const;
    const run = await simulate([step], { a: { delayMs: DAY } });
    expect(run.status).toBe('COMPLETED');
    expect(between(run.startedAt, run.completedAt)).toBe(10 * DAY);
  });

  test('that goes on and on is stopped', async () => {
    const { simulate, orchestrator } = createTestSimulator({ ports: { clock } });
    const items = Array.from({ length: 1_000 }, (_, index) => index);
    const { id } = await orchestrator.workflows.create({
      name: 'leaf',
      steps: [tool('x', { foreach: { items } })],
    });
    const steps = [{ id: 'x', kind: 'workflow', workflowId: id, foreach: { items } } as const];
    await expect(simulate(steps, { 'x/x': { output: {} } })).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringMatching(/^the simulation takes too much: it was stopped after /),
    });
  }, 30_000);

  test('ends when the service shuts down', async () => {
    const { define, orchestrator } = createTestSimulator({ ports: { clock } });
    const items = Array.from({ length: 1_000 }, (_, index) => index);
    const steps = Array.from({ length: 90 }, (_, index) => tool(`s${index}`, { foreach: { items } }));
    const mocks = Object.fromEntries(steps.map(({ id }) => [id, { output: {}, delayMs: 1 }]));
    const { id } = await define(steps);
    const running = orchestrator.workflows.simulate(id, { mocks });
    const ended = expect(running).rejects.toMatchObject({ code: 'unavailable' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await orchestrator.close(0);
    await ended;
  });
});
