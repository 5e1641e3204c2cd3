import { MAX_CHAIN_STEPS } from '../../../../domain/workflow/definition.ts';
import { createIssueList, type IssueList } from '../../../../domain/workflow/issues.ts';
import { isPlainObject } from '../../../../lib/json/json.ts';
import { noteUnknown } from '../unknown-members.ts';
import { unusedMembers } from './kind-members.ts';
import { foreachMemberNames, onErrorMemberNames, retryMemberNames } from './policy-schemas.ts';
import { chainMemberNames, stepMemberNames } from './step-schemas.ts';

/**
 * Warnings about the members of a definition in a request: those that do not exist, and those that have no effect.
 * Looks at the first `maxSteps` steps. `definitionMembers` are the names that a definition may have.
 */
export function requestNotes(
  body: unknown,
  definitionMembers: readonly string[],
  maxSteps: number,
): readonly string[] {
  if (!isPlainObject(body)) return [];
  const notes = createIssueList('warnings');
  noteUnknown(body, definitionMembers, { prefix: '', owner: 'a definition' }, notes);
  addStepNotes(body, '', maxSteps, notes);
  return notes.texts();
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
