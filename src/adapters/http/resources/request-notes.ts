import { MAX_CHAIN_STEPS } from '../../../domain/workflow/definition.ts';
import { createIssueList, type IssueList } from '../../../domain/workflow/issues.ts';
import { isPlainObject } from '../../../lib/json/json.ts';
import { nearestName } from '../../../lib/text/nearest-name.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { BodyRules } from '../middleware/validation.ts';
import {
  chainMemberNames,
  definitionMemberNames,
  foreachMemberNames,
  onErrorMemberNames,
  retryMemberNames,
  stepMemberNames,
  unusedMembers,
} from './definition-schemas.ts';

/**
 * The warnings about a definition in a request: its members that do not exist, and those that have no effect. Looks at
 * the first `maxSteps` steps.
 */
export function definitionRules(maxSteps: number): BodyRules {
  return {
    notes(body) {
      if (!isPlainObject(body)) return [];
      const notes = createIssueList('warnings');
      noteUnknown(body, definitionMemberNames, { prefix: '', owner: 'a definition' }, notes);
      addStepNotes(body, '', maxSteps, notes);
      return notes.texts();
    },
  };
}

/**
 * Adds a warning for each member of an object in a request that is not `known`, with the name that was probably meant.
 * `prefix` is the path of the object with a point at its end, or empty; `owner` says what the object is.
 */
export function noteUnknown(
  object: unknown,
  known: readonly string[],
  { prefix, owner }: { readonly prefix: string; readonly owner: string },
  notes: IssueList,
): void {
  if (!isPlainObject(object)) return;
  for (const name of Object.keys(object)) {
    if (known.includes(name)) continue;
    notes.add(() => {
      const meant = nearestName(name, known);
      const hint = meant === undefined ? '' : `; did you mean ${quote(meant)}?`;
      return `${prefix.slice(0, -1) || 'body'}: ${owner} has no member ${quote(name)}${hint}`;
    });
  }
}

/** Adds those of the steps of a definition, also of the definitions within them. */
function addStepNotes(definition: object, within: string, maxSteps: number, notes: IssueList): void {
  const listed: unknown = 'steps' in definition ? definition.steps : undefined;
  const steps: readonly unknown[] = Array.isArray(listed) ? listed : [];
  for (const [index, step] of steps.slice(0, maxSteps).entries()) {
    if (!isPlainObject(step)) continue;
    const prefix = `${within}steps.${index}.`;
    noteUnknown(step, stepMemberNames, { prefix, owner: 'a step' }, notes);
    for (const member of unusedMembers(step)) {
      notes.add(() => `${prefix}${member}: is not used by a step of kind ${step['kind'] ?? 'tool'}`);
    }
    const { retry, foreach, on_error, definition: chain } = step;
    noteUnknown(retry, retryMemberNames, { prefix: `${prefix}retry.`, owner: 'retry' }, notes);
    noteUnknown(foreach, foreachMemberNames, { prefix: `${prefix}foreach.`, owner: 'foreach' }, notes);
    noteUnknown(on_error, onErrorMemberNames, { prefix: `${prefix}on_error.`, owner: 'on_error' }, notes);
    if (!isPlainObject(chain)) continue;
    const place = `${prefix}definition.`;
    noteUnknown(chain, chainMemberNames, { prefix: place, owner: 'a definition within a step' }, notes);
    addStepNotes(chain, place, MAX_CHAIN_STEPS, notes);
  }
}
