import { scenarioOf } from './generate.ts';
import { createRig, type Rig } from './rig.ts';
import type { Scenario } from './scenario.ts';
import { runSimulated, simulatable } from './simulated.ts';

/** The number of scenarios that share an orchestrator. */
const SCENARIOS_PER_RIG = 25;

/** Runs a scenario on an orchestrator. Returns what is not as it must be, one text each. */
export type RunScenario = (rig: Rig, scenario: Scenario) => Promise<string[]>;

/** Runs the scenarios of so many seeds. Throws for the first one that does not end as it must. */
export async function runSeeds(run: RunScenario, first: number, count: number): Promise<void> {
  let rig = createRig();
  for (let seed = first; seed < first + count; seed++) {
    if ((seed - first) % SCENARIOS_PER_RIG === 0) rig = createRig();
    const scenario = scenarioOf(seed);
    const issues = await run(rig, scenario).catch((error: unknown) => [String(error)]);
    if (issues.length > 0) throw new Error(report(scenario, issues));
  }
}

/** Simulates a scenario, as far as mocks can play it. */
export async function runInSimulation(rig: Rig, scenario: Scenario): Promise<string[]> {
  const simulated = simulatable(scenario);
  return simulated === undefined ? [] : runSimulated(rig, simulated);
}

/** The text of a failure: the seed, the faults, and the scenario as JSON. */
export function report(scenario: Scenario, issues: readonly string[]): string {
  return [`seed ${scenario.seed}:`, ...issues, JSON.stringify(scenario)].join('\n');
}
