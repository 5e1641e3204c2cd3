import { stem } from './stemmer.ts';
import { tokenize } from './tokenize.ts';

/** Creates the function that finds the first phrase in a text, word by word and by stems, and tells its name. */
export function createPhraseIndex(
  phrases: ReadonlyMap<string, readonly string[]>,
): (text: string) => string | undefined {
  const byFirst = new Map<string, { readonly words: readonly string[]; readonly name: string }[]>();
  for (const [name, texts] of phrases) {
    for (const phrase of texts) {
      const words = tokenize(phrase).map(stem);
      const [first] = words;
      if (first === undefined) continue;
      byFirst.set(first, [...(byFirst.get(first) ?? []), { words, name }]);
    }
  }
  return (text) => {
    const words = tokenize(text).map(stem);
    for (const [at, word] of words.entries()) {
      const found = byFirst
        .get(word)
        ?.find((phrase) => phrase.words.every((one, offset) => words[at + offset] === one));
      if (found !== undefined) return found.name;
    }
    return undefined;
  };
}
