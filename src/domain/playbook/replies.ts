import type { PreparedMessage } from '../message/prepared.ts';
import type { Playbook } from './playbook.ts';

/** A playbook as its replies are made from it: without an inbox, built-in texts promise no person. */
export function speakingPlaybook(playbook: Playbook, hasInbox: boolean): Playbook {
  return hasInbox ? playbook : { ...playbook, ...playbook.withoutInbox };
}

/** The language of a locale, such as `de-AT`, among those of a company. */
export function languageOfLocale(
  locale: string | null | undefined,
  languages: readonly string[],
): string | undefined {
  const [stated] = locale?.toLowerCase().split(/[-_]/) ?? [];
  return languages.find((language) => language === stated);
}

/**
 * The language of the reply to a message; undefined where the playbook has no replies in that of the message. A text
 * that is too short to tell its language is taken to be in that of the sender, else in the default one.
 */
export function replyLanguage(
  { company: { languages } }: Playbook,
  { prepared, locale }: PreparedMessage,
): string | undefined {
  if (prepared.language !== 'und') return languages.find((language) => language === prepared.language);
  return languageOfLocale(locale, languages) ?? languages[0];
}

/**
 * The reply to a message that could not be processed, in its language where the playbook has that one, with the
 * greeting and the signature of every reply.
 */
export function failureReply(playbook: Playbook, message: PreparedMessage, hasInbox: boolean): string {
  const { texts, company } = speakingPlaybook(playbook, hasInbox);
  const language = replyLanguage(playbook, message) ?? company.languages[0];
  const own = texts.get(language);
  if (own === undefined) throw new Error(`the playbook has no texts in ${language}`);
  return [own.greeting, own.failure, `${own.closing}\n${company.signature}`].join('\n\n');
}
