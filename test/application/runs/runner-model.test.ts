import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasEnded } from '../../../src/domain/run/run.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { Step, WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import { runsOf } from '../../support/extent.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { callAgent, callTool, createTestEngine } from '../../support/workflow/engine.ts';
import { acyclicSteps, expectedStatuses } from '../../support/workflow/graphs.ts';
import { expectSoundLog } from '../../support/workflow/logs.ts';

/** The behavior of a step: its microtasks, whether it calls an agent, and whether it fails or needs a retry (if 0). */
const behaviors = fc.record({
  ticks: fc.nat({ max: 6 }),
  isAgent: fc.boolean(),
  fails: fc.nat({ max: 11 }),
  blinks: fc.nat({ max: 15 }),
});

interface Journal {
  readonly started: Map<string, number>;
  readonly ended: Map<string, number>;
  calls: number;
  running: number;
  maxRunning: number;
}

/** An engine with a tool and an agent that behave as their input says, and record when they start and end. */
function observedEngine(maxConcurrentSteps: number) {
  let journal: Journal;
  const runs = memoryRunLog({ maxRows: 10 });
  const engine = createTestEngine({ limits: { maxConcurrentSteps }, ports: { runs } });
  async function work(id: string, ticks: number, attempt: number, blinks: boolean, fails: boolean) {
    const seen = journal;
    seen.calls++;
    seen.started.set(id, seen.started.size + seen.ended.size);
    seen.running++;
    seen.maxRunning = Math.max(seen.maxRunning, seen.running);
    for (let tick = 0; tick < ticks; tick++) await undefined;
    seen.running--;
    if (blinks && attempt === 1) throw new ToolError(`${id} blinks`);
    seen.ended.set(id, seen.started.size + seen.ended.size);
    if (fails) throw new ToolError(`${id} fails`, { permanent: true });
    return { id };
  }
  engine.tool('work', ({ id, ticks, fails, blinks }, { attempt }) =>
    work(String(id), Number(ticks), attempt, blinks === true, fails === true),
  );
  engine.agents.register({
    name: 'work',
    description: '',
    handle: ({ payload: { id, ticks, fails } }) => work(String(id), Number(ticks), 1, false, fails === true),
  });
  return {
    ...engine,
    /** Forgets what was observed before. */
    begin(): Journal {
      engine.recorded.events.splice(0);
      engine.logger.lines.splice(0);
      journal = { started: new Map(), ended: new Map(), calls: 0, running: 0, maxRunning: 0 };
      return journal;
    },
    /** Runs a definition to its end, and returns the returned record. */
    async runToEnd({ id }: WorkflowDefinition, background: boolean) {
      const returned = engine.workflows.run(id, { background });
      const isEnded = () => engine.recorded.events.some(({ type }) => type === 'run.finished');
      while (!isEnded()) {
        await new Promise((resolve) => setImmediate(resolve));
        // Only steps that wait for another attempt need time to pass.
        if (!isEnded() && engine.clock.pending() > 0) await engine.clock.advance(2_000);
      }
      return returned;
    },
  };
}

function expectOrder(definition: WorkflowDefinition, journal: Journal): void {
  for (const { id, dependsOn } of definition.steps) {
    const started = journal.started.get(id);
    if (started === undefined) continue;
    for (const dependency of dependsOn) {
      if ((journal.ended.get(dependency) ?? expect.fail()) >= started) {
        expect.fail(`${id} was started before ${dependency} had ended`);
      }
    }
  }
}

describe('a run of any workflow', () => {
  test('ends as specified, in the order of its steps, within its concurrency limit, with a sound log', async () => {
    const engines = Array.from({ length: 6 }, (_, number) => observedEngine(number + 1));
    await fc.assert(
      fc.asyncProperty(
        acyclicSteps(16),
        fc.array(behaviors, { minLength: 16, maxLength: 16 }),
        fc.constantFrom(...engines.entries()),
        fc.boolean(),
        async (shape, stepBehaviors, [number, engine], background) => {
          const failing = new Set<string>();
          let blinking = 0;
          const steps = shape.map(({ id, dependsOn }, index): Step => {
            const { ticks, isAgent, ...behavior } = stepBehaviors[index] ?? expect.fail();
            const fails = behavior.fails === 0;
            const blinks = behavior.blinks === 0 && !isAgent;
            if (fails) failing.add(id);
            const [first] = dependsOn;
            const from = first === undefined ? null : `$step.${first}.id`;
            const input = { id, ticks, fails, blinks, from };
            return isAgent ? callAgent(id, 'work', input, dependsOn) : callTool(id, 'work', input, dependsOn);
          });
          const journal = engine.begin();
          const definition = await engine.define(...steps);
          const returned = await engine.runToEnd(definition, background);
          const { runId } = returned;
          const run = await engine.workflows.getRun(definition.id, runId);

          const expected = expectedStatuses(steps, failing);
          for (const { stepId, status } of run.stepResults) {
            if (status !== expected.get(stepId)) expect(`${stepId} ${status}`).toBe(expected.get(stepId));
          }
          expect(run.status).toBe(failing.size > 0 ? 'FAILED' : 'COMPLETED');
          const ran = steps.filter(({ id }) => expected.get(id) !== 'SKIPPED');
          for (const { id } of ran) {
            if (stepBehaviors[steps.findIndex((step) => step.id === id)]?.blinks === 0) {
              if (steps.find((step) => step.id === id)?.kind === 'tool') blinking++;
            }
          }
          expect(journal.calls).toBe(ran.length + blinking);
          expect(run.stepResults.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(journal.calls);
          expect(journal.maxRunning).toBeLessThanOrEqual(number + 1);
          expectOrder(definition, journal);
          const finished = engine.recorded.events.flatMap((event) =>
            event.type === 'step.finished' ? [event.stepId] : [],
          );
          expect(new Set(finished).size).toBe(ran.length);
          expect(finished).toHaveLength(ran.length);

          const text = JSON.stringify(run);
          if (hasEnded(returned.status)) expect(JSON.stringify(returned)).toBe(text);
          else expect(background).toBe(true);
          expect(JSON.stringify(await expectSoundLog(engine, runId))).toBe(text);
          expect(engine.clock.pending()).toBe(0);
        },
      ),
      { numRuns: runsOf(300, 1_000) },
    );
  });

  test('completes a chain of ten thousand steps', async () => {
    const engine = createTestEngine({ limits: { maxWorkflowSteps: 10_000 } });
    engine.tool('next', ({ n }) => ({ n: Number(n) + 1 }));
    const { id } = await engine.define(
      ...Array.from({ length: 10_000 }, (_, n) =>
        callTool(`s${n}`, 'next', { n: n === 0 ? 0 : `$step.s${n - 1}.n` }, n === 0 ? [] : [`s${n - 1}`]),
      ),
    );
    const run = await engine.workflows.run(id);
    expect(run.status).toBe('COMPLETED');
    expect(run.stepResults.at(-1)?.output).toEqual({ n: 10_000 });
  });
});
