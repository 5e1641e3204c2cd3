import type { Step } from './definition.ts';

/**
 * For each step of a definition, the steps that it depends on: each once, in the order in which the step names them.
 * Steps are named by their index in the definition.
 */
export type DependencyGraph = readonly (readonly number[])[];

/** Receives the dependencies that cannot be part of a graph. `id` is the name that the step gave. */
export interface DependencyIssues {
  unknown(step: number, id: string): void;
  self(step: number): void;
}

/** The index of each step by its id. Where an id is used twice, the index of the first. */
export function indexSteps(steps: readonly Pick<Step, 'id'>[]): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, { id }] of steps.entries()) {
    if (!indexes.has(id)) indexes.set(id, index);
  }
  return indexes;
}

/** The graph of what the steps depend on. Unknown steps and the step itself are reported and left out. */
export function dependencyGraph(
  steps: readonly Pick<Step, 'dependsOn'>[],
  indexes: ReadonlyMap<string, number>,
  issues?: DependencyIssues,
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
