import { itemAt } from '../../lib/array.ts';
import type { DependencyGraph } from './graph.ts';

/** A step on the path of the search, with those of its dependencies that are still to be followed. */
interface Visit {
  readonly step: number;
  readonly dependencies: Iterator<number, undefined>;
}

/**
 * Cycles among steps that fit no layer, each as the indexes of its steps: each step depends on the next, the last on
 * the first, and the first is the one that the definition names first. A cycle that shares a step with one already
 * found is left out, so that all cycles together name each step at most once; of the steps that depend on each other
 * in a circle at least one cycle is found. A depth-first search without recursion, linear in steps and dependencies.
 */
export function findCycles(graph: DependencyGraph, unplaced: readonly number[]): number[][] {
  /** Steps whose dependencies have not all been followed. */
  const open = new Set(unplaced);
  const path: Visit[] = [];
  const positions = new Map<number, number>();
  /** The positions on the path of steps in a cycle that was found, in ascending order. */
  const found: number[] = [];
  const cycles: number[][] = [];

  function visit(step: number): void {
    positions.set(step, path.length);
    path.push({ step, dependencies: itemAt(graph, step).values() });
  }

  function leave(step: number): void {
    open.delete(step);
    path.pop();
    if (found.at(-1) === path.length) found.pop();
  }

  function follow(dependency: number): void {
    if (!open.has(dependency)) return;
    const position = positions.get(dependency);
    if (position === undefined) visit(dependency);
    else if (position > (found.at(-1) ?? -1)) {
      cycles.push(startingWithLowest(path.slice(position).map(({ step }) => step)));
      for (let next = position; next < path.length; next++) found.push(next);
    }
  }

  for (const root of unplaced) {
    if (open.has(root)) visit(root);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const next = last.dependencies.next();
      if (next.done === true) leave(last.step);
      else follow(next.value);
    }
  }
  return cycles;
}

/** The same cycle, starting with its lowest index. */
function startingWithLowest(cycle: readonly number[]): number[] {
  const start = cycle.reduce((lowest, step, place) => (step < itemAt(cycle, lowest) ? place : lowest), 0);
  return [...cycle.slice(start), ...cycle.slice(0, start)];
}
