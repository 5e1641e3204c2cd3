import type { CustomerMessage } from '../../domain/message/message.ts';
import type { PreparedMessage, PreparedText } from '../../domain/message/prepared.ts';
import { automaticKind } from './automatic/automatic.ts';
import { htmlToText, isHtml } from './html.ts';
import { detectLanguage } from './language/language.ts';
import { countMasked, maskSecrets } from './masking/mask.ts';
import { splitText } from './split.ts';

/** What the operator decides about the preparation. */
export interface PreparationOptions {
  /** Whether card numbers, security codes, IBANs and stated passwords are masked. */
  readonly redactPii: boolean;
}

/** The step before classification: reads a message, finds its newest text, and masks the customer's secrets. */
export function createPreparation(
  options: PreparationOptions,
): (message: CustomerMessage) => PreparedMessage {
  const mask = options.redactPii ? maskSecrets : (text: string) => text;
  return (given) => {
    const subject = given.subject ?? null;
    const maskedSubject = subject === null ? null : mask(subject);
    const { message, plain } = readMessage(given.message, mask);
    return {
      ...given,
      message,
      subject: maskedSubject,
      conversationId: given.conversationId ?? null,
      locale: given.locale ?? null,
      metadata: maskValues(given.metadata ?? null, mask),
      prepared: prepareText(plain, maskedSubject ?? ''),
    };
  };
}

/** A message as it is kept, and as plain text; both masked. */
interface ReadMessage {
  readonly message: string;
  readonly plain: string;
}

function readMessage(text: string, mask: (text: string) => string): ReadMessage {
  const message = mask(text);
  if (!isHtml(text)) return { message, plain: withLineFeeds(message) };
  const plain = mask(withLineFeeds(htmlToText(text)));
  // Mark-up can stand within a secret, where only the plain text shows it: then that is kept instead.
  return { message: countMasked(plain) > countMasked(message) ? plain : message, plain };
}

function withLineFeeds(text: string): string {
  return /[\r\u2028\u2029]/.test(text) ? text.replace(/\r\n?|[\u2028\u2029]/g, '\n') : text;
}

function maskValues(
  metadata: Readonly<Record<string, string>> | null,
  mask: (text: string) => string,
): Readonly<Record<string, string>> | null {
  if (metadata === null) return null;
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, mask(value)]));
}

function prepareText(plain: string, subject: string): PreparedText {
  const { text, setApart } = splitText(plain);
  const language = detectLanguage(text);
  return { text, setApart, language, automatic: automaticKind({ subject, text, language }) };
}
