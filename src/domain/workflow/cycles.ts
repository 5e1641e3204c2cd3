import { at, type DependencyGraph } from './graph.ts';

/**
 * Cycles among the steps that layering left over, each as the numbers of its steps: every step depends on the next,
 * the last on the first, and the first is the one that the definition names first. Cycles that share a step with one
 * already found are left out, so that together they are never longer than the definition; steps that depend on each
 * other in a circle always have at least one of their cycles told. A depth-first walk with a stack of its own.
 */
export function cyclesAmong(graph: DependencyGraph, left: readonly number[]): number[][] {
  const { size, offsets, targets } = graph;
  const open = new Uint8Array(size);
  for (const step of left) open[step] = 1;
  const places = new Int32Array(size).fill(-1);
  const nextEdge = offsets.slice(0, size);
  const path: number[] = [];
  const cycles: number[][] = [];
  /** The places of the path whose steps are part of a cycle already found. */
  const told: number[] = [];
  for (const root of left) {
    if (open[root] === 0) continue;
    let step: number | undefined = root;
    while (step !== undefined) {
      if (places[step] === -1) places[step] = path.push(step) - 1;
      const edge = at(nextEdge, step);
      if (edge === at(offsets, step + 1)) {
        open[step] = 0;
        path.pop();
        if (told.at(-1) === path.length) told.pop();
        step = path.at(-1);
        continue;
      }
      nextEdge[step] = edge + 1;
      const target = at(targets, edge);
      if (open[target] === 0) continue;
      const place = at(places, target);
      if (place === -1) step = target;
      else if (place > (told.at(-1) ?? -1)) {
        cycles.push(fromFirst(path.slice(place)));
        for (let next = place; next < path.length; next++) told.push(next);
      }
    }
  }
  return cycles;
}

/** The same cycle, begun with its lowest number. */
function fromFirst(cycle: readonly number[]): number[] {
  let first = 0;
  for (const [place, step] of cycle.entries()) {
    if (step < (cycle[first] ?? step)) first = place;
  }
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}
