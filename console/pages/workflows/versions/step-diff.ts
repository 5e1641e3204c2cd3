import { isObject } from '../steps.ts';

/** The change of a step, or of the rest of a definition, from one version to another. */
export interface StepChange {
  /** The id of the step; undefined for the members beside the steps. */
  readonly id: string | undefined;
  readonly kind: 'added' | 'removed' | 'changed';
  /** The members that differ, of a changed step. */
  readonly members: readonly string[];
}

/** Members that the service adds to each version. */
const added: ReadonlySet<string> = new Set(['id', 'version', 'layers', 'warnings', 'created_at', 'steps']);

/** The differences of two definitions, step by step: in the order of the later one, removed steps at the end. */
export function diffSteps(before: unknown, after: unknown): readonly StepChange[] {
  const [one, other] = [stepsById(before), stepsById(after)];
  const rest = changedMembers(withoutAdded(before), withoutAdded(after));
  const changes: StepChange[] = rest.length === 0 ? [] : [{ id: undefined, kind: 'changed', members: rest }];
  for (const [id, step] of other) {
    const earlier = one.get(id);
    if (earlier === undefined) changes.push({ id, kind: 'added', members: [] });
    else {
      const members = changedMembers(earlier, step);
      if (members.length > 0) changes.push({ id, kind: 'changed', members });
    }
  }
  for (const id of one.keys()) if (!other.has(id)) changes.push({ id, kind: 'removed', members: [] });
  return changes;
}

type Members = Readonly<Record<string, unknown>>;

function stepsById(definition: unknown): ReadonlyMap<string, Members> {
  const steps = isObject(definition) && Array.isArray(definition['steps']) ? definition['steps'] : [];
  return new Map(steps.filter(isObject).map((step) => [String(step['id']), step]));
}

function withoutAdded(definition: unknown): Members {
  return isObject(definition)
    ? Object.fromEntries(Object.entries(definition).filter(([name]) => !added.has(name)))
    : {};
}

function changedMembers(one: Members, other: Members): readonly string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}
