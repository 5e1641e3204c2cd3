import { expect, test } from 'vitest';
import { isWaiting } from '../../src/domain/inbox/item.ts';
import { replay } from '../../src/domain/run/evolve.ts';
import { hasEnded } from '../../src/domain/run/run.ts';
import { type RunState, summaryOf } from '../../src/domain/run/state.ts';
import { simulateWaitingRuns, type WaitingSimulation } from '../support/workflow/waiting-simulation.ts';

const ROUNDS = 400;
const TURNS = 60;

/** The states of all runs. Expects that their logs have no gaps, and that the summaries agree with them. */
async function statesOf({ runs, shared }: WaitingSimulation): Promise<readonly RunState[]> {
  const states: RunState[] = [];
  for (const summary of await runs()) {
    const stored = (await shared.get(summary.runId)) ?? expect.fail();
    const state = replay(stored);
    expect(stored.events.map(({ seq }) => seq)).toEqual(stored.events.map((_, index) => index + 1));
    expect(summary).toEqual(summaryOf(state));
    states.push(state);
  }
  return states;
}

/** Expects that exactly the open waits have items that wait, and that ended ones say what was decided. */
async function expectItems({ inbox, deleted }: WaitingSimulation, states: readonly RunState[]) {
  const open = new Set<string>();
  for (const { head, waits } of states) {
    for (const { itemId, isOpen, decision } of waits?.values() ?? []) {
      if (isOpen) open.add(itemId);
      const item = await inbox.get(itemId);
      if (isOpen || item === undefined || isWaiting(item) || deleted.has(head.runId)) continue;
      expect([item.status, item.resolution?.outcome, item.resolution?.by]).toEqual(
        decision === null ? ['withdrawn', undefined, undefined] : ['resolved', decision.outcome, decision.by],
      );
    }
  }
  const { items } = await inbox.list({ statuses: ['open', 'claimed'] }, { limit: 200 });
  expect(items.map(({ itemId }) => itemId).sort()).toEqual([...open].sort());
}

/** Expects that each decision that was accepted is in the log, unless the run was cancelled, and one for each item. */
async function expectDecisions({ decisions, shared }: WaitingSimulation) {
  for (const { runId, by, isAccepted } of decisions) {
    const { events } = (await shared.get(runId)) ?? { events: [] };
    const resumed = events.flatMap((event) => (event.type === 'execution.resumed' ? [event] : []));
    expect(new Set(resumed.map(({ itemId }) => itemId)).size).toBe(resumed.length);
    if (!isAccepted || events.length === 0) continue;
    const isCancelled = events.some(({ type }) => type === 'execution.cancel_requested');
    if (!isCancelled) expect(resumed.map((event) => event.by)).toContain(by);
  }
}

/** Expects that no write acts again but by a decision or a retry. */
async function expectWrites({ writes, shared }: WaitingSimulation) {
  for (const [key, count] of writes) {
    const [runId = '', stepId = ''] = key.split(':');
    const stored = await shared.get(runId);
    if (stored === undefined) continue;
    const again = stored.events.filter(
      (event) =>
        (event.type === 'execution.retried' && event.steps.includes(stepId)) ||
        (event.type === 'execution.resumed' && event.stepId === stepId && event.outcome === 'retry'),
    );
    expect(count, key).toBeLessThanOrEqual(1 + again.length);
  }
}

async function round(seed: number): Promise<number> {
  const simulation = simulateWaitingRuns(seed);
  const { processes, clock, live, decide } = simulation;
  for (let turn = 0; turn < TURNS; turn++) await simulation.turn();
  for (const { life } of processes) life.isAway = false;
  await simulation.calm(20);
  const before = await statesOf(simulation);
  for (const { status } of before) expect(status === 'WAITING' || hasEnded(status)).toBe(true);
  await expectItems(simulation, before);
  await expectDecisions(simulation);
  // Finding a run that waits changes nothing.
  await simulation.calm(3);
  expect(await statesOf(simulation)).toEqual(before);

  const isOver = async () => (await simulation.runs()).every(({ status }) => hasEnded(status));
  for (let time = 0; time < 100 && !(await isOver()); time++) {
    for (let count = 0; count < 10; count++) await decide();
    await simulation.calm(1);
  }
  expect(await isOver()).toBe(true);
  await expectItems(simulation, await statesOf(simulation));
  await expectDecisions(simulation);
  await expectWrites(simulation);

  const closing = [
    ...processes.map(({ life }) => life.closing),
    ...live().map(({ engine }) => engine.runner.close(0)),
  ];
  let areClosed = false;
  void Promise.all(closing).then(() => {
    areClosed = true;
  });
  await clock.advance(30_000);
  expect(areClosed).toBe(true);
  return before.flatMap(({ waits }) => [...(waits?.values() ?? [])]).length;
}

test('whatever happens to runs that wait, their logs, their items and the decisions agree', async () => {
  let waits = 0;
  for (let seed = 1; seed <= ROUNDS; seed++) {
    waits += await round(seed).catch((error: unknown) => {
      throw new Error(`round ${seed}`, { cause: error });
    });
  }
  expect(waits).toBeGreaterThan(ROUNDS);
}, 300_000);
