import type { Concern } from '../../../domain/message/message.ts';
import { polish } from './polish.ts';
import { french, italian, portuguese, spanish } from './south.ts';
import { dutch, german } from './west.ts';

/** Phrases by concern, separated by `|`, in lower case. */
export type ConcernPhrases = Readonly<Record<Concern, string>>;

/**
 * Phrases that raise a concern in other languages than English, which the built-in model does not read. They are few and
 * plain: a playbook adds what its customers write.
 */
export const phrasesByLanguage: Readonly<Record<string, ConcernPhrases>> = {
  de: german,
  es: spanish,
  fr: french,
  it: italian,
  nl: dutch,
  pl: polish,
  pt: portuguese,
};
