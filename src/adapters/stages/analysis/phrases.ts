import { existsSync, readFileSync } from 'node:fs';
import { type Concern, concerns } from '../../../domain/message/message.ts';
import { hashText } from '../../../lib/learning/hashing.ts';
import { parseLexicon } from '../../../lib/learning/lexicon.ts';
import { type ReadText, withoutDigits } from '../../../lib/learning/text-reader.ts';
import { stem } from '../../../lib/text/stemmer.ts';
import { tokenize } from '../../../lib/text/tokenize.ts';
import { MODELS } from '../../shared/reading/read-text.ts';

/** A phrase that raises a concern, as the hashes of its words. */
interface Phrase {
  readonly hashes: readonly number[];
  readonly concern: Concern;
  readonly text: string;
}

/** The phrases by the hash of their first word. */
type Index = ReadonlyMap<number, readonly Phrase[]>;

/** The phrase of a text that raises a concern, by concern: the first of each. */
export type FoundPhrases = ReadonlyMap<Concern, string>;

const shipped = new Map<string, Index>();

/** The unmistakable phrases of a language: see `models/phrases`. Empty for a language that has none. */
function shippedPhrases(language: string): Index {
  let index = shipped.get(language);
  if (index === undefined) {
    const file = new URL(`phrases/${language}.txt`, MODELS);
    const lexicon = existsSync(file) ? parseLexicon(readFileSync(file, 'utf8')) : new Map<string, string[]>();
    index = indexPhrases(
      concerns.flatMap((concern) => (lexicon.get(concern) ?? []).map((text) => ({ concern, text }))),
    );
    shipped.set(language, index);
  }
  return index;
}

function indexPhrases(phrases: readonly { readonly concern: Concern; readonly text: string }[]): Index {
  const index = new Map<number, Phrase[]>();
  for (const { concern, text } of phrases) {
    const hashes = tokenize(text).map((token) => hashText(stem(withoutDigits(token))));
    const [first] = hashes;
    if (first === undefined) continue;
    const list = index.get(first);
    if (list === undefined) index.set(first, [{ hashes, concern, text }]);
    else list.push({ hashes, concern, text });
  }
  return index;
}

/**
 * Creates the search for phrases that raise a concern in whatever text they stand: the unmistakable ones of some languages,
 * and those that a playbook states. Words are compared by their stem. The time is linear in the length of the text.
 */
export function createPhraseFinder(
  stated: readonly { readonly concern: Concern; readonly text: string }[],
): (text: ReadText, languages: readonly string[]) => FoundPhrases {
  const own = indexPhrases(stated);
  return (text, languages) => {
    const found = new Map<Concern, string>();
    for (const index of [own, ...languages.map(shippedPhrases)]) {
      if (index.size > 0) findIn(text, index, found);
    }
    return found;
  };
}

function findIn({ words }: ReadText, index: Index, found: Map<Concern, string>): void {
  for (let at = 0; at < words.length; at++) {
    const phrases = index.get(words[at]?.hash ?? 0);
    if (phrases === undefined) continue;
    for (const { hashes, concern, text } of phrases) {
      if (found.has(concern)) continue;
      if (hashes.every((hash, offset) => words[at + offset]?.hash === hash)) found.set(concern, text);
    }
  }
}
