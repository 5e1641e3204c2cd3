import { describe, expect, test } from 'vitest';
import { replay } from '../../../src/domain/run/evolve.ts';
import { hasEnded } from '../../../src/domain/run/run.ts';
import { summaryOf } from '../../../src/domain/run/state.ts';
import { settle } from '../../support/fake-clock.ts';
import { setUpProcesses, startRun, step } from '../../support/workflow/processes.ts';

const recovery = { maxRecoveries: 9, unknownOutcome: 'ask' } as const;

type Outcome = 'completed' | 'failed' | 'retry';

/** The action of one of two callers at the same time. */
type Action = Outcome | 'cancel' | 'crash';

async function pass(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await undefined;
}

/**
 * A run that waits, alone or with a step of its layer under way in the second process, and three processes that live.
 */
async function waitingRun(isBusy: boolean, ticks: number) {
  const processes = setUpProcesses({ recovery });
  const { first, second, clock } = processes;
  const layer = isBusy ? [step('a', 'write'), step('b')] : [step('a', 'write')];
  const runId = await startRun(processes, ...layer, step('c', 'read', ['a']));
  first.process.kill();
  await second.runQueue.wake(runId);
  await settle();
  await clock.advance(100);
  const [third, fourth] = [processes.start('third'), processes.start('fourth')];
  for (const { process } of [second, third, fourth]) process.beforeAppend = () => pass(ticks);
  const { items } = await processes.inbox.list({}, { limit: 10 });
  return { processes, runId, third, fourth, itemId: items[0]?.itemId ?? expect.fail() };
}

type Waiting = Awaited<ReturnType<typeof waitingRun>>;

/** Lets two callers act, the second one `offset` microtasks later. Returns the decisions that were accepted. */
async function race(
  { processes, runId, third, fourth }: Waiting,
  actions: readonly Action[],
  offset: number,
) {
  const accepted: Outcome[] = [];
  const callers = [third, processes.second];
  const acting = actions.map(async (action, index) => {
    const { control } = callers[index] ?? expect.fail();
    await pass(index * offset);
    if (action === 'cancel') await control.cancel(runId, { by: 'ann', reason: null });
    else if (action === 'crash') processes.second.process.kill();
    else await control.resolve(runId, 'a', { outcome: action, by: action }).then(() => accepted.push(action));
  });
  const done = Promise.allSettled(acting);
  await pass(offset + 20);
  await settle();
  await processes.clock.advance(100);
  // Whoever is left finds the run where a process has crashed.
  await fourth.runQueue.wake(runId);
  await settle();
  await processes.clock.advance(20_000);
  await settle();
  // A call of a process that is gone never returns.
  if (!actions.includes('crash')) await done;
  return accepted;
}

/** Expects that everything agrees about a run after a race. */
async function expectSound({ processes, runId, itemId, fourth }: Waiting, accepted: readonly Outcome[]) {
  const stored = (await processes.shared.get(runId)) ?? expect.fail();
  const state = replay(stored);
  expect(await processes.shared.summary(runId)).toEqual(summaryOf(state));
  expect(stored.events.map(({ seq }) => seq)).toEqual(stored.events.map((_, index) => index + 1));
  const resumed = stored.events.filter((event) => event.type === 'execution.resumed');
  expect(resumed.length).toBeLessThanOrEqual(1);
  expect(stored.events.filter(({ type }) => type === 'step.waiting')).toHaveLength(1);
  expect(accepted.length).toBeLessThanOrEqual(1);
  if (accepted.length === 1) expect(resumed).toMatchObject([{ outcome: accepted[0] }]);
  const item = (await processes.inbox.get(itemId)) ?? expect.fail();
  const [decided] = resumed;
  if (decided !== undefined) {
    expect(item).toMatchObject({ status: 'resolved', resolution: { outcome: decided.outcome } });
  } else if (state.status === 'CANCELLED') {
    expect(item.status).toBe('withdrawn');
  } else {
    expect([item.status, state.status]).toEqual(['open', 'WAITING']);
  }
  if (!hasEnded(state.status)) {
    await fourth.control.cancel(runId, { by: 'bob', reason: null });
    await settle();
    await processes.endAll();
    await processes.clock.advance(20_000);
    await processes.endAll();
    const { status } = (await processes.shared.summary(runId)) ?? expect.fail();
    expect(hasEnded(status)).toBe(true);
  }
  return decided?.outcome ?? state.status;
}

describe.each([
  ['that nobody runs', false],
  ['of whose layer another step is under way elsewhere', true],
])('a decision about a step of a run %s', (_, isBusy) => {
  test.each([
    [['completed', 'failed']],
    [['completed', 'retry']],
    [['retry', 'cancel']],
    [['completed', 'cancel']],
    [['completed', 'crash']],
    [['retry', 'crash']],
  ] as const)('counts once in a race of %o, and everything agrees about it', async (actions) => {
    const seen = new Set<string>();
    for (let offset = 0; offset < 34; offset++) {
      const waiting = await waitingRun(isBusy, offset % 4);
      const order = offset % 2 === 0 || actions[1] === 'crash' ? actions : [...actions].reverse();
      const accepted = await race(waiting, order, Math.floor(offset / 2) * 2);
      seen.add(await expectSound(waiting, accepted));
    }
    expect(seen.size).toBeGreaterThan(0);
    if (actions[1] !== 'crash' && actions[1] !== 'cancel')
      expect([...seen].sort()).toEqual([...actions].sort());
  });
});
