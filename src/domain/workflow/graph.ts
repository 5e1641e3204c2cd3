import { itemAt } from '../../lib/array.ts';
import type { Step } from './definition.ts';

/**
 * For each step of a definition, the steps that it depends on: each once, in the order in which the step lists them.
 * Steps are identified by their index in the definition.
 */
export type DependencyGraph = readonly (readonly number[])[];

/** The index of each step by its id. Where an id is used twice, the index of the first. */
export function indexSteps(steps: readonly Pick<Step, 'id'>[]): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, { id }] of steps.entries()) {
    if (!indexes.has(id)) indexes.set(id, index);
  }
  return indexes;
}

/**
 * Builds the dependency graph. Dependencies on unknown steps and of a step on itself are omitted and reported to
 * `issues`.
 */
export function dependencyGraph(
  steps: readonly Pick<Step, 'dependsOn'>[],
  indexes: ReadonlyMap<string, number>,
  issues?: { unknown(step: number, id: string): void; self(step: number): void },
): DependencyGraph {
  /** For each step, the last step that named it. */
  const lastNamedBy = new Array<number>(steps.length).fill(-1);
  return steps.map(({ dependsOn }, step) => {
    const found: number[] = [];
    for (const id of dependsOn) {
      const dependency = indexes.get(id);
      if (dependency === undefined) issues?.unknown(step, id);
      else if (lastNamedBy[dependency] !== step) {
        lastNamedBy[dependency] = step;
        if (dependency === step) issues?.self(step);
        else found.push(dependency);
      }
    }
    return found;
  });
}

/**
 * Groups steps into as few layers as possible (specification, section 4): each step is in the earliest layer that its
 * dependencies allow. Steps that are part of a cycle or depend on one are `unplaced`. Layers and `unplaced` have the
 * definition's order. Kahn's algorithm, linear in steps and dependencies.
 */
export function computeLayers(graph: DependencyGraph): {
  readonly layers: readonly (readonly number[])[];
  readonly unplaced: readonly number[];
} {
  const dependents = graph.map((): number[] => []);
  for (const [step, dependencies] of graph.entries()) {
    for (const dependency of dependencies) itemAt(dependents, dependency).push(step);
  }
  /** For each step, how many of its dependencies have no layer yet. */
  const missing = graph.map(({ length }) => length);
  const indexes = [...graph.keys()];
  const layers: number[][] = [];
  let layer = indexes.filter((step) => missing[step] === 0);
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
  return { layers, unplaced: indexes.filter((step) => itemAt(missing, step) > 0) };
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
  /** The steps on the path of the search, with their dependencies that have not been followed yet. */
  const path: { readonly step: number; readonly dependencies: Iterator<number, undefined> }[] = [];
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

/**
 * The references of steps to outputs of steps, by index, whose step does not depend on its target, neither directly nor
 * through other steps. `layers` are those of the graph and have all steps and targets. Direct dependencies are looked
 * up; for all other references the graph is searched once for every 32 targets.
 */
export function notUpstream<R extends { readonly step: number; readonly target: number }>(
  graph: DependencyGraph,
  layers: readonly (readonly number[])[],
  references: readonly R[],
): R[] {
  const byTarget = Map.groupBy(indirectReferences(graph, references), ({ target }) => target);
  const targets = [...byTarget.keys()];
  const order = layers.flat();
  const missing: R[] = [];
  for (let start = 0; start < targets.length; start += 32) {
    const searched = targets.slice(start, start + 32);
    /** For each step, one bit for each target that it is or depends on. */
    const reached = new Array<number>(graph.length).fill(0);
    for (const [bit, target] of searched.entries()) reached[target] = 1 << bit;
    for (const step of order) {
      let bits = itemAt(reached, step);
      for (const dependency of itemAt(graph, step)) bits |= itemAt(reached, dependency);
      reached[step] = bits;
    }
    for (const [bit, target] of searched.entries()) {
      for (const reference of byTarget.get(target) ?? []) {
        const isUpstream = (itemAt(reached, reference.step) & (1 << bit)) !== 0;
        if (reference.step === target || !isUpstream) missing.push(reference);
      }
    }
  }
  return missing;
}

/** The references that do not name a direct dependency of their step. */
function indirectReferences<R extends { readonly step: number; readonly target: number }>(
  graph: DependencyGraph,
  references: readonly R[],
): R[] {
  const direct = new Map<number, ReadonlySet<number>>();
  return references.filter(({ step, target }) => {
    const dependencies = direct.get(step) ?? new Set(itemAt(graph, step));
    direct.set(step, dependencies);
    return !dependencies.has(target);
  });
}
