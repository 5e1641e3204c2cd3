import { stepKinds } from '../../../../domain/workflow/definition.ts';
import { isPlainObject } from '../../../../lib/json/json.ts';
import { MAX_LIST_LENGTH } from '../schemas.ts';
import { membersOfKinds } from './kind-members.ts';

/** What stands for a text that is missing or wrong. */
export const PLACEHOLDER = 'x';

/** The keys that lead to what is wrong. */
type Path = readonly PropertyKey[];

/** A step that is valid whatever else the definition says. */
const unreadable = { id: PLACEHOLDER, kind: 'wait', duration_ms: 0 };

/** What stands for members that a step must have. */
const placeholders = {
  id: PLACEHOLDER,
  tool_name: PLACEHOLDER,
  agent_name: PLACEHOLDER,
  workflow_id: PLACEHOLDER,
  title: PLACEHOLDER,
} as const;

/**
 * A definition in a request, or within a step, without its members that are wrong, of which each has a path. Undefined
 * where it has no steps to be read.
 */
export function mendDefinition(
  definition: unknown,
  wrong: readonly Path[],
): Readonly<Record<string, unknown>> | undefined {
  const steps: unknown = isPlainObject(definition) ? definition['steps'] : undefined;
  if (!isPlainObject(definition) || !Array.isArray(steps) || wrong.some(({ length }) => length === 0)) {
    return undefined;
  }
  const found = Map.groupBy(wrong, ([member, index]) => (member === 'steps' ? index : member));
  const kept = Object.entries(definition).filter(([member]) => !found.has(member));
  return Object.assign(Object.fromEntries(kept), {
    steps: steps.map((step: unknown, index) =>
      mendStep(
        step,
        (found.get(index) ?? []).map((path) => path.slice(2)),
      ),
    ),
  });
}

/**
 * A step in a request without its members that are wrong, of which each has a path, so that the others can be checked.
 * Members that a step must have get a placeholder.
 */
function mendStep(step: unknown, wrong: readonly Path[]): unknown {
  if (!isPlainObject(step)) return unreadable;
  if (wrong.length === 0) return step;
  const members = new Map(Object.entries(step));
  const within = wrong.filter(([member]) => member === 'definition').map((path) => path.slice(1));
  if (within.length > 0) {
    const definition = mendDefinition(step['definition'], within);
    if (definition !== undefined) members.set('definition', definition);
    else {
      members.delete('definition');
      if (step['kind'] === 'workflow' && !members.has('workflow_id')) members.set('workflow_id', PLACEHOLDER);
    }
  }
  for (const [member] of wrong) {
    if (member === 'definition') continue;
    if (typeof member !== 'string') return unreadable;
    const before = members.get(member);
    members.delete(member);
    if (member === 'depends_on' && Array.isArray(before) && before.length <= MAX_LIST_LENGTH) {
      members.set(
        member,
        before.filter((id) => typeof id === 'string'),
      );
    }
    // Without foreach, expressions would have no item.
    if (member === 'foreach') members.set(member, mendForeach(before));
    for (const [name, placeholder] of Object.entries(placeholders)) {
      if (name === member && isOwn(name, step['kind'])) members.set(name, placeholder);
    }
  }
  const { kind = 'tool' } = step;
  if (!stepKinds.some((known) => known === kind)) {
    for (const member of ['kind', ...membersOfKinds]) members.delete(member);
    members.set('tool_name', PLACEHOLDER);
  }
  if (kind === 'wait' && !members.has('until') && !members.has('duration_ms')) {
    members.set('duration_ms', 0);
  }
  return Object.fromEntries(members);
}

function mendForeach(foreach: unknown): unknown {
  const items = isPlainObject(foreach) ? foreach['items'] : undefined;
  return { items: typeof items === 'string' || Array.isArray(items) ? items : [] };
}

const owners: Readonly<Record<string, unknown>> = {
  tool_name: 'tool',
  agent_name: 'agent',
  workflow_id: 'workflow',
  title: 'approval',
};

/** Whether a step of the kind must have the member. */
function isOwn(member: string, kind: unknown = 'tool'): boolean {
  return member === 'id' || owners[member] === kind;
}
