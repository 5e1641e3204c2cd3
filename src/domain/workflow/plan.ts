import { pendingResults, type StepResult } from '../run/run.ts';
import type { Step, WorkflowDefinition } from './definition.ts';
import { type DependencyGraph, dependencyGraph, indexSteps } from './graph.ts';
import { type CompiledInput, compileInput } from './step-input.ts';
import { notUpstream } from './upstream.ts';

/** A definition prepared for its runs. Steps are identified by their index in the definition. */
export interface WorkflowPlan {
  readonly definition: WorkflowDefinition;
  /** The indexes of the steps, layer by layer. */
  readonly layers: readonly (readonly number[])[];
  /** The input of each step. */
  readonly inputs: readonly CompiledInput[];
  /** The result of each step before it runs. All runs share these records. */
  readonly pending: readonly StepResult[];
}

/** Prepares a valid definition for its runs. The time is linear in the size of the definition. */
export function planWorkflow(definition: WorkflowDefinition): WorkflowPlan {
  const { steps } = definition;
  const indexes = indexSteps(steps);
  const layers = definition.layers.map((ids) => ids.map((id) => indexOfStep(indexes, id)));
  const graph = dependencyGraph(steps, indexes);
  const inputs = compileInputs({ steps, indexes, graph, layers });
  return { definition, layers, inputs, pending: pendingResults(steps, layers) };
}

/** The steps of a definition with their dependency graph. */
export interface IndexedSteps {
  readonly steps: readonly Step[];
  /** The index of each step by its id. */
  readonly indexes: ReadonlyMap<string, number>;
  readonly graph: DependencyGraph;
  /** The indexes of the steps, layer by layer. */
  readonly layers: readonly (readonly number[])[];
}

/** Compiles the inputs of all steps. References to steps that are not upstream get the issue `not_upstream`. */
export function compileInputs({ steps, indexes, graph, layers }: IndexedSteps): CompiledInput[] {
  const inputs = steps.map(({ staticInput }) => compileInput(staticInput, (stepId) => indexes.get(stepId)));
  const toSteps = inputs.flatMap(({ references }, step) =>
    references.flatMap((reference) =>
      reference.source === null ? [] : [{ step, target: reference.source, reference }],
    ),
  );
  for (const { reference } of notUpstream(graph, layers, toSteps)) reference.issue = 'not_upstream';
  return inputs;
}

function indexOfStep(indexes: ReadonlyMap<string, number>, id: string): number {
  const index = indexes.get(id);
  if (index === undefined)
    throw new RangeError(`the layers name the step ${JSON.stringify(id)}, which does not exist`);
  return index;
}
