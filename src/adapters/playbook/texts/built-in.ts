import type { Concern } from '../../../domain/message/message.ts';
import type { StandardText } from '../../../domain/playbook/playbook.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';

/** The texts of a language that serve where a playbook states none. They are plain text, not templates. */
export interface BuiltInTexts {
  readonly texts: Readonly<Record<StandardText, string>>;
  /** The replies to messages with a concern. */
  readonly concerns: Readonly<Record<Concern, string>>;
}

/** The built-in texts by language. */
export const builtInTexts: ReadonlyMap<string, BuiltInTexts> = new Map(
  Object.entries({ en, de, fr, es, it, nl, pt, pl }),
);
