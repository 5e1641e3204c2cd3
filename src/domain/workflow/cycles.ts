import { itemAt } from '../../lib/array.ts';
import type { DependencyGraph } from './graph.ts';

/** A step on the path of the search, with its dependencies that have not been followed yet. */
interface Visit {
  readonly step: number;
  readonly dependencies: Iterator<number, undefined>;
}

/**
 * Finds cycles among steps that are in no layer. Each cycle is a list of step indexes: each step depends on the next,
 * the last on the first, and the list starts with the lowest index. A cycle that shares a step with an earlier one is
 * omitted, so that all cycles together name each step at most once. Every group of steps that depend on each other has
 * at least one cycle in the result. A depth-first search without recursion, linear in steps and dependencies.
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

  function finish(step: number): void {
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
      if (next.done === true) finish(last.step);
      else follow(next.value);
    }
  }
  return cycles;
}

/** The same cycle, starting with its lowest index. */
function startingWithLowest(cycle: readonly number[]): number[] {
  const start = cycle.reduce((lowest, step, at) => (step < itemAt(cycle, lowest) ? at : lowest), 0);
  return [...cycle.slice(start), ...cycle.slice(0, start)];
}
