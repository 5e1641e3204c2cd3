import { createPreparation } from '../../../src/adapters/preparation/prepare.ts';
import type { PreparedMessage, PreparedText } from '../../../src/domain/message/prepared.ts';

const prepare = createPreparation({ redactPii: true, languages: ['en'] });

/** A message with this text, prepared with masking. */
export function prepareMessage(message: string, subject?: string): PreparedMessage {
  return prepare({ source: 'email', customerId: 'c-1', message, subject });
}

/** The text of this message as the stages read it. */
export function prepared(message: string, subject?: string): PreparedText {
  return prepareMessage(message, subject).prepared;
}
