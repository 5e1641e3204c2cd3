import { itemAt } from '../../lib/array.ts';
import { pendingResults, type StepResult } from '../run/run.ts';
import type { ChainDefinition, Step, WorkflowDefinition } from './definition.ts';
import { computeLayers, type DependencyGraph, dependencyGraph, indexSteps } from './graph.ts';

/** A definition with its steps by index: all that the state of a run needs to know of it. */
export interface WorkflowShape {
  readonly definition: WorkflowDefinition;
  /** The index of each step by its id. */
  readonly indexes: ReadonlyMap<string, number>;
  /** The indexes of the steps, layer by layer. */
  readonly layers: readonly (readonly number[])[];
  /** True where a step has a policy, or a kind, by which it can end other than completed while the run goes on. */
  readonly hasPolicies: boolean;
  /** The dependencies of each step; empty without policies. */
  readonly graph: DependencyGraph;
  /** The number of steps that start other runs. */
  readonly childSteps: number;
  /** The indexes of the steps that run also after the run has failed. */
  readonly always: readonly number[];
  /** The result of each step before it runs. All runs share these records. */
  readonly pending: readonly StepResult[];
}

/** The shape of a valid definition. The time is linear in the number of its steps. */
export function shapeOf(definition: WorkflowDefinition): WorkflowShape {
  const { steps } = definition;
  const indexes = indexSteps(steps);
  const layers = definition.layers.map((ids) => ids.map((id) => indexOfStep(indexes, id)));
  const hasPolicies = steps.some((step) => hasPolicy(step));
  const graph = hasPolicies ? dependencyGraph(steps, indexes) : [];
  const always = hasPolicies
    ? [...steps.entries()].flatMap(([index, { runIf }]) => (runIf === 'always' ? [index] : []))
    : [];
  const childSteps = hasPolicies ? steps.filter(({ kind }) => kind === 'workflow').length : 0;
  const pending = pendingResults(steps, layers);
  return { definition, indexes, layers, hasPolicies, graph, childSteps, always, pending };
}

/** The index of a step by its id. Throws where there is none: stored definitions and logs name only their own steps. */
export function indexOfStep(indexes: ReadonlyMap<string, number>, id: string): number {
  const index = indexes.get(id);
  if (index === undefined) throw new RangeError(`the step ${JSON.stringify(id)} does not exist`);
  return index;
}

/** The indexes of the steps of a layer. */
export function layerAt(shape: WorkflowShape, layer: number): readonly number[] {
  return itemAt(shape.layers, layer);
}

function hasPolicy({ kind, when, runIf, onError }: Step): boolean {
  return kind !== 'tool' && kind !== 'agent' ? true : (when ?? runIf ?? onError) !== undefined;
}

/**
 * The definition of the runs of a step that has a definition of its own, which is checked. It keeps the version of
 * `within`.
 */
export function chainDefinition(
  within: WorkflowDefinition,
  stepId: string,
  { steps, inputSchema, output }: ChainDefinition,
): WorkflowDefinition {
  const { id, version, name, createdAt, chain } = within;
  const { layers } = computeLayers(dependencyGraph(steps, indexSteps(steps)));
  return {
    id,
    version,
    name,
    description: '',
    ...(inputSchema && { inputSchema }),
    ...(output && { output }),
    steps,
    layers: layers.map((layer) => layer.map((index) => itemAt(steps, index).id)),
    warnings: [],
    createdAt,
    chain: chain === undefined ? stepId : `${chain}/${stepId}`,
  };
}
