import { isObject } from '../steps.ts';

/** A text that is being edited, and the version that it began from; null for a new workflow. */
export interface Draft {
  readonly text: string;
  readonly base: number | null;
}

/** The text of a new workflow. */
export const newText = `{
  "name": "A new workflow",
  "input_schema": {
    "type": "object",
    "properties": { "order_id": { "type": "string" } },
    "required": ["order_id"]
  },
  "steps": [
    {
      "id": "order",
      "tool_name": "check_order_status",
      "static_input": { "order_id": "$input.order_id" }
    }
  ],
  "output": { "status": "$step.order.status" }
}
`;

/** The members that the service adds to each version. */
const added = new Set(['id', 'version', 'layers', 'warnings', 'created_at']);

/** A stored definition as the text that one would send: without what the service adds, and without empty defaults. */
export function toText(definition: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(definition).flatMap(([name, value]) => {
    if (added.has(name) || value === undefined || value === '') return [];
    if (name !== 'steps' || !Array.isArray(value)) return [[name, value] as const];
    return [[name, value.map((step: unknown) => (isObject(step) ? withoutEmpty(step) : step))] as const];
  });
  // The steps are long: what is short stands before them.
  const sorted = members.toSorted(([one], [other]) => rank(one) - rank(other));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

const order = ['name', 'key', 'description', 'input_schema', 'timeout_ms', 'max_concurrent_steps'];
function rank(name: string): number {
  const at = order.indexOf(name);
  if (at >= 0) return at;
  return name === 'steps' ? order.length : order.length + 1;
}

function withoutEmpty(step: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(step).filter(
      ([name, value]) =>
        !(name === 'depends_on' && Array.isArray(value) && value.length === 0) &&
        !(name === 'static_input' && isObject(value) && Object.keys(value).length === 0),
    ),
  );
}

const keyOf = (id: string | undefined): string => `workflow-draft:${id ?? 'new'}`;

/** The text that was kept for a workflow; undefined where there is none. */
export function keptDraft(id: string | undefined): Draft | undefined {
  const kept = storage()?.getItem(keyOf(id)) ?? null;
  if (kept === null) return undefined;
  const read: unknown = JSON.parse(kept);
  if (!isObject(read) || typeof read['text'] !== 'string') return undefined;
  return { text: read['text'], base: typeof read['base'] === 'number' ? read['base'] : null };
}

/** Keeps a text until the tab is closed, so that nothing is lost when the page is left. */
export function keepDraft(id: string | undefined, draft: Draft): void {
  try {
    storage()?.setItem(keyOf(id), JSON.stringify(draft));
  } catch {
    // A full storage keeps the text before; the page still has this one.
  }
}

/** Forgets what was kept. */
export const dropDraft = (id: string | undefined): void => storage()?.removeItem(keyOf(id));

function storage(): Storage | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}

/**
 * The text with two spaces at the start of each line from `from` to `to`, or with two spaces there when they are one
 * place.
 */
export function indent(
  text: string,
  from: number,
  to: number,
): { readonly from: number; readonly insert: string } {
  if (from === to) return { from, insert: '  ' };
  const start = text.lastIndexOf('\n', from - 1) + 1;
  return { from: start, insert: text.slice(start, to).replaceAll(/^/gm, '  ') };
}
