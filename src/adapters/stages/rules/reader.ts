import { isMark, splitWords } from '../../../domain/words.ts';
import { type Clause, createClauseBuilder, type Grammar, isJoint } from './clause.ts';
import { createPhraseBook, type Found, type PhraseBook, type Term } from './phrase-book.ts';
import { createSpeller, type Speller } from './spelling.ts';

/** Misspelt words looked into per message; what is misspelt after so many is left alone, so that time stays linear. */
export const MAX_CORRECTIONS = 64;

/** How a lexicon writes a number of four digits or more, whichever it is. */
const LONG_NUMBER = '0000';

/** What a reader has to know. */
export interface ReaderOptions extends Grammar {
  /** From concept to its words and phrases, as {@link createPhraseBook} takes them. */
  readonly lexicon: Readonly<Record<string, string>>;
  /** Concepts whose words are too common to be told from a misspelling. */
  readonly silent: ReadonlySet<string>;
  /** Words that are right as they are although they look like one of the lexicon. */
  readonly ordinaryWords: ReadonlySet<string>;
}

/** Reads a message as clauses. Time grows with the length of the message. */
export type Reader = (text: string) => readonly Clause[];

/** A reader of messages in the words of one lexicon. */
export function createReader(options: ReaderOptions): Reader {
  const book = createPhraseBook(options.lexicon, options.silent);
  const speller = createSpeller({
    known: book.words,
    telling: book.telling,
    ordinary: options.ordinaryWords,
  });
  return (text) => {
    const terms = toTerms(splitWords(text), book, speller);
    const builder = createClauseBuilder(options);
    for (let at = 0; at < terms.length; ) {
      const found = book.longestAt(terms, at);
      const end = at + (found?.length ?? 1);
      for (let index = at; index < end; index++) {
        const term = terms[index];
        if (term === undefined) continue;
        if (index === at && found !== undefined) builder.note(found.concepts, term);
        if (asksWithin(found, book.single(term))) builder.note(['asks'], term);
        if (endsClause(term.word) || (found === undefined && isJoint(term.word))) builder.close(term.word);
        else builder.hear(term.word);
      }
      at = end;
    }
    builder.close('.');
    return builder.clauses();
  };
}

/** `get my money back` asks as `get` does, whatever else the phrase says; a refusal never does. */
function asksWithin(found: Found | undefined, single: readonly string[]): boolean {
  if (found === undefined || found.length === 1 || found.concepts.includes('refusal')) return false;
  return single.includes('asks');
}

function toTerms(items: readonly string[], book: PhraseBook, speller: Speller): Term[] {
  const terms: Term[] = [];
  let corrections = MAX_CORRECTIONS;
  for (const item of items) {
    if (isNoWord(item) || corrections === 0 || speller.isRight(item)) {
      terms.push({ word: item, lemma: isLongNumber(item) ? LONG_NUMBER : book.lemma(item) });
      continue;
    }
    corrections--;
    const meant = speller.correct(item);
    if (meant.length === 0) terms.push({ word: item, lemma: item });
    for (const word of meant) terms.push({ word, lemma: book.lemma(word) });
  }
  return terms;
}

function isNoWord(item: string): boolean {
  return item.charCodeAt(0) < 0x61 || isMark(item);
}

function isLongNumber(item: string): boolean {
  return item.length >= 4 && isNoWord(item);
}

function endsClause(item: string): boolean {
  return isMark(item) && item !== '$' && item !== '£' && item !== '€';
}
