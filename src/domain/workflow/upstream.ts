import { at, type DependencyGraph } from './graph.ts';

/** A question: does `step` depend on `target`, directly or through others? */
export interface Reach {
  readonly step: number;
  readonly target: number;
}

/**
 * Those of the questions whose answer is no. `layers` are the graph's. Direct dependencies and steps of no earlier
 * layer cost nothing beyond looking; for the others a set of bits per step, as wide as there are different targets,
 * is handed down along the dependencies.
 */
export function notUpstream<Q extends Reach>(
  graph: DependencyGraph,
  layers: readonly (readonly number[])[],
  questions: readonly Q[],
): Q[] {
  const layerOf = layerNumbers(graph.size, layers);
  const indirect = withoutDirect(graph, questions);
  const open = indirect.filter(({ step, target }) => at(layerOf, target) < at(layerOf, step));
  if (open.length === 0) return indirect;
  const bits = new Map<number, number>();
  for (const { target } of open) if (!bits.has(target)) bits.set(target, bits.size);
  const width = Math.ceil(bits.size / 32);
  const reached = handDown(graph, layers, bits, width);
  return indirect.filter(({ step, target }) => {
    if (at(layerOf, target) >= at(layerOf, step)) return true;
    const bit = bits.get(target) ?? 0;
    return (at(reached, step * width + (bit >> 5)) & (1 << (bit & 31))) === 0;
  });
}

function layerNumbers(size: number, layers: readonly (readonly number[])[]): Int32Array {
  const layerOf = new Int32Array(size);
  for (const [layer, steps] of layers.entries()) for (const step of steps) layerOf[step] = layer;
  return layerOf;
}

/** For each step the set of those targets that it depends on, `width` words of bits wide. */
function handDown(
  { size, offsets, targets }: DependencyGraph,
  layers: readonly (readonly number[])[],
  bits: ReadonlyMap<number, number>,
  width: number,
): Int32Array {
  const reached = new Int32Array(size * width);
  const bitOf = new Int32Array(size).fill(-1);
  for (const [target, bit] of bits) bitOf[target] = bit;
  for (const step of layers.flat()) {
    const own = step * width;
    const end = at(offsets, step + 1);
    for (let edge = at(offsets, step); edge < end; edge++) {
      const target = at(targets, edge);
      const theirs = target * width;
      for (let word = 0; word < width; word++) {
        reached[own + word] = at(reached, own + word) | at(reached, theirs + word);
      }
      const bit = at(bitOf, target);
      if (bit >= 0) reached[own + (bit >> 5)] = at(reached, own + (bit >> 5)) | (1 << (bit & 31));
    }
  }
  return reached;
}

/** The questions that a look at the step's own dependencies does not answer. */
function withoutDirect<Q extends Reach>(graph: DependencyGraph, questions: readonly Q[]): Q[] {
  const lastSeenBy = new Int32Array(graph.size).fill(-1);
  let seen = -1;
  return questions.filter(({ step, target }) => {
    if (step !== seen) {
      seen = step;
      for (let edge = at(graph.offsets, step); edge < at(graph.offsets, step + 1); edge++) {
        lastSeenBy[at(graph.targets, edge)] = step;
      }
    }
    return lastSeenBy[target] !== step;
  });
}
