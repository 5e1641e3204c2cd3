import { itemAt } from '../../lib/array.ts';
import type { DependencyGraph } from './graph.ts';

/** The steps of a graph in layers, by their indexes. */
export interface Layering {
  /** The steps of a layer depend only on steps of earlier layers. Within a layer they have the definition's order. */
  readonly layers: readonly (readonly number[])[];
  /** Steps in no layer, because they are part of a cycle or depend on one, in the definition's order. */
  readonly unplaced: readonly number[];
}

/**
 * Groups steps into as few layers as possible (specification, section 4): each step is in the earliest layer that its
 * dependencies allow. Kahn's algorithm, linear in steps and dependencies.
 */
export function computeLayers(graph: DependencyGraph): Layering {
  const dependents = reverse(graph);
  /** For each step, how many of its dependencies have no layer yet. */
  const missing = graph.map(({ length }) => length);
  const layers: number[][] = [];
  let layer = indexesWhere(missing, (count) => count === 0);
  while (layer.length > 0) {
    layers.push(layer);
    const next: number[] = [];
    for (const step of layer) {
      for (const dependent of itemAt(dependents, step)) {
        const count = itemAt(missing, dependent) - 1;
        missing[dependent] = count;
        if (count === 0) next.push(dependent);
      }
    }
    layer = next.sort((a, b) => a - b);
  }
  return { layers, unplaced: indexesWhere(missing, (count) => count > 0) };
}

/** For each step, the steps that depend on it. */
function reverse(graph: DependencyGraph): number[][] {
  const dependents = graph.map((): number[] => []);
  for (const [step, dependencies] of graph.entries()) {
    for (const dependency of dependencies) itemAt(dependents, dependency).push(step);
  }
  return dependents;
}

function indexesWhere(counts: readonly number[], matches: (count: number) => boolean): number[] {
  const indexes: number[] = [];
  for (const [index, count] of counts.entries()) if (matches(count)) indexes.push(index);
  return indexes;
}
