import { loadBuiltInPlaybook } from '../../src/adapters/playbook/built-in.ts';

const playbook = loadBuiltInPlaybook();
const texts = playbook.texts.get('en');

/** The reply of the built-in playbook to a message that could not be processed, with an inbox. */
export const FAILURE_REPLY = `${texts?.greeting}\n\n${texts?.failure}\n\n${texts?.closing}\n${playbook.company.signature}`;
