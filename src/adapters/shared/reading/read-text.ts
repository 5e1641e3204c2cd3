import { createMeanings, type LexiconLanguage } from '../../../lib/learning/lexicon.ts';
import { createTextReader, type ReadText } from '../../../lib/learning/text-reader.ts';
import { readLexicon } from './model-files.ts';

const languages: readonly LexiconLanguage[] = ['en', 'de'];

let reader: ((text: string) => ReadText) | undefined;
let last: { readonly text: string; readonly read: ReadText } | undefined;

/**
 * Reads a text for all models: once, where several read it one after the other. The lexicons are loaded for the first
 * text. The time is linear in the length of the text.
 */
export function readText(text: string): ReadText {
  if (last?.text === text) return last.read;
  reader ??= createTextReader(
    languages.map((language) => createMeanings(language, readLexicon(`lexicon/${language}.txt`))),
  );
  const read = reader(text);
  last = { text, read };
  return read;
}
