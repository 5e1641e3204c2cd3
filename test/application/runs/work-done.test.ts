import { describe, expect, test } from 'vitest';
import { createMemoryRecordStore } from '../../../src/adapters/memory/record-store.ts';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import { createAgentBus } from '../../../src/application/agents/bus.ts';
import { createAgentRegistry } from '../../../src/application/agents/registry.ts';
import { createRouting } from '../../../src/application/routing/route-goal.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import { type RoutingResult, summarizeRouting } from '../../../src/domain/routing/routing.ts';
import type { WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import { planWorkflow } from '../../../src/domain/workflow/plan.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { countingIds, noTelemetry, recordEvents, recordLogs } from '../../support/fakes.ts';
import { countWork } from '../../support/work/count-work.ts';
import { allocatedBytes, heldBytes } from '../../support/work/heap.ts';
import { askAgent, callTool, workflowRig } from '../../support/workflow/rig.ts';
import { expectAtMost, ofEach, type Work, workOf } from '../../support/workflow/work.ts';

/** A run of so many steps, all in one layer or one after the other, whose worker answers at once or by a promise. */
async function workOfRun(steps: number, kind: string, shape: string, way: string): Promise<Work> {
  const rig = workflowRig({ limits: { maxWorkflowSteps: 10_000 } });
  rig.tool('at-once', () => ({ done: true }));
  rig.tool('later', async () => ({ done: true }));
  rig.agents.register({ name: 'at-once', description: '', handle: () => ({ done: true }) });
  rig.agents.register({ name: 'later', description: '', handle: async () => ({ done: true }) });
  const stepOf = kind === 'tool' ? callTool : askAgent;
  const { id } = await rig.define(
    ...Array.from({ length: steps }, (_, n) =>
      stepOf(`s${n}`, way, {}, shape === 'layer' || n === 0 ? [] : [`s${n - 1}`]),
    ),
  );
  return workOf(rig.clock, async () => {
    expect((await rig.workflows.run(id)).status).toBe('COMPLETED');
  });
}

describe('a step of a run', () => {
  // Beside what its layer takes: that is saved before the next begins, which takes three promises and a look.
  test.each([
    ['tool', 'at-once', 'layer', { promises: 0, looks: 3, timers: 0, left: 0 }],
    ['tool', 'at-once', 'chain', { promises: 3, looks: 4, timers: 0, left: 0 }],
    ['tool', 'later', 'layer', { promises: 10, looks: 3, timers: 1, left: 0 }],
    ['tool', 'later', 'chain', { promises: 13, looks: 4, timers: 1, left: 0 }],
    ['agent', 'at-once', 'layer', { promises: 0, looks: 4, timers: 0, left: 0 }],
    ['agent', 'at-once', 'chain', { promises: 3, looks: 5, timers: 0, left: 0 }],
    ['agent', 'later', 'layer', { promises: 10, looks: 4, timers: 1, left: 0 }],
    ['agent', 'later', 'chain', { promises: 13, looks: 5, timers: 1, left: 0 }],
  ])('whose %s answers %s takes no more work than it must in a %s', async (kind, way, shape, most) => {
    const hundred = await workOfRun(100, kind, shape, way);
    const twoHundred = await workOfRun(200, kind, shape, way);
    expectAtMost(ofEach(hundred, twoHundred), most);
  });

  test('takes no more work in a chain of 10,000', async () => {
    const almost = await workOfRun(9_900, 'tool', 'chain', 'at-once');
    const whole = await workOfRun(10_000, 'tool', 'chain', 'at-once');
    expectAtMost(ofEach(almost, whole), { promises: 3, looks: 4, timers: 0, left: 0 });
  });
});

describe('what a run leaves in memory', () => {
  /** Runs of a chain of so many steps, none of which is remembered but the last. */
  async function chainOf(steps: number): Promise<() => Promise<unknown>> {
    const runs = createMemoryRunStore({ maxRecords: 1 });
    const rig = workflowRig({
      limits: { maxWorkflowSteps: 10_000 },
      runs,
      events: () => {},
      logger: silentLogger,
    });
    rig.tool('nothing', () => ({}));
    const { id } = await rig.define(
      ...Array.from({ length: steps }, (_, n) =>
        callTool(`s${n}`, 'nothing', {}, n === 0 ? [] : [`s${n - 1}`]),
      ),
    );
    return () => rig.workflows.run(id);
  }

  test('is garbage that grows with its steps alone', async () => {
    const short = (await allocatedBytes(await chainOf(50))) / 50;
    const long = (await allocatedBytes(await chainOf(500))) / 500;
    // 8,000 before anything is compiled, the check by zod included, and 4,500 at last.
    expect(short).toBeLessThan(12_000);
    expect(long).toBeLessThan(1.5 * short);
  });

  test('is nothing but its record, however often a workflow of 10,000 steps is run', async () => {
    const run = await chainOf(10_000);
    for (let round = 0; round < 2; round++) await run();
    const before = heldBytes();
    for (let round = 0; round < 3; round++) await run();
    // A record of 10,000 steps takes 2.5 MB.
    expect(heldBytes() - before).toBeLessThan(1_000_000);
  });
});

describe('a definition', () => {
  /** A chain, each of whose steps reads outputs of the one before and of the first of all. */
  function chain(length: number): WorkflowDefinition {
    const steps = Array.from({ length }, (_, n) =>
      callTool(
        `s${n}`,
        'echo',
        n < 2 ? {} : { x: `$step.s${n - 1}.x`, y: '$step.s0.x' },
        n === 0 ? [] : [`s${n - 1}`],
      ),
    );
    const layers = steps.map(({ id }) => [id]);
    return { id: 'chain', name: '', description: '', steps, layers, warnings: [], createdAt: '' };
  }

  test('is made ready to run in a time that grows with its size alone', () => {
    const [short, long] = [chain(1_000), chain(10_000)];
    const [some, many] = [countWork(() => planWorkflow(short)), countWork(() => planWorkflow(long))];
    expect(some).toBeGreaterThan(1_000);
    // Ids of more digits are read by more looks.
    expect(many).toBeLessThan(some * 11);
  });
});

/** A goal of so many subtasks for one agent that answers at once or by a promise. */
async function workOfRouting(subtasks: number, agentName: string) {
  const clock = createFakeClock();
  const told = recordEvents();
  const newId = countingIds();
  let ids = 0;
  const limits = { ...defaultLimits, maxSubtasks: 1_000 };
  const agents = createAgentRegistry();
  agents.register({ name: 'at-once', description: '', handle: () => ({}) });
  agents.register({ name: 'later', description: '', handle: async () => ({}) });
  const ports = {
    clock,
    logger: recordLogs(),
    events: told.sink,
    telemetry: noTelemetry,
    storage: { assertAvailable() {} },
    newId: () => {
      ids++;
      return newId();
    },
    decompose: () => expect.fail('asked a decomposer although there are subtasks'),
    routes: createMemoryRecordStore({
      idOf: ({ routingId }: RoutingResult) => routingId,
      summarize: summarizeRouting,
      maxRecords: 100,
    }),
  };
  const routing = createRouting(ports, { agents, bus: createAgentBus(ports, agents, limits) }, limits);
  const { signal } = new AbortController();
  const request = { goal: 'count', subtasks: new Array(subtasks).fill({ agentName, payload: {} }), signal };
  const work = await workOf(clock, async () => {
    expect((await routing.route(request)).status).toBe('completed');
  });
  return { ...work, ids, events: told.events.length };
}

/** One look before and one after each subtask, and one more for every eighth: whether others wait for long. */
const looks = 2.13;

describe('a subtask of a routed goal', () => {
  test.each([
    ['at-once', { promises: 0, looks, timers: 0, left: 0 }],
    ['later', { promises: 9, looks, timers: 1, left: 0 }],
  ])('whose agent answers %s takes no more work than it must', async (agentName, most) => {
    const hundred = await workOfRouting(100, agentName);
    const twoHundred = await workOfRouting(200, agentName);
    expectAtMost(ofEach(hundred, twoHundred), most);
    expect([twoHundred.ids, twoHundred.events]).toEqual([201, 201]);
  });
});
