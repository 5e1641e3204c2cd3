import type { Step } from './definition.ts';

/**
 * The dependencies of a definition's steps, by the steps' numbers: step `n` depends on `targets[offsets[n]]` up to,
 * but without, `targets[offsets[n + 1]]`. Each dependency stands there once, however often it was named.
 */
export interface DependencyGraph {
  /** How many steps there are. */
  readonly size: number;
  readonly offsets: Int32Array;
  readonly targets: Int32Array;
}

/** Told of dependencies that cannot be part of a graph; `id` is what the step named. */
export interface DependencyIssues {
  unknown(step: number, id: string): void;
  self(step: number): void;
}

/** The number of each step by its id; where an id is taken twice, the number of the first. */
export function numberSteps(steps: readonly Pick<Step, 'id'>[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const [number, { id }] of steps.entries()) {
    if (!numbers.has(id)) numbers.set(id, number);
  }
  return numbers;
}

/** The graph of what the steps depend on; what cannot be part of it is told and left out. */
export function dependencyGraph(
  steps: readonly Pick<Step, 'dependsOn'>[],
  numbers: ReadonlyMap<string, number>,
  faults?: DependencyIssues,
): DependencyGraph {
  let most = 0;
  for (const { dependsOn } of steps) most += dependsOn.length;
  const offsets = new Int32Array(steps.length + 1);
  const targets = new Int32Array(most);
  const lastSeenBy = new Int32Array(steps.length).fill(-1);
  let length = 0;
  for (const [number, { dependsOn }] of steps.entries()) {
    for (const id of dependsOn) {
      const target = numbers.get(id);
      if (target === undefined) faults?.unknown(number, id);
      else if (lastSeenBy[target] !== number) {
        lastSeenBy[target] = number;
        if (target === number) faults?.self(number);
        else targets[length++] = target;
      }
    }
    offsets[number + 1] = length;
  }
  return { size: steps.length, offsets, targets: targets.subarray(0, length) };
}

/** The same edges the other way round: from each step to those that depend on it. */
export function dependants({ size, offsets, targets }: DependencyGraph): DependencyGraph {
  const turnedOffsets = new Int32Array(size + 1);
  for (let edge = 0; edge < targets.length; edge++) {
    const after = at(targets, edge) + 1;
    turnedOffsets[after] = at(turnedOffsets, after) + 1;
  }
  for (let step = 0; step < size; step++) {
    turnedOffsets[step + 1] = at(turnedOffsets, step + 1) + at(turnedOffsets, step);
  }
  const next = turnedOffsets.slice(0, size);
  const turnedTargets = new Int32Array(targets.length);
  for (let step = 0, edge = 0; step < size; step++) {
    const end = at(offsets, step + 1);
    for (; edge < end; edge++) {
      const target = at(targets, edge);
      const place = at(next, target);
      turnedTargets[place] = step;
      next[target] = place + 1;
    }
  }
  return { size, offsets: turnedOffsets, targets: turnedTargets };
}

/** A number of an array that is known to be there. */
export function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0;
}
