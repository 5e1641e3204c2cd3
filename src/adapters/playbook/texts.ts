import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Concern, concerns } from '../../domain/message/message.ts';
import type { Company, StandardText } from '../../domain/playbook/playbook.ts';
import { PACKAGE_FOLDER } from '../shared/package-folder.ts';

/** The texts for messages that no person has to see. */
const texts = ['greeting', 'closing', 'offer', 'thanks', 'welcome', 'masked', 'not_found'] as const;

/** The texts for messages that a person has to see. */
const handovers = ['handover', 'unresolved', 'upset', 'language', 'human', 'failure'] as const;

/** The promises where there is an inbox. */
const promises = ['answer', 'urgent', 'responsible', 'person'] as const;

type Promised = (typeof promises)[number];

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

const listOf = <Name extends string>(names: readonly Name[]) => z.record(z.enum(names), z.string());

/** The form of a file of `playbook/texts`, whose comments say what the lists are for. */
const textsFile = z.strictObject({
  texts: listOf(texts),
  handovers: listOf(handovers),
  concerns: listOf(concerns),
  promises: listOf(promises),
  instead: listOf(['contact', 'elsewhere', 'crisis']),
});

/** The built-in texts of a language, as their file has them. */
type BuiltInTexts = z.output<typeof textsFile>;

const FOLDER = new URL('playbook/texts/', PACKAGE_FOLDER);

/** The languages with built-in texts. */
export const builtInLanguages: readonly string[] = readdirSync(FOLDER).map((name) => name.slice(0, 2));

const loaded = new Map<string, BuiltInTexts>();

/** The built-in texts of a language, read on first need; undefined where there are none. */
export function builtInTextsIn(language: string): BuiltInTexts | undefined {
  let found = loaded.get(language);
  if (found === undefined && builtInLanguages.includes(language)) {
    found = textsFile.parse(parse(readFileSync(new URL(`${language}.yaml`, FOLDER), 'utf8')));
    loaded.set(language, found);
  }
  return found;
}

/** The texts of a language that serve where a playbook states none. They are plain text, not templates. */
export interface CompleteTexts {
  readonly texts: Readonly<Record<StandardText, string>>;
  readonly concerns: Readonly<Record<Concern, string>>;
}

/**
 * Completes the built-in texts of a language for a service with or without an inbox: texts for messages that a person
 * has to see get a promise, or what the customer can do instead. Undefined for a language without built-in texts.
 */
export function completeTexts(
  language: string,
  contact: Company['contact'],
  hasInbox: boolean,
): CompleteTexts | undefined {
  const own = builtInTextsIn(language);
  if (own === undefined) return undefined;
  const { instead } = own;
  const ways = Object.values(contact).join(', ');
  const reachUs = ways === '' ? instead.elsewhere : instead.contact.replace('{contact}', () => ways);
  const complete = (start: string, promised: Promised): string => {
    if (hasInbox) return `${start} ${own.promises[promised]}`;
    return `${start} ${promised === 'person' ? instead.crisis : reachUs}`;
  };
  const forPerson = { ...own.handovers };
  for (const name of handovers) forPerson[name] = complete(own.handovers[name], 'answer');
  const forConcerns = { ...own.concerns };
  for (const name of concerns) forConcerns[name] = complete(own.concerns[name], promisedFor[name]);
  return { texts: { ...own.texts, ...forPerson }, concerns: forConcerns };
}
