import type { Mocks, StepMock } from '../../../../src/application/runs/simulate/simulate.ts';
import { itemAt } from '../../../../src/lib/array.ts';
import { differences } from './compare.ts';
import { Ambiguous } from './expected.ts';
import { ANY_TIME, inputAt } from './generate.ts';
import { expectedRun } from './model.ts';
import { attemptsOf } from './model-steps.ts';
import { draftsOf, type Rig } from './rig.ts';
import {
  type Answer,
  type Behavior,
  busyText,
  forItem,
  nameOf,
  type PlannedStep,
  type Scenario,
} from './scenario.ts';

/** No list of items is longer. */
const MOST_ITEMS = 12;

/** A duration beyond any limit, in milliseconds. */
const ENDLESS_MS = 2_000_000_000;

/**
 * The scenario as mocks can play it: each attempt of a step fails, or none, nobody cancels, and every tool and agent is
 * known. Undefined where it then has no certain end.
 */
export function simulatable(scenario: Scenario): Scenario | undefined {
  const definitions = scenario.definitions.map((definition) => ({
    ...definition,
    steps: definition.steps.map((step): PlannedStep => {
      const { work } = step;
      if (work.kind !== 'tool' && work.kind !== 'agent') return step;
      const most = attemptsOf(step);
      const known = most === null ? { name: work.kind === 'tool' ? 'look' : 'asker' } : {};
      const does = work.does.map((behavior): Behavior => {
        const isFailing = behavior.failures >= (most ?? 1) || behavior.does === 'fail';
        return { ...behavior, failures: isFailing ? Number.MAX_SAFE_INTEGER : 0 };
      });
      return { ...step, work: { ...work, ...known, does } };
    }),
  }));
  const simulated = { ...scenario, definitions, cancelAfter: null, isRetried: false };
  try {
    expectedRun(simulated, inputAt(simulated, ANY_TIME), ANY_TIME);
    return simulated;
  } catch (error) {
    if (!(error instanceof Ambiguous)) throw error;
    return undefined;
  }
}

/** The mocks in place of the tools, agents and people of a scenario. */
function mocksOf({ definitions }: Scenario): Mocks {
  const mocks: Record<string, StepMock | readonly StepMock[]> = {};
  function add(number: number, path: readonly string[]): void {
    for (const step of itemAt(definitions, number).steps) {
      const { id, work, foreach } = step;
      const key = [...path, id];
      if (work.kind === 'workflow' && work.definition !== null && key.length < 8) add(work.definition, key);
      const mockAt = mockOf(step, nameOf(number, id));
      if (mockAt === undefined) continue;
      const items = Array.from({ length: MOST_ITEMS }, (_, index) => mockAt(index));
      mocks[key.join('/')] = foreach === undefined ? mockAt(0) : items;
    }
  }
  add(0, []);
  return mocks;
}

/** The mock of each item of a step; undefined for a step that takes none. */
function mockOf({ work }: PlannedStep, name: string): ((index: number) => StepMock) | undefined {
  if (work.kind === 'approval') return (index) => answerMock(forItem(work.answers, index));
  if (work.kind !== 'tool' && work.kind !== 'agent') return undefined;
  return (index) => {
    const { failures, does, output } = forItem(work.does, index);
    if (failures > 0) return { error: busyText(name) };
    return does === 'hang' ? { output, delayMs: ENDLESS_MS } : { output };
  };
}

function answerMock(answer: Answer): StepMock {
  if (answer === null) return { output: { approved: true }, delayMs: ENDLESS_MS };
  const { outcome, after, by, note, data } = answer;
  return { output: { approved: outcome === 'approved', data, note, decided_by: by }, delayMs: after };
}

/** Simulates a scenario that is {@link simulatable}. Returns what is not as it must be, one text each. */
export async function runSimulated(
  { orchestrator, ports, clock }: Rig,
  scenario: Scenario,
): Promise<string[]> {
  const ids = scenario.definitions.map(() => ports.newId());
  const drafts = draftsOf(scenario, ids);
  for (const [index, draft] of [...drafts.entries()].reverse()) {
    await orchestrator.workflows.create(draft, itemAt(ids, index));
  }
  const now = clock.now();
  const input = inputAt(scenario, now);
  const mocks = mocksOf(scenario);
  const record = await orchestrator.workflows.simulate(itemAt(ids, 0), { input, mocks });
  const runs = new Map([[record.runId, { record, events: null }]]);
  const world = { rootId: record.runId, runs, calls: null, opened: null, open: [] };
  return differences(expectedRun(scenario, input, now), world, false);
}
