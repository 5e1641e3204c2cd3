import { pendingResults, type StepResult } from '../run/run.ts';
import type { Step, WorkflowDefinition } from './definition.ts';
import { type DependencyGraph, dependencyGraph, numberSteps } from './graph.ts';
import { type InputPlan, type PlannedReference, planInput } from './input-plan.ts';
import { notUpstream } from './upstream.ts';

/** A definition made ready to run: everything by the steps' numbers, their inputs read. */
export interface WorkflowPlan {
  readonly definition: WorkflowDefinition;
  /** The numbers of the steps, layer by layer. */
  readonly layers: readonly (readonly number[])[];
  /** The input of each step. */
  readonly inputs: readonly InputPlan[];
  /** The result of each step before it runs: the same records for all runs. */
  readonly pending: readonly StepResult[];
}

/** Makes a valid definition ready to run. The time grows with the definition's size. */
export function planWorkflow(definition: WorkflowDefinition): WorkflowPlan {
  const { steps } = definition;
  const numbers = numberSteps(steps);
  const layers = definition.layers.map((ids) => ids.map((id) => numbers.get(id) ?? 0));
  const inputs = planInputs(steps, numbers, dependencyGraph(steps, numbers), layers);
  return { definition, layers, inputs, pending: pendingResults(steps, layers) };
}

/** Reads the inputs of all steps; references to steps that are not upstream are marked as faulty. */
export function planInputs(
  steps: readonly Step[],
  numbers: ReadonlyMap<string, number>,
  graph: DependencyGraph,
  layers: readonly (readonly number[])[],
): InputPlan[] {
  const numberOf = (stepId: string): number | undefined => numbers.get(stepId);
  const inputs = steps.map(({ staticInput }) => planInput(staticInput, numberOf));
  const questions: { step: number; target: number; planned: PlannedReference }[] = [];
  for (const [step, { references }] of inputs.entries()) {
    for (const planned of references) {
      if (planned.source >= 0) questions.push({ step, target: planned.source, planned });
    }
  }
  for (const { planned } of notUpstream(graph, layers, questions)) planned.fault = 'not_upstream';
  return inputs;
}
