import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryRunStore } from '../../../src/adapters/memory/run-store.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { Step, WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import { createTestEngine } from '../../support/workflow/engine.ts';
import { acyclicSteps, oracle } from '../../support/workflow/graphs.ts';

/** The expected status of each step, by the specification. */
function expectedStatuses(steps: readonly Step[], failing: ReadonlySet<string>): Map<string, string> {
  const { depth } = oracle(steps);
  const failedDepths = steps.filter(({ id }) => failing.has(id)).map(depth);
  const lastDepth = Math.min(...failedDepths, Number.POSITIVE_INFINITY);
  return new Map(
    steps.map((step) => {
      if (depth(step) > lastDepth) return [step.id, 'SKIPPED'];
      return [step.id, failing.has(step.id) ? 'FAILED' : 'COMPLETED'];
    }),
  );
}

/** The behavior of a step: its microtasks, whether it calls an agent, and whether it fails (if 0). */
const behaviors = fc.record({ ticks: fc.nat({ max: 6 }), isAgent: fc.boolean(), fails: fc.nat({ max: 7 }) });

interface Journal {
  readonly started: Map<string, number>;
  readonly ended: Map<string, number>;
  calls: number;
  running: number;
  maxRunning: number;
}

/** An engine with a tool and an agent that behave as their input says, and record when they start and end. */
function observedEngine(maxConcurrentSteps: number) {
  const journal: Journal = { started: new Map(), ended: new Map(), calls: 0, running: 0, maxRunning: 0 };
  const runs = createMemoryRunStore({ maxRecords: 100 });
  const engine = createTestEngine({ limits: { maxConcurrentSteps }, ports: { runs } });
  async function work(id: string, ticks: number, fails: boolean) {
    journal.calls++;
    journal.started.set(id, journal.started.size + journal.ended.size);
    journal.running++;
    journal.maxRunning = Math.max(journal.maxRunning, journal.running);
    for (let tick = 0; tick < ticks; tick++) await undefined;
    journal.running--;
    journal.ended.set(id, journal.started.size + journal.ended.size);
    if (fails) throw new ToolError(`${id} fails`, { permanent: true });
    return { id };
  }
  engine.tool('work', ({ id, ticks, fails }) => work(String(id), Number(ticks), fails === true));
  engine.agents.register({
    name: 'work',
    description: '',
    handle: ({ payload: { id, ticks, fails } }) => work(String(id), Number(ticks), fails === true),
  });
  return { engine, journal };
}

function expectOrder(definition: WorkflowDefinition, journal: Journal): void {
  for (const { id, dependsOn } of definition.steps) {
    const started = journal.started.get(id);
    if (started === undefined) continue;
    for (const dependency of dependsOn) expect(journal.ended.get(dependency)).toBeLessThan(started);
  }
}

describe('a run of any workflow', () => {
  test('ends as specified, runs steps after their dependencies, and respects its concurrency limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        acyclicSteps(24),
        fc.array(behaviors, { minLength: 24, maxLength: 24 }),
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        async (shape, stepBehaviors, maxConcurrentSteps, background) => {
          const failing = new Set<string>();
          const steps = shape.map(({ id, dependsOn }, number): Step => {
            const { ticks, isAgent, fails } = stepBehaviors[number] ?? expect.fail();
            if (fails === 0) failing.add(id);
            const [first] = dependsOn;
            const staticInput = {
              id,
              ticks,
              fails: fails === 0,
              from: first === undefined ? null : `$step.${first}.id`,
            };
            const name = isAgent
              ? { kind: 'agent' as const, agentName: 'work' }
              : { kind: 'tool' as const, toolName: 'work' };
            return { id, dependsOn, staticInput, ...name };
          });
          const { engine, journal } = observedEngine(maxConcurrentSteps);
          const definition = await engine.define(...steps);
          const { runId } = await engine.workflows.run(definition.id, { background });
          await engine.runner.close(1_000);
          const run = await engine.workflows.getRun(definition.id, runId);
          const expected = expectedStatuses(steps, failing);
          expect(new Map(run.stepResults.map(({ stepId, status }) => [stepId, status]))).toEqual(expected);
          expect(run.status).toBe(failing.size > 0 ? 'FAILED' : 'COMPLETED');
          const ran = [...expected.values()].filter((status) => status !== 'SKIPPED').length;
          expect(journal.calls).toBe(ran);
          expect(journal.maxRunning).toBeLessThanOrEqual(maxConcurrentSteps);
          expectOrder(definition, journal);
          const finished = engine.recorded.events.flatMap((event) =>
            event.type === 'step.finished' ? [event.stepId] : [],
          );
          expect(new Set(finished).size).toBe(ran);
          expect(finished).toHaveLength(ran);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('completes a chain of ten thousand steps', async () => {
    const engine = createTestEngine({ limits: { maxWorkflowSteps: 10_000 } });
    engine.tool('next', ({ n }) => ({ n: Number(n) + 1 }));
    const { id } = await engine.define(
      ...Array.from(
        { length: 10_000 },
        (_, n): Step => ({
          ...{ id: `s${n}`, kind: 'tool', toolName: 'next' },
          dependsOn: n === 0 ? [] : [`s${n - 1}`],
          staticInput: { n: n === 0 ? 0 : `$step.s${n - 1}.n` },
        }),
      ),
    );
    const run = await engine.workflows.run(id);
    expect(run.status).toBe('COMPLETED');
    expect(run.stepResults.at(-1)?.output).toEqual({ n: 10_000 });
  });
});
