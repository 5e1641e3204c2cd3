import type { Step } from './definition.ts';

/**
 * For each step of a definition, the steps that it depends on: each once, in the order in which the step lists them.
 * Steps are identified by their index in the definition.
 */
export type DependencyGraph = readonly (readonly number[])[];

/** Receives the dependencies that cannot be part of a graph. */
export interface DependencyIssues {
  /** `step` depends on `id`, which is the id of no step. */
  unknown(step: number, id: string): void;
  /** `step` depends on itself. */
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

/** Builds the dependency graph. Dependencies on unknown steps and on the step itself are reported and omitted. */
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
