import fc from 'fast-check';
import type { Step } from '../../../src/domain/workflow/definition.ts';

/** A tool step, without input unless it is given. */
export function toolStep(
  id: string,
  dependsOn: readonly string[] = [],
  staticInput: Step['staticInput'] = {},
): Step {
  return { id, kind: 'tool', toolName: 'tool', dependsOn, staticInput };
}

/** Up to `maxSteps` steps without cycles, in an order that does not follow their dependencies. */
export function acyclicSteps(maxSteps: number): fc.Arbitrary<Step[]> {
  return fc
    .array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: maxSteps })
    .chain((picks) => {
      const steps = picks.map((chosen, number) =>
        toolStep(`s${number}`, number === 0 ? [] : chosen.map((pick) => `s${pick % number}`)),
      );
      return fc.shuffledSubarray(steps, { minLength: steps.length });
    });
}

/** Up to `maxSteps` steps with any mistakes in their ids and dependencies. */
export function anySteps(maxSteps: number): fc.Arbitrary<Step[]> {
  const name = fc.nat({ max: maxSteps + 1 }).map((number) => `s${number}`);
  const step = (number: number) =>
    fc.tuple(fc.option(name, { freq: 12 }), fc.array(name, { maxLength: 3 })).map(([other, dependsOn]) =>
      // Most steps have a unique id, so that few definitions fail for a duplicate.
      toolStep(other !== null && Number(other.slice(1)) % 5 === 0 ? other : `s${number}`, dependsOn),
    );
  return fc
    .integer({ min: 1, max: maxSteps })
    .chain((size) => fc.tuple(...Array.from({ length: size }, (_, n) => step(n))));
}

/** The expected findings by simple means: ids, sets and recursion. Unknown ids and the step itself are left out. */
export function oracle(steps: readonly Step[]) {
  const byId = new Map<string, Step>();
  for (const step of steps) if (!byId.has(step.id)) byId.set(step.id, step);
  const dependencies = (step: Step): Step[] =>
    [...new Set(step.dependsOn)].flatMap((id) => {
      const found = byId.get(id);
      return found === undefined || found === step ? [] : [found];
    });
  const reaches = (from: Step, to: Step, seen = new Set<Step>()): boolean =>
    dependencies(from).some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });
  const depth = (step: Step): number => Math.max(-1, ...dependencies(step).map(depth)) + 1;
  return {
    byId,
    reaches,
    depth,
    unknown: steps.filter((step) => step.dependsOn.some((id) => !byId.has(id))),
    selfDependent: steps.filter((step) => step.dependsOn.some((id) => byId.get(id) === step)),
    duplicates: steps.filter((step) => byId.get(step.id) !== step),
    onCycles: steps.filter((step) => reaches(step, step)),
  };
}

/** The expected status of each step of a run in which the steps `failing` fail, by the specification. */
export function expectedStatuses(steps: readonly Step[], failing: ReadonlySet<string>): Map<string, string> {
  const { depth } = oracle(steps);
  const failedDepths = steps.filter(({ id }) => failing.has(id)).map(depth);
  const lastDepth = Math.min(...failedDepths, Number.POSITIVE_INFINITY);
  return new Map(
    steps.map((step) => {
      if (depth(step) > lastDepth) return [step.id, 'SKIPPED'];
      return [step.id, failing.has(step.id) ? 'FAILED' : 'COMPLETED'];
    }),
  );
}
