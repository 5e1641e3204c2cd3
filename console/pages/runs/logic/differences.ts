import type { Run, StepResult } from './reads.ts';

/** A place of two values where they differ. */
export interface Difference {
  /** Where: `lines.0.article`; empty for the whole value. */
  readonly path: string;
  /** Undefined where there is none. */
  readonly left: unknown;
  readonly right: unknown;
}

/** At most this many places are listed. */
const MAX_DIFFERENCES = 50;

/** The places where two JSON values differ, in the order of their members. */
export function differencesOf(left: unknown, right: unknown): readonly Difference[] {
  const found: Difference[] = [];
  const visit = (a: unknown, b: unknown, path: string): void => {
    if (found.length >= MAX_DIFFERENCES || Object.is(a, b)) return;
    if (isTree(a) && isTree(b) && Array.isArray(a) === Array.isArray(b)) {
      const left = new Map<string, unknown>(Object.entries(a));
      const right = new Map<string, unknown>(Object.entries(b));
      for (const name of new Set([...left.keys(), ...right.keys()])) {
        visit(left.get(name), right.get(name), path === '' ? name : `${path}.${name}`);
      }
      return;
    }
    found.push({ path, left: a, right: b });
  };
  visit(left, right, '');
  return found;
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A step of two runs. */
export interface ComparedStep {
  readonly id: string;
  readonly left: StepResult | undefined;
  readonly right: StepResult | undefined;
  /** Where their outputs differ. */
  readonly outputs: readonly Difference[];
  /** True where anything but times differs. */
  readonly differs: boolean;
}

/** The steps of two runs side by side, in the order of the layers of the first. */
export function compareSteps(left: Run, right: Run): readonly ComparedStep[] {
  const [ours, theirs] = [toMap(left), toMap(right)];
  const ids = new Set([...ours.keys(), ...theirs.keys()]);
  const layerOf = (id: string): number => ours.get(id)?.layer ?? theirs.get(id)?.layer ?? 0;
  return [...ids]
    .toSorted((a, b) => layerOf(a) - layerOf(b))
    .map((id) => {
      const [a, b] = [ours.get(id), theirs.get(id)];
      const outputs = differencesOf(a?.output, b?.output);
      const differs = outputs.length > 0 || a?.status !== b?.status || a?.error !== b?.error;
      return { id, left: a, right: b, outputs, differs };
    });
}

const toMap = ({ step_results }: Run): ReadonlyMap<string, StepResult> =>
  new Map(Object.entries(step_results));
