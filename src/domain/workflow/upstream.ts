import { itemAt } from '../../lib/array.ts';
import type { DependencyGraph } from './graph.ts';

/** A reference of one step to the output of another, by their indexes. */
export interface StepReference {
  readonly step: number;
  readonly target: number;
}

/** A step of the graph in one pass of the search. */
interface Node {
  readonly dependencies: readonly Node[];
  /** One bit for each target of the pass: set when the step is that target or depends on it. */
  reached: number;
}

/** Number of targets in one pass: the bits of a bit set. */
const TARGETS_PER_PASS = 32;

/**
 * The references whose step does not depend on its target, neither directly nor through other steps. `layers` are
 * those of the graph. Direct dependencies are looked up; for all other references the graph is searched, for 32 targets
 * in each pass.
 */
export function notUpstream<R extends StepReference>(
  graph: DependencyGraph,
  layers: readonly (readonly number[])[],
  references: readonly R[],
): R[] {
  const byTarget = Map.groupBy(indirectReferences(graph, references), ({ target }) => target);
  if (byTarget.size === 0) return [];
  const nodes = createNodes(graph, layers);
  const targets = [...byTarget.keys()];
  const missing: R[] = [];
  for (let start = 0; start < targets.length; start += TARGETS_PER_PASS) {
    const followed = targets.slice(start, start + TARGETS_PER_PASS);
    followTargets(nodes, followed);
    for (const [bit, target] of followed.entries()) {
      for (const reference of byTarget.get(target) ?? []) {
        const { step } = reference;
        const isUpstream = step !== target && (nodeOf(nodes, step).reached & (1 << bit)) !== 0;
        if (!isUpstream) missing.push(reference);
      }
    }
  }
  return missing;
}

/** The references that do not name a direct dependency of their step. */
function indirectReferences<R extends StepReference>(graph: DependencyGraph, references: readonly R[]): R[] {
  const direct = new Map<number, ReadonlySet<number>>();
  return references.filter(({ step, target }) => {
    const dependencies = direct.get(step) ?? new Set(itemAt(graph, step));
    direct.set(step, dependencies);
    return !dependencies.has(target);
  });
}

/** The nodes of the graph by their steps, dependencies first. */
function createNodes(graph: DependencyGraph, layers: readonly (readonly number[])[]): Map<number, Node> {
  const nodes = new Map<number, Node>();
  for (const step of layers.flat()) {
    const dependencies = itemAt(graph, step).map((dependency) => nodeOf(nodes, dependency));
    nodes.set(step, { dependencies, reached: 0 });
  }
  return nodes;
}

function nodeOf(nodes: ReadonlyMap<number, Node>, step: number): Node {
  const node = nodes.get(step);
  if (node === undefined) throw new RangeError(`step ${step} is in no layer`);
  return node;
}

function followTargets(nodes: ReadonlyMap<number, Node>, targets: readonly number[]): void {
  for (const node of nodes.values()) node.reached = 0;
  for (const [bit, target] of targets.entries()) nodeOf(nodes, target).reached = 1 << bit;
  for (const node of nodes.values()) {
    let { reached } = node;
    for (const dependency of node.dependencies) reached |= dependency.reached;
    node.reached = reached;
  }
}
