import { itemAt } from '../../lib/array.ts';
import type { ChainDefinition, WorkflowDefinition } from './definition.ts';
import { dependencyGraph, indexSteps } from './graph.ts';
import { computeLayers } from './layers.ts';

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
