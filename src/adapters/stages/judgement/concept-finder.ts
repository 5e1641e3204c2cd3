import { type Concern, concerns } from '../../../domain/message/message.ts';
import { createPhraseIndex, type IndexedWord } from '../rules/phrase-index.ts';
import { harmLexicon } from './lexicon-harm.ts';
import { lawAndDataLexicon } from './lexicon-law.ts';
import { peopleLexicon } from './lexicon-people.ts';
import { unmistakable } from './unmistakable.ts';

/** The unmistakable phrases come first: a sentence with many concepts keeps them. */
const lexicon: Readonly<Record<string, string>> = {
  ...Object.fromEntries(concerns.map((concern) => [`sure ${concern}`, unmistakable[concern]])),
  ...lawAndDataLexicon,
  ...harmLexicon,
  ...peopleLexicon,
};

/** Finds the concepts of the lexicon of concerns in a text. */
export interface ConceptFinder {
  /** The concern that a concept alone raises, if there is any. */
  sureConcern(concept: number): Concern | undefined;
  /** Looks up a word of `tokenize`. */
  lookUp(word: string): IndexedWord;
  /** The concepts of some words, each once, in ascending order. */
  find(words: readonly IndexedWord[]): readonly number[];
}

/** Creates the finder. */
export function createConceptFinder(): ConceptFinder {
  const index = createPhraseIndex(lexicon, new Set());
  return {
    sureConcern: (concept) => concerns[concept],
    lookUp: (word) => index.lookUp(word),
    find(words) {
      const found = new Set<number>();
      for (let at = 0; at < words.length; ) {
        const match = index.longestMatch(words, at);
        for (const concept of match?.concepts ?? []) found.add(concept);
        at += match?.length ?? 1;
      }
      return [...found].sort((a, b) => a - b);
    },
  };
}
