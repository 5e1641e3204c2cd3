import { loadBuiltInPlaybook } from '../../src/adapters/playbook/built-in.ts';

/** The reply of the built-in playbook to a message that could not be processed, with an inbox. */
export const FAILURE_REPLY = loadBuiltInPlaybook().texts.get('en')?.failure ?? '';
