import type { DefinitionStep, GraphDefinition } from '../../graph/to-graph.ts';

/**
 * The graph of a draft. Entries that are no steps, or have the id of an earlier one, are left out, and so are
 * dependencies on steps that are not there.
 */
export function draftGraph(definition: unknown): GraphDefinition {
  const listed = isObject(definition) && Array.isArray(definition['steps']) ? definition['steps'] : [];
  const found = new Map<string, Members>();
  for (const step of listed) {
    const id: unknown = isObject(step) ? step['id'] : undefined;
    if (typeof id === 'string' && id !== '' && !found.has(id)) found.set(id, step);
  }
  const steps = [...found].map(([id, step]): DefinitionStep => {
    const before = Array.isArray(step['depends_on']) ? step['depends_on'] : [];
    return {
      id,
      kind: textOf(step['kind']) ?? 'tool',
      tool_name: textOf(step['tool_name']),
      agent_name: textOf(step['agent_name']),
      workflow_id: textOf(step['workflow_id']),
      definition: chainOf(step['definition']),
      title: textOf(step['title']),
      depends_on: [...new Set(before)].filter((other) => found.has(other)),
      foreach: isObject(step['foreach']) ? step['foreach'] : undefined,
    };
  });
  return { steps, layers: layersOf(steps) };
}

type Members = Readonly<Record<string, unknown>>;

const chainOf = (value: unknown): DefinitionStep['definition'] =>
  isObject(value) && Array.isArray(value['steps']) ? { steps: value['steps'] } : undefined;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * The ids of steps by layer: each step stands one after the last of those that it depends on. Steps of a cycle, and
 * those after one, come after all others.
 */
function layersOf(steps: readonly DefinitionStep[]): readonly (readonly string[])[] {
  const after = new Map(steps.map(({ id }) => [id, [] as string[]]));
  for (const { id, depends_on } of steps) for (const other of depends_on) after.get(other)?.push(id);
  const open = new Map(steps.map(({ id, depends_on }) => [id, depends_on.length]));
  const layers: (readonly string[])[] = [];
  let ready = steps.flatMap(({ id }) => (open.get(id) === 0 ? [id] : []));
  while (ready.length > 0) {
    layers.push(ready);
    const next: string[] = [];
    for (const id of ready) {
      open.delete(id);
      for (const other of after.get(id) ?? []) {
        const left = (open.get(other) ?? 0) - 1;
        open.set(other, left);
        if (left === 0) next.push(other);
      }
    }
    ready = next;
  }
  return open.size === 0 ? layers : [...layers, [...open.keys()]];
}

/** The number of rows by key. */
export function countBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return counts;
}

/** The beginning of the day that `now` is in, in the reader's zone. */
export function startOfDay(now: number): string {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}

/** True for an object with members. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
