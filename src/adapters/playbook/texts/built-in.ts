import type { Concern } from '../../../domain/message/message.ts';
import type { Company, StandardText } from '../../../domain/playbook/playbook.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';

/** The texts for messages that a person has to see. */
const handovers = ['handover', 'unresolved', 'upset', 'language', 'human', 'failure'] as const;

type Handover = (typeof handovers)[number];

/** What a text promises where there is an inbox, and says instead where there is none. */
type Promised = 'answer' | 'urgent' | 'responsible' | 'person';

/** What is promised to whom. */
const promisedFor: Readonly<Record<Concern, Promised>> = {
  self_harm: 'person',
  injury: 'urgent',
  fraud: 'urgent',
  threat: 'answer',
  discrimination: 'answer',
  vulnerable: 'answer',
  legal: 'responsible',
  privacy: 'responsible',
  press: 'responsible',
};

/**
 * The texts of a language that serve where a playbook states none. They are plain text, not templates. Those for
 * messages that a person has to see have two parts: what is said in any case, and a promise or what the customer can do
 * instead.
 */
export interface BuiltInTexts {
  readonly texts: Readonly<Record<Exclude<StandardText, Handover>, string>>;
  /** What is said in any case to messages that a person has to see. */
  readonly handovers: Readonly<Record<Handover, string>>;
  /** What is said in any case to messages with a concern. */
  readonly concerns: Readonly<Record<Concern, string>>;
  /** What is promised where there is an inbox. */
  readonly promises: Readonly<Record<Promised, string>>;
  /** What is said instead where there is none. */
  readonly instead: {
    /** How to reach the company, which stands for `{contact}`. */
    readonly contact: string;
    /** The same for a company that does not say how. */
    readonly elsewhere: string;
    /** To somebody who may harm themselves. */
    readonly crisis: string;
  };
}

/** The built-in texts by language. */
export const builtInTexts: ReadonlyMap<string, BuiltInTexts> = new Map(
  Object.entries({ en, de, fr, es, it, nl, pt, pl }),
);

/** The complete built-in texts of a language, for a service with or without an inbox. */
export interface CompleteTexts {
  readonly texts: Readonly<Record<StandardText, string>>;
  readonly concerns: Readonly<Record<Concern, string>>;
}

/** Completes the built-in texts of a language; undefined where there are none. */
export function completeTexts(
  language: string,
  contact: Company['contact'],
  hasInbox: boolean,
): CompleteTexts | undefined {
  const parts = builtInTexts.get(language);
  if (parts === undefined) return undefined;
  const { promises, instead } = parts;
  const ways = Object.values(contact).join(', ');
  const reachUs = ways === '' ? instead.elsewhere : instead.contact.replace('{contact}', () => ways);
  const complete = (said: string, promised: Promised): string => {
    if (hasInbox) return `${said} ${promises[promised]}`;
    return `${said} ${promised === 'person' ? instead.crisis : reachUs}`;
  };
  return {
    texts: { ...parts.texts, ...mapMembers(parts.handovers, (said) => complete(said, 'answer')) },
    concerns: mapMembers(parts.concerns, (said, name) => complete(said, promisedFor[name])),
  };
}

function mapMembers<Name extends string>(
  members: Readonly<Record<Name, string>>,
  change: (text: string, name: Name) => string,
): Record<Name, string> {
  const changed = { ...members } as Record<Name, string>;
  for (const name of Object.keys(members) as Name[]) changed[name] = change(members[name], name);
  return changed;
}
