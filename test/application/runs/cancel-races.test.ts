import { describe, expect, test } from 'vitest';
import { hasEnded } from '../../../src/domain/run/run.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { settle } from '../../support/fake-clock.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { callTool, createTestEngine } from '../../support/workflow/engine.ts';
import { expectSoundLog } from '../../support/workflow/logs.ts';

const REQUEST = { by: 'ann', reason: null };

/** A log whose writes take `ticks` microtasks before and after they are done. */
function slowLog(ticks: number): RunLog {
  const log = memoryRunLog({ maxRows: 1_000 });
  const pass = async (): Promise<void> => {
    for (let tick = 0; tick < ticks; tick++) await undefined;
  };
  return {
    ...log,
    async create(run) {
      await pass();
      const isNew = await log.create(run);
      await pass();
      return isNew;
    },
    async append(runId, expectedSeq, events, change) {
      await pass();
      const outcome = await log.append(runId, expectedSeq, events, change);
      await pass();
      return outcome;
    },
  };
}

/** An engine with a tool that ends after as many microtasks as its input says, and fails where that says so. */
function setUp(ticks: number) {
  const engine = createTestEngine({ ports: { runs: slowLog(ticks) } });
  engine.tool('work', async ({ ticks: count, fails }) => {
    for (let tick = 0; tick < Number(count); tick++) await undefined;
    if (fails === true) throw Object.assign(new Error('fails'), { permanent: true });
    return {};
  });
  return engine;
}

describe.each([0, 3])(
  'a cancel that races with the end of a run, in a store that takes %i microtasks',
  (ticks) => {
    test.each([
      ['completes', false],
      ['fails', true],
    ])('which %s either ends it as CANCELLED or leaves it unchanged', async (_, fails) => {
      const engine = setUp(ticks);
      const { id } = await engine.define(
        callTool('a', 'work', { ticks: 3 }),
        callTool('b', 'work', { ticks: 5, fails }, ['a']),
      );
      const counts = { accepted: 0, late: 0, unknown: 0 };
      for (let offset = 0; offset < 150; offset++) {
        const runId = `run-${offset}`;
        const running = engine.workflows.run(id, { runId, background: offset % 2 === 0 });
        for (let tick = 0; tick < offset; tick++) await undefined;
        const before = await engine.runs.summary(runId);
        const answer = await engine.control.cancel(runId, REQUEST).catch(() => undefined);
        await running;
        await settle();
        const run = await expectSoundLog(engine, runId);
        const { events } = await engine.control.events(runId).read(0, 200);
        const requests = events.filter(({ type }) => type === 'execution.cancel_requested').length;
        if (answer === undefined) {
          counts.unknown++;
          expect({ before, requests }).toEqual({ before: undefined, requests: 0 });
          expect(run.status).toBe(fails ? 'FAILED' : 'COMPLETED');
        } else if (answer.isAccepted) {
          counts.accepted++;
          expect({ status: run.status, error: run.error }).toEqual({
            status: 'CANCELLED',
            error: 'cancelled',
          });
          expect(requests).toBe(1);
          for (const { status } of run.stepResults) {
            expect(['COMPLETED', 'FAILED', 'CANCELLED', 'SKIPPED']).toContain(status);
          }
        } else {
          counts.late++;
          expect(run.status).toBe(fails ? 'FAILED' : 'COMPLETED');
          expect({ run: answer.run, requests }).toEqual({ run, requests: 0 });
        }
        expect(hasEnded(run.status)).toBe(true);
      }
      expect(counts.accepted).toBeGreaterThan(10);
      expect(counts.late).toBeGreaterThan(10);
      expect(engine.clock.pending()).toBe(0);
    });
  },
);

describe('several cancels of one run', () => {
  test('at any two moments end it once', async () => {
    const engine = setUp(2);
    const { id } = await engine.define(
      callTool('a', 'work', { ticks: 9 }),
      callTool('b', 'work', { ticks: 9 }, ['a']),
    );
    for (let offset = 0; offset < 150; offset++) {
      const runId = `run-${offset}`;
      const running = engine.workflows.run(id, { runId });
      for (let tick = 0; tick < 10 + (offset % 15); tick++) await undefined;
      const cancels = [engine.control.cancel(runId, REQUEST)];
      for (let tick = 0; tick < offset / 5; tick++) await undefined;
      cancels.push(engine.control.cancel(runId, { by: 'bob', reason: 'again' }));
      const answers = await Promise.allSettled(cancels);
      const { status } = await running;
      const isAccepted = answers.some((answer) => answer.status === 'fulfilled' && answer.value.isAccepted);
      expect(status).toBe(isAccepted ? 'CANCELLED' : 'COMPLETED');
      await expectSoundLog(engine, runId);
    }
    expect(engine.clock.pending()).toBe(0);
  });
});
