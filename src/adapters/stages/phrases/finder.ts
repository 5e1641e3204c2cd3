import { type Concern, concerns } from '../../../domain/message/message.ts';
import type { Playbook } from '../../../domain/playbook/playbook.ts';
import { phrasesByLanguage } from './phrases.ts';

/** A phrase of a playbook as its words, and the concern that it raises. */
interface StatedPhrase {
  readonly words: readonly string[];
  readonly concern: Concern;
}

/**
 * Creates the search for the phrases that raise a concern, word by word and in any case: those that a playbook states,
 * and the built-in ones of its languages other than English. The time grows with the length of the text.
 */
export function createPhraseFinder(playbook: Playbook): (text: string) => ReadonlySet<Concern> {
  const phrases = concerns.flatMap((concern): StatedPhrase[] =>
    [...playbook.concerns[concern].phrases, ...builtInPhrases(concern, playbook)].map((phrase) => ({
      words: wordsOf(phrase),
      concern,
    })),
  );
  const byFirstWord = Map.groupBy(phrases, ({ words }) => words[0]);
  return (text) => {
    const found = new Set<Concern>();
    if (phrases.length === 0) return found;
    const words = wordsOf(text);
    for (const [at, word] of words.entries()) {
      for (const phrase of byFirstWord.get(word) ?? []) {
        if (phrase.words.every((one, offset) => words[at + offset] === one)) found.add(phrase.concern);
      }
    }
    return found;
  };
}

function builtInPhrases(concern: Concern, { company }: Playbook): readonly string[] {
  return company.languages.flatMap((language) => phrasesByLanguage[language]?.[concern].split('|') ?? []);
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
}
