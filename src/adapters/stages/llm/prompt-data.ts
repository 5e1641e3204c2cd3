import type { PreparedMessage } from '../../../domain/message/prepared.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { truncate } from '../../../lib/text/truncate.ts';
import type { Assessor } from '../assessor.ts';
import { promptConversation } from './history.ts';

/** Maximum length of a message in a prompt, in characters. */
const MAX_MESSAGE = 8_000;

/** Maximum length of all quoted texts in a prompt, in characters. */
const MAX_QUOTED = 2_000;

/** Maximum number of quoted texts in a prompt. */
const MAX_QUOTES = 4;

/** Maximum length of a subject in a prompt, in characters. */
const MAX_SUBJECT = 256;

/**
 * A message for a prompt, bounded to limit its cost: the newest text, the subject, the language, what the customer
 * quotes or forwards, and what was said before in its conversation. Secrets are masked in all of it. The message as
 * it was sent is never part of a prompt.
 */
export function promptMessage(message: PreparedMessage): JsonObject {
  const { prepared, subject } = message;
  const quoted = quotedTexts(prepared.setApart);
  return {
    message: truncate(prepared.text, MAX_MESSAGE),
    language: prepared.language,
    ...(subject ? { subject: truncate(subject, MAX_SUBJECT) } : {}),
    ...(quoted.length === 0 ? {} : { quoted }),
    ...promptConversation(message),
  };
}

/** The first quotes and forwarded parts; signatures and footers say nothing about a wish. */
function quotedTexts(setApart: PreparedMessage['prepared']['setApart']): JsonObject[] {
  const quoted: JsonObject[] = [];
  let left = MAX_QUOTED;
  for (const { kind, text } of setApart) {
    if (left < 2 || quoted.length === MAX_QUOTES) break;
    if (kind !== 'quote' && kind !== 'forward') continue;
    const start = truncate(text, left);
    quoted.push({ kind, text: start });
    left -= start.length;
  }
  return quoted;
}

/** True for a message of which a prompt has only the beginning. */
export function isCut({ prepared }: PreparedMessage): boolean {
  const quoted = prepared.setApart.filter(({ kind }) => kind === 'quote' || kind === 'forward');
  return (
    prepared.text.length > MAX_MESSAGE ||
    quoted.length > MAX_QUOTES ||
    quoted.reduce((sum, { text }) => sum + text.length, 0) > MAX_QUOTED
  );
}

/** True for a message that a person wrote, with a text: others are decided by the rules. */
export function isForModel(message: PreparedMessage, assessor: Assessor): boolean {
  return assessor.assess(message).automatic === false && message.prepared.text.trim() !== '';
}
