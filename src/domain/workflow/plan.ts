import type { Step, WorkflowDefinition } from './definition.ts';
import { type DependencyGraph, dependencyGraph } from './graph.ts';
import { shapeOf, type WorkflowShape } from './shape.ts';
import { type CompiledInput, compileInput } from './step-input.ts';
import { notUpstream } from './upstream.ts';

/** A definition prepared for its runs. */
export interface WorkflowPlan extends WorkflowShape {
  /** The input of each step. */
  readonly inputs: readonly CompiledInput[];
}

/** Prepares a valid definition for its runs. The time is linear in the size of the definition. */
export function planWorkflow(definition: WorkflowDefinition): WorkflowPlan {
  const { steps } = definition;
  const shape = shapeOf(definition);
  const { indexes, layers } = shape;
  const graph = dependencyGraph(steps, indexes);
  return { ...shape, inputs: compileInputs({ steps, indexes, graph, layers }) };
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
