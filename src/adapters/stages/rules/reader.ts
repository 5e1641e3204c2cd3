import { isPunctuation } from '../../../lib/text/tokenize.ts';
import {
  type Clause,
  close,
  type Draft,
  type Grammar,
  hear,
  isEnd,
  isJoint,
  newDraft,
  note,
  type Role,
  roleOf,
  traitsOf,
} from './clause.ts';
import type { Concept, Concepts } from './concept.ts';
import { createPhraseBook, type Found, type Term } from './phrase-book.ts';
import { createSpeller } from './spelling.ts';

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

/** Reads messages in two steps, so that the first can be remembered word by word. */
export interface Reader {
  readonly concepts: Concepts;
  /**
   * What a word or mark is to this reader, whatever is around it. Where not `thorough`, what a misspelt word was meant
   * as is left open: that is right behind {@link MAX_CORRECTIONS} misspelt words, and saves nearly all the price.
   */
  senseOf(word: string, thorough: boolean): Sense;
  /** Reads the words of a message as clauses. Time grows with their number. */
  read(senses: readonly Sense[]): readonly Clause[];
}

/** A word as a reader takes it. */
export interface Sense extends Term {
  readonly role: Role;
  /** The word by itself asks for something. */
  readonly asks: boolean;
  readonly misspelt: boolean;
  /** The words that a misspelt one was meant as; undefined where it is right, and where the reader cannot tell. */
  readonly meant: readonly Sense[] | undefined;
}

/** A reader of messages in the words of one lexicon. */
export function createReader(options: ReaderOptions): Reader {
  const book = createPhraseBook(options.lexicon, options.silent);
  const speller = createSpeller({
    known: book.words,
    telling: book.telling,
    ordinary: options.ordinaryWords,
  });
  const traits = traitsOf(options, book.concepts);
  const asks = book.concepts.get('asks');
  const refusal = book.concepts.get('refusal');

  function sensed(word: string, lemma?: string): Sense {
    const term = book.term(word, lemma);
    const asksAlone = holds(term.byLemma?.found?.concepts, asks);
    return { ...term, role: roleOf(word), asks: asksAlone, misspelt: false, meant: undefined };
  }

  // Most words of a message are in no phrase and need not be told apart: one object for all stays in the cache.
  const unheardOf = sensed('');
  const senseless: Sense = { ...unheardOf, misspelt: true };

  return {
    concepts: book.concepts,
    senseOf(word, thorough) {
      if (isLongNumber(word)) return sensed(word, LONG_NUMBER);
      const right = isNoWord(word) || speller.isRight(word);
      const telling = (right && book.words.has(word)) || roleOf(word) !== 'plain';
      const asWritten = telling ? sensed(word) : unheardOf;
      if (right) return asWritten;
      const meant = thorough ? speller.correct(word) : [];
      if (meant.length > 0)
        return { ...asWritten, misspelt: true, meant: meant.map((right) => sensed(right)) };
      return asWritten === unheardOf ? senseless : { ...asWritten, misspelt: true };
    },
    read(senses) {
      const terms = senses.some(hasMeaning) ? putRight(senses) : senses;
      const draft = newDraft(traits);
      for (let at = 0; at < terms.length; ) {
        const found = book.longestAt(terms, at);
        if (found === undefined) hearWord(draft, terms[at]);
        else hearPhrase(draft, terms, at, found);
        at += found?.length ?? 1;
      }
      close(draft, 'mark');
      return draft.done;
    },
  };

  function hearPhrase(draft: Draft, terms: readonly Sense[], at: number, found: Found): void {
    // `get my money back` asks as `get` does, whatever else the phrase says; a refusal never does.
    const mayAsk = found.length > 1 && !holds(found.concepts, refusal);
    for (let index = at; index < at + found.length; index++) {
      const term = terms[index];
      if (term === undefined) continue;
      if (index === at) for (const concept of found.concepts) note(draft, concept, term.word);
      if (mayAsk && term.asks && asks !== undefined) note(draft, asks, term.word);
      if (isEnd(term.role)) close(draft, term.role);
      else hear(draft, term.role);
    }
  }
}

function hearWord(draft: Draft, term: Sense | undefined): void {
  if (term === undefined) return;
  if (isEnd(term.role) || isJoint(term.role)) close(draft, term.role);
  else hear(draft, term.role);
}

function holds(concepts: readonly Concept[] | undefined, concept: Concept | undefined): boolean {
  return concept !== undefined && concepts?.includes(concept) === true;
}

function hasMeaning({ meant }: Sense): boolean {
  return meant !== undefined;
}

/** Misspelt words replaced by what they were meant as. */
function putRight(senses: readonly Sense[]): readonly Sense[] {
  const right: Sense[] = [];
  let corrections = MAX_CORRECTIONS;
  for (const sense of senses) {
    const { misspelt, meant } = sense;
    if (meant === undefined || corrections === 0) right.push(sense);
    else for (const word of meant) right.push(word);
    if (misspelt && corrections > 0) corrections--;
  }
  return right;
}

function isNoWord(item: string): boolean {
  return item.charCodeAt(0) < 0x61 || isPunctuation(item);
}

/** True for numbers of four digits or more. */
function isLongNumber(item: string): boolean {
  return item.length >= 4 && isNoWord(item);
}
