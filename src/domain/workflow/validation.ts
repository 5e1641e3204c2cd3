import { itemAt } from '../../lib/array.ts';
import { quote } from '../../lib/text/quote.ts';
import { findCycles } from './cycles.ts';
import type { Step } from './definition.ts';
import { type DependencyIssues, dependencyGraph, indexSteps } from './graph.ts';
import { createIssueList, type IssueList } from './issues.ts';
import { computeLayers } from './layers.ts';
import { compileInputs, type IndexedSteps } from './plan.ts';
import { referenceIssueText } from './step-input.ts';

/** The rules for a definition. */
export interface ValidationRules {
  /** Maximum number of steps of a definition. */
  readonly maxSteps: number;
  /** Whether a tool of that name is registered. */
  hasTool(name: string): boolean;
  /** Whether an agent of that name is registered. */
  hasAgent(name: string): boolean;
}

/** The result of validating a definition's steps. */
export interface WorkflowValidation {
  /** Why the definition is not valid, as `field: problem`; empty when it is. */
  readonly issues: readonly string[];
  /** Probable mistakes that may be correct when the workflow runs. */
  readonly warnings: readonly string[];
  /** Step ids by layer; empty where there are issues. */
  readonly layers: readonly (readonly string[])[];
}

/** Maximum number of steps of a cycle that an issue names; further ones are counted. */
const MAX_NAMED_STEPS = 100;

/** The parts of a step that define the dependency graph. */
export type StepOutline = Pick<Step, 'id' | 'dependsOn'>;

/**
 * Validates the steps of a definition and groups them into layers (specification, section 4; decisions, section 3).
 * All issues are found at once. The time is linear in steps, dependencies and templates.
 */
export function validateWorkflow(steps: readonly Step[], rules: ValidationRules): WorkflowValidation {
  const { issues, indexes, graph, layers } = validateGraph(steps, rules.maxSteps);
  if (issues.count > 0) return { issues: issues.texts(), warnings: [], layers: [] };
  return {
    issues: [],
    warnings: findWarnings({ steps, indexes, graph, layers }, rules),
    layers: layers.map((layer) => layer.map((step) => itemAt(steps, step).id)),
  };
}

/** The issues of a definition's graph alone, for a definition whose other parts are not valid either. */
export function graphIssues(steps: readonly StepOutline[], maxSteps: number): readonly string[] {
  return validateGraph(steps, maxSteps).issues.texts();
}

function validateGraph(steps: readonly StepOutline[], maxSteps: number) {
  const issues = createIssueList('issues');
  if (steps.length === 0) issues.add(() => 'steps: must contain at least one step');
  if (steps.length > maxSteps) {
    issues.add(() => `steps: must contain at most ${maxSteps} steps, but there are ${steps.length}`);
  }
  const indexes = indexSteps(steps);
  addDuplicateIssues(steps, indexes, issues);
  const graph = dependencyGraph(steps, indexes, dependencyIssues(steps, issues));
  const { layers, unplaced } = computeLayers(graph);
  for (const cycle of findCycles(graph, unplaced)) {
    issues.add(() => cycleIssue(cycle.map((step) => itemAt(steps, step).id)));
  }
  return { issues, indexes, graph, layers };
}

function addDuplicateIssues(
  steps: readonly StepOutline[],
  indexes: ReadonlyMap<string, number>,
  issues: IssueList,
): void {
  for (const [index, { id }] of steps.entries()) {
    const first = indexes.get(id);
    if (first !== index) {
      issues.add(() => `steps.${index}.id: ${quote(id)} is already the id of steps.${first}`);
    }
  }
}

function dependencyIssues(steps: readonly StepOutline[], issues: IssueList): DependencyIssues {
  return {
    unknown: (step, id) => issues.add(() => `steps.${step}.depends_on: names the unknown step ${quote(id)}`),
    self: (step) =>
      issues.add(() => `steps.${step}.depends_on: step ${quote(itemAt(steps, step).id)} depends on itself`),
  };
}

/** The issue of a cycle. Each of the ids depends on the next, the last on the first. */
function cycleIssue(ids: readonly string[]): string {
  const named = ids.slice(0, MAX_NAMED_STEPS).map(quote);
  if (ids.length > MAX_NAMED_STEPS) named.push(`(${ids.length - MAX_NAMED_STEPS} more)`);
  const path = [...named, quote(itemAt(ids, 0))].join(' -> ');
  return `steps: there is a cycle of dependencies: ${path}`;
}

function findWarnings(workflow: IndexedSteps, rules: ValidationRules): readonly string[] {
  const warnings = createIssueList('warnings');
  const inputs = compileInputs(workflow);
  for (const [index, step] of workflow.steps.entries()) {
    addTargetWarning(step, index, rules, warnings);
    for (const { reference, issue } of itemAt(inputs, index).references) {
      if (issue === null) continue;
      warnings.add(() => `steps.${index}.static_input: ${referenceIssueText(reference, issue)}`);
    }
  }
  return warnings.texts();
}

function addTargetWarning(step: Step, index: number, rules: ValidationRules, warnings: IssueList): void {
  if (step.kind === 'tool' && !rules.hasTool(step.toolName)) {
    warnings.add(() => `steps.${index}.tool_name: no tool ${quote(step.toolName)} is registered`);
  }
  if (step.kind === 'agent' && !rules.hasAgent(step.agentName)) {
    warnings.add(() => `steps.${index}.agent_name: no agent ${quote(step.agentName)} is registered`);
  }
}
