import { quote } from '../../lib/text/quote.ts';
import { OrchestrationError } from '../errors.ts';

/** The form of a key of a workflow. */
export const workflowKeyPattern = /^[a-z0-9-]{1,64}$/;

/** The rule for a key of a workflow. */
export const WORKFLOW_KEY_TEXT = 'must be 1 to 64 of a-z, 0-9 and "-"';

const PREFIX = 'key:';

/** The key in a reference `key:<key>` to a workflow; undefined for an id. */
export function keyOfReference(reference: string): string | undefined {
  return reference.startsWith(PREFIX) ? reference.slice(PREFIX.length) : undefined;
}

/** The problem with a reference to a workflow: a key that none can have. Undefined for none. */
export function workflowReferenceIssue(reference: string): string | undefined {
  const key = keyOfReference(reference);
  return key === undefined || workflowKeyPattern.test(key) ? undefined : `the key ${WORKFLOW_KEY_TEXT}`;
}

/** The `conflict` for a key that another workflow has. */
export class KeyTakenError extends OrchestrationError {
  constructor(key: string) {
    super('conflict', `the key ${quote(key)} is that of another workflow`);
  }
}
