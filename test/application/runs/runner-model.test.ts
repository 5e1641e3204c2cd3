import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { Step, WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import { acyclicSteps, oracle } from '../../support/workflow/graphs.ts';
import { workflowRig } from '../../support/workflow/rig.ts';

/** What a run of these steps comes to, step by step, by the words of the specification. */
function model(steps: readonly Step[], failing: ReadonlySet<string>): Map<string, string> {
  const { depth } = oracle(steps);
  const failedDepths = steps.filter(({ id }) => failing.has(id)).map(depth);
  const last = Math.min(...failedDepths, Number.POSITIVE_INFINITY);
  return new Map(
    steps.map((step) => {
      if (depth(step) > last) return [step.id, 'SKIPPED'];
      return [step.id, failing.has(step.id) ? 'FAILED' : 'COMPLETED'];
    }),
  );
}

/** A step's place in time: how many microtasks it takes, and whether it is an agent's. */
const manners = fc.record({ ticks: fc.nat({ max: 6 }), agent: fc.boolean(), fails: fc.nat({ max: 7 }) });

interface Journal {
  readonly begun: Map<string, number>;
  readonly ended: Map<string, number>;
  times: number;
  running: number;
  most: number;
}

/** An engine whose one tool and one agent do what their input says, and note when. */
function observedEngine(maxConcurrentSteps: number) {
  const journal: Journal = { begun: new Map(), ended: new Map(), times: 0, running: 0, most: 0 };
  const runs = createMemoryRunStore({ maxRecords: 100 });
  const rig = workflowRig({ limits: { maxConcurrentSteps }, runs });
  async function work(id: string, ticks: number, fails: boolean) {
    journal.times++;
    journal.begun.set(id, journal.begun.size + journal.ended.size);
    journal.running++;
    journal.most = Math.max(journal.most, journal.running);
    for (let tick = 0; tick < ticks; tick++) await undefined;
    journal.running--;
    journal.ended.set(id, journal.begun.size + journal.ended.size);
    if (fails) throw new ToolError(`${id} fails`, { permanent: true });
    return { id };
  }
  rig.tool('work', ({ id, ticks, fails }) => work(String(id), Number(ticks), fails === true));
  rig.agents.register({
    name: 'work',
    description: '',
    handle: ({ payload: { id, ticks, fails } }) => work(String(id), Number(ticks), fails === true),
  });
  return { rig, journal };
}

function expectOrder(definition: WorkflowDefinition, journal: Journal): void {
  for (const { id, dependsOn } of definition.steps) {
    const begun = journal.begun.get(id);
    if (begun === undefined) continue;
    for (const dependency of dependsOn) expect(journal.ended.get(dependency)).toBeLessThan(begun);
  }
}

describe('any run', () => {
  test('comes to what the specification says, in an order that keeps all dependencies, within its bounds', async () => {
    await fc.assert(
      fc.asyncProperty(
        acyclicSteps(24),
        fc.array(manners, { minLength: 24, maxLength: 24 }),
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        async (bare, chosen, maxConcurrentSteps, background) => {
          const failing = new Set<string>();
          const steps = bare.map(({ id, dependsOn }, number): Step => {
            const { ticks, agent, fails } = chosen[number] ?? expect.fail();
            if (fails === 0) failing.add(id);
            const [first] = dependsOn;
            const staticInput = {
              id,
              ticks,
              fails: fails === 0,
              from: first === undefined ? null : `$step.${first}.id`,
            };
            const name = agent
              ? { kind: 'agent' as const, agentName: 'work' }
              : { kind: 'tool' as const, toolName: 'work' };
            return { id, dependsOn, staticInput, ...name };
          });
          const { rig, journal } = observedEngine(maxConcurrentSteps);
          const definition = await rig.define(...steps);
          const { runId } = await rig.workflows.run(definition.id, { background });
          await rig.runner.close(1_000);
          const execution = await rig.workflows.getRun(definition.id, runId);
          const expected = model(steps, failing);
          expect(new Map(execution.stepResults.map(({ stepId, status }) => [stepId, status]))).toEqual(
            expected,
          );
          expect(execution.status).toBe(failing.size > 0 ? 'FAILED' : 'COMPLETED');
          const ran = [...expected.values()].filter((status) => status !== 'SKIPPED').length;
          expect(journal.times).toBe(ran);
          expect(journal.most).toBeLessThanOrEqual(maxConcurrentSteps);
          expectOrder(definition, journal);
          const told = rig.told.events.flatMap((event) =>
            event.type === 'step.finished' ? [event.stepId] : [],
          );
          expect(new Set(told).size).toBe(ran);
          expect(told).toHaveLength(ran);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('of a chain of ten thousand steps ends as it should', async () => {
    const rig = workflowRig({ limits: { maxWorkflowSteps: 10_000 } });
    rig.tool('next', ({ n }) => ({ n: Number(n) + 1 }));
    const { id } = await rig.define(
      ...Array.from(
        { length: 10_000 },
        (_, n): Step => ({
          ...{ id: `s${n}`, kind: 'tool', toolName: 'next' },
          dependsOn: n === 0 ? [] : [`s${n - 1}`],
          staticInput: { n: n === 0 ? 0 : `$step.s${n - 1}.n` },
        }),
      ),
    );
    const execution = await rig.workflows.run(id);
    expect(execution.status).toBe('COMPLETED');
    expect(execution.stepResults.at(-1)?.output).toEqual({ n: 10_000 });
  });
});
