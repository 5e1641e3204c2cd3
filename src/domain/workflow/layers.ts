import { at, type DependencyGraph, dependants } from './graph.ts';

/** Steps in layers, by their numbers. */
export interface Layering {
  /** Each layer's steps depend only on steps of earlier layers; within a layer they keep the definition's order. */
  readonly layers: readonly (readonly number[])[];
  /** Steps that no layer can hold, because they are part of a cycle or depend on one; in the definition's order. */
  readonly left: readonly number[];
}

/**
 * Groups steps into as few layers as possible (specification, section 4): every step stands in the earliest layer
 * that its dependencies allow. Kahn's algorithm: the time grows with steps and dependencies alone.
 */
export function layersOf(graph: DependencyGraph): Layering {
  const { size, offsets } = graph;
  const { offsets: dependantOffsets, targets: dependantTargets } = dependants(graph);
  const open = new Int32Array(size);
  const depth = new Int32Array(size);
  const ready = new Int32Array(size);
  let found = 0;
  for (let step = 0; step < size; step++) {
    open[step] = at(offsets, step + 1) - at(offsets, step);
    if (open[step] === 0) ready[found++] = step;
  }
  for (let taken = 0; taken < found; taken++) {
    const step = at(ready, taken);
    const end = at(dependantOffsets, step + 1);
    for (let edge = at(dependantOffsets, step); edge < end; edge++) {
      const dependant = at(dependantTargets, edge);
      const stillOpen = at(open, dependant) - 1;
      open[dependant] = stillOpen;
      if (stillOpen > 0) continue;
      // The queue holds shallow steps before deep ones, so whoever closes a step last is its deepest dependency.
      depth[dependant] = at(depth, step) + 1;
      ready[found++] = dependant;
    }
  }
  return gather(open, depth);
}

function gather(open: Int32Array, depth: Int32Array): Layering {
  const layers: number[][] = [];
  const left: number[] = [];
  for (let step = 0; step < open.length; step++) {
    if (at(open, step) > 0) {
      left.push(step);
      continue;
    }
    const layer = at(depth, step);
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(step);
  }
  return { layers, left };
}
