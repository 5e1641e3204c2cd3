import { expect, test } from 'vitest';
import { createInbox } from '../../src/application/inbox/inbox.ts';
import { createItemWriter } from '../../src/application/inbox/item-writer.ts';
import { decideByItem } from '../../src/application/runs/run-control.ts';

import { unavailable } from '../../src/domain/errors.ts';
import { isWaiting } from '../../src/domain/inbox/item.ts';
import { defaultLimits } from '../../src/domain/limits.ts';
import { stepDecisions } from '../../src/domain/run/events.ts';
import { replay } from '../../src/domain/run/evolve.ts';
import { hasEnded } from '../../src/domain/run/run.ts';
import { type RunState, summaryOf } from '../../src/domain/run/state.ts';
import { itemAt } from '../../src/lib/array.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { testPorts } from '../support/ports.ts';
import { callTool, createTestEngine } from '../support/workflow/engine.ts';
import { createSharedLog } from '../support/workflow/shared-log.ts';

/** The outcome of a decision: accepted, or refused to its caller. */
interface SimulatedDecision {
  readonly runId: string;
  readonly by: string;
  readonly isAccepted: boolean;
}

/** Chance from a seed: a number from 0 to 1, exclusive, with each call. */
function chanceFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const effects = ['read', 'write', 'idempotent'] as const;
const recovery = { maxRecoveries: 5, unknownOutcome: 'ask' } as const;
const nothing = (): void => undefined;

/**
 * Processes that run workflow runs, are killed, frozen and shut down, and people who decide about the steps of unknown
 * outcome, cancel, retry and delete, over a log and an inbox that are slow, fail and lose replies. Chance comes from
 * `seed`.
 */
function simulateWaitingRuns(seed: number) {
  const random = chanceFrom(seed);
  const int = (count: number): number => Math.floor(random() * count);
  const pick = <T>(list: readonly T[]): T => itemAt(list, int(list.length));
  const clock = createFakeClock();
  const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
  const { open, shared } = createSharedLog();
  const { inbox } = testPorts().ports;
  const decisions: SimulatedDecision[] = [];
  const deleted = new Set<string>();
  /** The calls of `write` by idempotency key. */
  const writes = new Map<string, number>();
  let ids = 0;

  function start() {
    const log = open();
    const life = { isGone: false, isAway: false, closing: Promise.resolve(), isClosing: false };

    async function reach(): Promise<void> {
      if (life.isAway) await pause(20);
      else if (random() < 0.6) await pause(int(60));
      if (life.isAway || random() < 0.04) throw unavailable('away', 1);
    }

    async function through<T>(work: () => Promise<T>): Promise<T> {
      await reach();
      if (life.isGone) return new Promise(nothing);
      const result = await work();
      if (random() < 0.04) throw unavailable('the reply is lost', 1);
      return result;
    }

    log.beforeAppend = reach;
    const ownInbox: typeof inbox = {
      ...inbox,
      get: (itemId) => through(() => inbox.get(itemId)),
      create: (item) => through(() => inbox.create(item)),
      update: (update) => through(() => inbox.update(update)),
    };
    const engine = createTestEngine({
      ports: { runs: log.log, inbox: ownInbox, clock, random, newId: () => `id-${++ids}` },
      limits: { maxConcurrentSteps: 1 + int(3), maxBackgroundRuns: 1 + int(4), cancelGraceMs: 200 },
      recovery,
    });
    for (const effect of effects) {
      engine.tool(
        effect,
        async (input, { idempotencyKey }) => {
          if (life.isGone) return new Promise(nothing);
          if (effect === 'write') writes.set(idempotencyKey, (writes.get(idempotencyKey) ?? 0) + 1);
          await pause(int(600));
          if (random() < 0.03) throw new Error('the tool fails');
          return input;
        },
        effect,
      );
    }
    const { ports } = testPorts({ clock, inbox: ownInbox });
    const items = createItemWriter(ports);
    const people = createInbox(
      {
        ports,
        playbook: () => ports.playbook,
        items,
        settler: { settle: () => Promise.resolve() },
        getRun: (runId) => engine.control.get(runId),
        resolveStep: (item, resolution) => decideByItem(engine.control, engine.waitItems, item, resolution),
      },
      defaultLimits,
    );
    return { life, log, engine, people };
  }

  const processes = [start(), start(), start()];
  const live = () => processes.filter(({ life }) => !life.isGone && !life.isClosing);
  const runs = async () => (await shared.listAll({}, { limit: 200 })).items;

  async function newRun(): Promise<void> {
    const { define, workflows } = pick(live()).engine;
    const steps = Array.from({ length: 1 + int(5) }, (_, index) => {
      const tool = random() < 0.4 ? 'write' : pick(effects);
      return callTool(`s${index}`, tool, {}, index > 0 && random() < 0.4 ? [`s${int(index)}`] : []);
    });
    const { id } = await define(...steps);
    await workflows.run(id, { background: random() < 0.8 }).then(nothing, nothing);
  }

  /** Somebody decides about a step, by its run or by its item. */
  async function decide(): Promise<void> {
    const waits = (await runs()).flatMap(({ runId, waitingFor }) =>
      waitingFor.map(({ stepId, itemId }) => ({ runId, stepId, itemId })),
    );
    if (waits.length === 0) return;
    const { runId, stepId, itemId } = pick(waits);
    const { engine, people } = pick(live());
    const by = `person-${++ids}`;
    const decision = { outcome: pick(stepDecisions), by };
    const asked: Promise<unknown> =
      random() < 0.5 ? engine.control.resolve(runId, stepId, decision) : people.resolve(itemId, decision);
    asked.then(
      () => decisions.push({ runId, by, isAccepted: true }),
      () => decisions.push({ runId, by, isAccepted: false }),
    );
  }

  async function request(action: 'cancel' | 'retry' | 'delete'): Promise<void> {
    const found = await runs();
    if (found.length === 0) return;
    const { runId } = pick(found);
    const { control } = pick(live()).engine;
    if (action === 'delete') deleted.add(runId);
    const asked: Promise<unknown> =
      action === 'delete' ? control.delete(runId) : control[action](runId, { by: 'x', reason: null });
    asked.then(nothing, nothing);
  }

  /** Queues every run that has not ended somewhere: what nobody runs is found so. */
  async function sweep(): Promise<void> {
    for (const { runId, status } of await runs()) {
      if (!hasEnded(status)) await pick(live()).engine.runQueue.wake(runId).then(nothing, nothing);
    }
  }

  function end(kind: 'kill' | 'stop'): void {
    const { life, log, engine } = pick(live());
    processes.push(start());
    if (kind === 'stop') {
      life.isClosing = true;
      life.closing = engine.runner.close(int(200)).then(log.kill);
    } else {
      life.isGone = true;
      log.kill();
    }
  }

  function freeze(): void {
    const { log } = pick(live());
    log.freeze();
    if (random() < 0.7) clock.after(int(300), log.thaw);
  }

  function loseStore(): void {
    const { life } = pick(live());
    life.isAway = true;
    clock.after(int(1_500), () => {
      life.isAway = false;
    });
  }

  /** The happenings, each as often as its number says. */
  const happenings: readonly (readonly [number, () => unknown])[] = [
    [26, () => Promise.race([newRun(), clock.advance(100)])],
    [25, decide],
    [14, sweep],
    [14, () => end('kill')],
    [8, () => end('stop')],
    [10, freeze],
    [5, () => request('cancel')],
    [6, () => request('retry')],
    [3, () => request('delete')],
    [4, loseStore],
  ];
  const weights = happenings.flatMap(([weight, happen]) => Array.from({ length: weight }, () => happen));

  return {
    clock,
    shared,
    inbox,
    processes,
    live,
    runs,
    decide,
    sweep,
    decisions,
    deleted,
    writes,
    /** Lets one thing happen, and time pass. */
    async turn(): Promise<void> {
      await pick(weights)();
      await clock.advance(int(120));
    },
    /** Lets everything go on undisturbed, for so many times two seconds. */
    async calm(times: number): Promise<void> {
      for (let time = 0; time < times; time++) {
        await sweep();
        await clock.advance(2_000);
      }
    },
  };
}

/** The simulation of {@link simulateWaitingRuns}. */
type WaitingSimulation = ReturnType<typeof simulateWaitingRuns>;

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
