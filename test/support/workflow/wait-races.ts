import { expect } from 'vitest';
import { hasEnded } from '../../../src/domain/run/run.ts';
import type { StepDraft } from '../../../src/domain/workflow/definition.ts';
import { ask, type Core, call, child, createCore, pause } from './core.ts';

/** When a wait of these tests ends by itself, in milliseconds. */
const DUE_MS = 1_000;

async function pass(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await undefined;
}

/** Does some work after so many turns of the event loop and so many microtasks; resolves to whether it succeeded. */
async function after(turns: number, ticks: number, work: () => Promise<unknown>): Promise<boolean> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  await pass(ticks);
  return work().then(
    () => true,
    () => false,
  );
}

/** Expects that nothing is left of ended runs: no open item, no run under way, and after a while no timer. */
async function expectNothingLeft({ open, runs, clock }: Core): Promise<void> {
  expect(await open()).toEqual([]);
  const { items } = await runs.list({}, { limit: 200 });
  expect(items.filter(({ status }) => !hasEnded(status))).toEqual([]);
  await clock.advance(15_000);
  expect(clock.pending()).toBe(0);
}

/** Lets two people answer an approval at its expiry, and expects that one of the three counts. */
export async function raceAnswers(rounds: number): Promise<void> {
  const core = createCore();
  const { inbox, clock, open, start, get, settle, eventsOf, runs } = core;
  const winners = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const runId = await start([
      ask('ok', { expiresInMs: DUE_MS, onReject: 'continue' }),
      call('after', 'echo', { dependsOn: ['ok'] }),
    ]);
    const [item] = await open();
    const { itemId } = item ?? expect.fail();
    await clock.advance(DUE_MS - 1);
    const decide = (by: string, outcome: 'approved' | 'rejected') => () =>
      inbox.resolve(itemId, { outcome, by });
    const time = clock.advance(1);
    const answers = await Promise.all([
      after(round % 8, round % 23, decide('ann', 'approved')),
      after((round * 3) % 8, (round * 7) % 29, decide('bob', 'rejected')),
    ]);
    await time;
    await settle();
    const { status, stepResults } = await get(runId);
    expect(status).toBe('COMPLETED');
    const output = stepResults[0]?.output ?? {};
    const expected = answers[0] ? 'ann' : answers[1] ? 'bob' : 'service';
    expect([output['decided_by'], answers.filter(Boolean).length <= 1]).toEqual([expected, true]);
    expect(output['approved']).toBe(expected === 'ann');
    winners.add(expected);
    expect(await eventsOf(runId, 'execution.resumed')).toHaveLength(1);
    expect((await inbox.get(itemId)).item).toMatchObject(
      expected === 'service' ? { status: 'expired' } : { status: 'resolved', resolution: { by: expected } },
    );
    await runs.delete(runId);
  }
  expect([...winners].sort()).toEqual(['ann', 'bob', 'service']);
  await expectNothingLeft(core);
}

/** The waits of a run, and the event that ends each at {@link DUE_MS}. */
const waits: Readonly<Record<string, (core: Core) => Promise<readonly StepDraft[]>>> = {
  'of a wait': async () => [pause('wait', DUE_MS)],
  'of an approval': async () => [ask('ok', { expiresInMs: DUE_MS, onExpire: 'approve' })],
  'of a child run': async ({ define }) => [child('sub', await define([pause('wait', DUE_MS)]))],
  'of a child run of a child run': async ({ define }) => [
    child(
      'sub',
      await define([
        child(
          'sub',
          await define([pause('wait', DUE_MS), ask('ok', { expiresInMs: DUE_MS, onExpire: 'approve' })]),
        ),
      ]),
    ),
  ],
  'of items that wait': async () => [
    ask('ok', { foreach: { items: [1, 2, 3], concurrency: 2 }, expiresInMs: DUE_MS, onExpire: 'approve' }),
  ],
  'of a wait beside a step': async () => [pause('wait', DUE_MS), call('tool', 'slow')],
};

/** The races of {@link raceCancel}. */
export const cancelRaces = Object.keys(waits);

/** Cancels a run at the moment at which what it waits for ends by itself, and expects one end. */
export async function raceCancel(name: string, rounds: number): Promise<void> {
  const seen = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const core = createCore();
    const { start, clock, runs, settle, get, eventsOf } = core;
    core.tool('slow', async () => {
      await new Promise<void>((resolve) => clock.after(DUE_MS, resolve));
      return {};
    });
    const steps = await waits[name]?.(core);
    const runId = await start(steps ?? []);
    await clock.advance(DUE_MS - 1);
    const time = clock.advance(1 + (round % 5) * 2);
    if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    await pass((round * 5) % 61);
    for (let turn = 0; turn < round % 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    const { isAccepted } = await runs.cancel(runId, { by: 'ann', reason: null });
    await time;
    await settle();
    await clock.advance(100);
    const { status } = await get(runId);
    if (status !== 'COMPLETED') {
      await clock.advance(3 * DUE_MS);
      await settle();
    }
    const run = await get(runId);
    seen.add(run.status);
    expect(run.status).toBe(isAccepted ? 'CANCELLED' : 'COMPLETED');
    const ends = (await eventsOf(runId)).filter(({ type }) =>
      ['execution.completed', 'execution.failed', 'execution.cancelled'].includes(type),
    );
    expect(ends).toHaveLength(1);
    await expectNothingLeft(core);
  }
  expect(seen).toContain('CANCELLED');
}
