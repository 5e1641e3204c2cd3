import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type BuiltInIntent, type Concern, intents } from '../../../src/domain/message/message.ts';

/** A file of `texts`, whose first line says what is in it. */
function readTexts<Texts>(name: string): Texts {
  return parse(readFileSync(new URL(`texts/${name}.yaml`, import.meta.url), 'utf8'));
}

type ByIntent = Readonly<Partial<Record<BuiltInIntent, readonly string[]>>>;

/** The texts of a file with their intents. */
function readPairs(name: string): readonly (readonly [BuiltInIntent, string])[] {
  const texts = readTexts<ByIntent>(name);
  return intents.flatMap((intent) => (texts[intent] ?? []).map((text) => [intent, text] as const));
}

/** Single messages of all kinds, by people who read no manual: some are hard, and a few are read wrongly. */
export const assorted = readPairs('assorted');

/** Messages that say more than the intent: greetings, stories, anger, several topics, slips of the pen. */
export const chatter = readPairs('chatter');

/** Messages of customers, in their own many ways, by intent. */
export const sentences: Readonly<Record<BuiltInIntent, readonly string[]>> = readTexts('sentences');

/** Ten messages for each concern: plainly said, with contractions, curly apostrophes, slang and slips of the pen. */
export const concernWordings: Readonly<Record<Concern, readonly string[]>> = readTexts('concerns');

/** Everyday messages with words that concerns have too. */
export const nearMisses: readonly string[] = readTexts('near-misses');
