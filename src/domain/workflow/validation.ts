import { quote } from '../../lib/text/quote.ts';
import { cyclesAmong } from './cycles.ts';
import type { Step } from './definition.ts';
import { type DependencyGraph, type DependencyIssues, dependencyGraph, numberSteps } from './graph.ts';
import { referenceIssueText } from './input-plan.ts';
import { createIssueList, type IssueList } from './issues.ts';
import { layersOf } from './layers.ts';
import { planInputs } from './plan.ts';

/** What a definition is checked against. */
export interface ValidationRules {
  /** The most steps that a definition may have. */
  readonly maxSteps: number;
  hasTool(name: string): boolean;
  hasAgent(name: string): boolean;
}

/** What the check of a definition's steps found. */
export interface WorkflowValidation {
  /** Everything that forbids the definition, each naming its place; none when it is valid. */
  readonly faults: readonly string[];
  /** What is odd but may be right at run time. */
  readonly warnings: readonly string[];
  /** Step ids by layer; empty where there are faults. */
  readonly layers: readonly (readonly string[])[];
}

/** The most steps of a cycle that are named; the rest is counted. */
const MAX_NAMED = 100;

/** All that a definition's graph is made of: the steps, and what they wait for. */
export type StepOutline = Pick<Step, 'id' | 'dependsOn'>;

/**
 * Checks the steps of a definition and groups them into layers (specification, section 4; decisions, section 3). All
 * faults are found at once. The time grows with steps, dependencies and templates alone.
 */
export function validateWorkflow(steps: readonly Step[], rules: ValidationRules): WorkflowValidation {
  const { faults, numbers, graph, layers } = checkGraph(steps, rules.maxSteps);
  if (faults.count > 0) return { faults: faults.texts(), warnings: [], layers: [] };
  return {
    faults: [],
    warnings: warningsFor(steps, numbers, graph, layers, rules),
    layers: layers.map((layer) => layer.map((step) => idOf(steps, step))),
  };
}

/**
 * Everything that forbids the graph of a definition, whatever else its steps are, so that it can be told together
 * with faults for which there is no definition yet.
 */
export function graphIssues(steps: readonly StepOutline[], maxSteps: number): readonly string[] {
  return checkGraph(steps, maxSteps).faults.texts();
}

function checkGraph(steps: readonly StepOutline[], maxSteps: number) {
  const faults = createIssueList('faults');
  if (steps.length === 0) faults.add(() => 'steps: must hold at least one step');
  if (steps.length > maxSteps) {
    faults.add(() => `steps: must hold at most ${maxSteps} steps, but there are ${steps.length}`);
  }
  const numbers = numberSteps(steps);
  noteDuplicates(steps, numbers, faults);
  const graph = dependencyGraph(steps, numbers, dependencyFaults(steps, faults));
  const { layers, left } = layersOf(graph);
  if (left.length > 0) {
    for (const cycle of cyclesAmong(graph, left))
      faults.add(() => cycleFault(cycle.map((step) => idOf(steps, step))));
  }
  return { faults, numbers, graph, layers };
}

function noteDuplicates(
  steps: readonly StepOutline[],
  numbers: ReadonlyMap<string, number>,
  faults: IssueList,
): void {
  for (const [step, { id }] of steps.entries()) {
    const first = numbers.get(id);
    if (first !== step)
      faults.add(() => `steps.${step}.id: ${quote(id)} is already the id of steps.${first}`);
  }
}

function dependencyFaults(steps: readonly StepOutline[], faults: IssueList): DependencyIssues {
  return {
    unknown: (step, id) => faults.add(() => `steps.${step}.depends_on: names the unknown step ${quote(id)}`),
    self: (step) =>
      faults.add(() => `steps.${step}.depends_on: step ${quote(idOf(steps, step))} depends on itself`),
  };
}

/** The steps of a cycle in order: each depends on the next. */
function cycleFault(ids: readonly string[]): string {
  const named = ids.slice(0, MAX_NAMED).map(quote);
  if (ids.length > MAX_NAMED) named.push(`(${ids.length - MAX_NAMED} more)`);
  const path = [...named, quote(ids[0] ?? '')].join(' -> ');
  return `steps: there is a cycle of dependencies: ${path}`;
}

function warningsFor(
  steps: readonly Step[],
  numbers: ReadonlyMap<string, number>,
  graph: DependencyGraph,
  layers: readonly (readonly number[])[],
  rules: ValidationRules,
): readonly string[] {
  const warnings = createIssueList('warnings');
  const inputs = planInputs(steps, numbers, graph, layers);
  for (const [number, step] of steps.entries()) {
    noteTarget(step, number, rules, warnings);
    for (const { reference, fault } of inputs[number]?.references ?? []) {
      if (fault !== null)
        warnings.add(() => `steps.${number}.static_input: ${referenceIssueText(reference, fault)}`);
    }
  }
  return warnings.texts();
}

function noteTarget(step: Step, number: number, rules: ValidationRules, warnings: IssueList): void {
  if (step.kind === 'tool' && !rules.hasTool(step.toolName)) {
    warnings.add(() => `steps.${number}.tool_name: no tool ${quote(step.toolName)} is registered`);
  }
  if (step.kind === 'agent' && !rules.hasAgent(step.agentName)) {
    warnings.add(() => `steps.${number}.agent_name: no agent ${quote(step.agentName)} is registered`);
  }
}

function idOf(steps: readonly StepOutline[], number: number): string {
  return steps[number]?.id ?? '';
}
