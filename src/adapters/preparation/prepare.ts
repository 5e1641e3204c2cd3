import type { MessageHistory } from '../../domain/message/conversation.ts';
import type { PreparedText } from '../../domain/message/prepared.ts';
import { languageOfLocale } from '../../domain/playbook/playbook.ts';
import type { Prepare } from '../../ports/stages.ts';
import { automaticKind } from './automatic.ts';
import { htmlToText, isHtml } from './html.ts';
import { guessLanguage } from './language.ts';
import { countMasked, maskSecrets } from './masking.ts';
import { splitText } from './split.ts';

/** The operator's decisions about the preparation. */
export interface PreparationOptions {
  /** True where card numbers, security codes, IBANs and stated passwords are masked. */
  readonly redactPii: boolean;
  /** The languages of the company's replies: a text whose language is unclear is taken to be in one of them. */
  readonly languages: readonly string[];
}

/** The step before classification: reads a message, finds its newest text, and masks the customer's secrets. */
export function createPreparation({ redactPii, languages: usual }: PreparationOptions): Prepare {
  const mask = redactPii ? maskSecrets : (text: string) => text;
  return (given, history, languages = usual) => {
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
      prepared: prepareText(plain, maskedSubject ?? '', (text) =>
        languageOf(text, { languages, history, locale: given.locale ?? null }),
      ),
      ...(history === undefined ? {} : { history }),
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

function prepareText(plain: string, subject: string, readLanguage: (text: string) => string): PreparedText {
  const { text, setApart } = splitText(plain);
  const language = readLanguage(text);
  return { text, setApart, language, automatic: automaticKind({ subject, text, language }) };
}

/** The hints at the language of a message beside its text. */
interface LanguageHints {
  readonly languages: readonly string[];
  readonly history: MessageHistory | undefined;
  readonly locale: string | null;
}

/**
 * The language of a text. Where the text itself leaves it open, as `ok` does, it is that of its conversation, else that
 * of the locale, if the company speaks it, else the likeliest of the company's languages; `und` where nothing tells.
 */
function languageOf(text: string, { languages, history, locale }: LanguageHints): string {
  const guess = guessLanguage(text, languages);
  if (guess.isClear) return guess.language;
  const known = conversationLanguage(history, languages) ?? languageOfLocale(locale, languages);
  return known ?? guess.language;
}

/** The language of the newest text of a conversation that shows one: of the customer's texts, else of the replies. */
function conversationLanguage(
  { entries = [] }: Partial<MessageHistory> = {},
  languages: readonly string[],
): string | undefined {
  const newest = entries.toReversed();
  const ofCustomer = newest.filter(({ from }) => from === 'customer');
  for (const { text } of [...ofCustomer, ...newest.filter((entry) => !ofCustomer.includes(entry))]) {
    const { language, isClear } = guessLanguage(text, languages);
    if (isClear) return language;
  }
  return undefined;
}
