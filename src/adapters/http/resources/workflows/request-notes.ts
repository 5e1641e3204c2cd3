import { createIssueList, type IssueList } from '../../../../domain/workflow/issues.ts';
import { isPlainObject } from '../../../../lib/json/json.ts';
import { quote } from '../../../../lib/text/quote.ts';
import { unusedMembers } from './kind-members.ts';
import { foreachMemberNames, onErrorMemberNames, retryMemberNames } from './policy-schemas.ts';
import { stepMemberNames } from './step-schemas.ts';

/**
 * Warnings about the members of a definition in a request: those that do not exist, and those that have no effect. Looks at
 * the first `maxSteps` steps. `definitionMembers` are the names that a definition may have.
 */
export function requestNotes(
  body: unknown,
  definitionMembers: readonly string[],
  maxSteps: number,
): readonly string[] {
  if (!isPlainObject(body)) return [];
  const notes = createIssueList('warnings');
  noteUnknown(body, definitionMembers, { prefix: '', owner: 'a definition' }, notes);
  const steps: readonly unknown[] = Array.isArray(body['steps']) ? body['steps'] : [];
  for (const [index, step] of steps.slice(0, maxSteps).entries()) {
    if (!isPlainObject(step)) continue;
    const prefix = `steps.${index}.`;
    noteUnknown(step, stepMemberNames, { prefix, owner: 'a step' }, notes);
    for (const member of unusedMembers(step)) {
      notes.add(() => `${prefix}${member}: is not used by a step of kind ${step['kind'] ?? 'tool'}`);
    }
    const { retry, foreach, on_error } = step;
    noteUnknown(retry, retryMemberNames, { prefix: `${prefix}retry.`, owner: 'retry' }, notes);
    noteUnknown(foreach, foreachMemberNames, { prefix: `${prefix}foreach.`, owner: 'foreach' }, notes);
    noteUnknown(on_error, onErrorMemberNames, { prefix: `${prefix}on_error.`, owner: 'on_error' }, notes);
  }
  return notes.texts();
}

function noteUnknown(
  object: unknown,
  known: readonly string[],
  { prefix, owner }: { readonly prefix: string; readonly owner: string },
  notes: IssueList,
): void {
  if (!isPlainObject(object)) return;
  for (const name of Object.keys(object)) {
    if (known.includes(name)) continue;
    notes.add(() => {
      const meant = closest(name, known);
      const hint = meant === undefined ? '' : `; did you mean ${quote(meant)}?`;
      return `${prefix.slice(0, -1) || 'body'}: ${owner} has no member ${quote(name)}${hint}`;
    });
  }
}

/** The longest name that is compared with others. */
const MAX_COMPARED = 40;

/** The known name that was probably meant: it differs in its case, its underscores, or by a slip of the pen. */
function closest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED) return undefined;
  const plain = plainName(name);
  return (
    known.find((other) => plainName(other) === plain) ??
    known.find((other) => isSlip(plain, plainName(other)))
  );
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Whether two names differ by one character that is added, left out or another, or by two that are exchanged. */
function isSlip(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || Math.min(one.length, other.length) < 4) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let end = 0;
  const shorter = Math.min(one.length, other.length);
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
