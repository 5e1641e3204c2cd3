import { isPunctuation } from '../../../lib/text/tokenize.ts';
import {
  addConcept,
  addWord,
  type Clause,
  type ClauseRules,
  type ClauseState,
  compileClauseRules,
  endClause,
  isConjunction,
  isPunctuationRole,
  roleOf,
  startClauses,
  type WordRole,
} from './clauses.ts';
import type { Concept, ConceptIds } from './concepts.ts';
import { createPhraseIndex, type IndexedWord, type PhraseMatch } from './phrase-index.ts';
import { createSpellingCorrector } from './spelling.ts';

/** Maximum number of misspelled words per message that are corrected, so that the time stays linear. */
export const MAX_CORRECTIONS = 64;

/** How a lexicon writes any number of four digits or more. */
const LONG_NUMBER = '0000';

/** Options of {@link createClauseAnalyzer}. */
export interface ClauseAnalyzerOptions extends ClauseRules {
  /** From concept to its words and phrases; see {@link createPhraseIndex}. */
  readonly lexicon: Readonly<Record<string, string>>;
  /** Concepts whose words are so common that no misspelling is corrected to them. */
  readonly uncorrectable: ReadonlySet<string>;
  /** Correct words that resemble words of the lexicon. */
  readonly ordinaryWords: ReadonlySet<string>;
}

/** Analyzes texts in two steps, so that the result of the first can be cached word by word. */
export interface ClauseAnalyzer {
  readonly concepts: ConceptIds;
  /**
   * Looks up a word or punctuation mark, whatever is next to it. Without `correctSpelling` a misspelled word has no
   * corrections; that is faster, and used after {@link MAX_CORRECTIONS} misspelled words.
   */
  tokenOf(word: string, correctSpelling: boolean): Token;
  /** Finds the clauses of a message by its tokens. The time grows with their number. */
  analyze(tokens: readonly Token[]): readonly Clause[];
}

/** A word with what the analyzer knows about it. */
export interface Token extends IndexedWord {
  readonly role: WordRole;
  /** The word alone marks a request. */
  readonly isRequest: boolean;
  readonly misspelled: boolean;
  /** The words that a misspelled one stands for; undefined for correct words, and where no correction is known. */
  readonly corrections: readonly Token[] | undefined;
}

/** Creates an analyzer for one lexicon. */
export function createClauseAnalyzer(options: ClauseAnalyzerOptions): ClauseAnalyzer {
  const phrases = createPhraseIndex(options.lexicon, options.uncorrectable);
  const rules = compileClauseRules(options, phrases.concepts);
  const request = phrases.concepts.get('asks');
  const refusal = phrases.concepts.get('refusal');
  return {
    concepts: phrases.concepts,
    tokenOf: createTokenizer(options, phrases, request),
    analyze(tokens) {
      const words = tokens.some(({ corrections }) => corrections !== undefined) ? corrected(tokens) : tokens;
      const state = startClauses(rules);
      for (let at = 0; at < words.length; ) {
        const match = phrases.longestMatch(words, at);
        const end = at + (match?.length ?? 1);
        const matched = words.slice(at, end);
        if (match === undefined) addUnmatched(state, matched);
        else addPhrase(state, matched, match, { request, refusal });
        at = end;
      }
      endClause(state, 'punctuation');
      return state.done;
    },
  };
}

function createTokenizer(
  options: ClauseAnalyzerOptions,
  phrases: ReturnType<typeof createPhraseIndex>,
  request: Concept | undefined,
): ClauseAnalyzer['tokenOf'] {
  const spelling = createSpellingCorrector({
    known: phrases.words,
    targets: phrases.correctable,
    ordinary: options.ordinaryWords,
  });
  const token = (word: string, lemma?: string): Token => {
    const indexed = phrases.lookUp(word, lemma);
    const isRequest = includes(indexed.byLemma?.match?.concepts, request);
    return { ...indexed, role: roleOf(word), isRequest, misspelled: false, corrections: undefined };
  };
  // Most words of a message are in no phrase: they share one object.
  const unknown = token('');
  const misspelledUnknown: Token = { ...unknown, misspelled: true };

  return (word, correctSpelling) => {
    if (isLongNumber(word)) return token(word, LONG_NUMBER);
    const isCorrect = !hasLetters(word) || spelling.isKnown(word);
    const isRelevant = (isCorrect && phrases.words.has(word)) || roleOf(word) !== 'plain';
    const asWritten = isRelevant ? token(word) : unknown;
    if (isCorrect) return asWritten;
    const corrections = correctSpelling ? spelling.correct(word) : [];
    if (corrections.length > 0) {
      return {
        ...asWritten,
        misspelled: true,
        corrections: corrections.map((correction) => token(correction)),
      };
    }
    return asWritten === unknown ? misspelledUnknown : { ...asWritten, misspelled: true };
  };
}

function addPhrase(
  state: ClauseState,
  tokens: readonly Token[],
  match: PhraseMatch,
  { request, refusal }: { readonly request: Concept | undefined; readonly refusal: Concept | undefined },
): void {
  // `get my money back` is a request because of `get`, whatever else the phrase means, unless it is a refusal.
  const canRequest = match.length > 1 && !includes(match.concepts, refusal);
  for (const [index, token] of tokens.entries()) {
    if (index === 0) for (const concept of match.concepts) addConcept(state, concept, token.word);
    if (canRequest && token.isRequest && request !== undefined) addConcept(state, request, token.word);
    if (isPunctuationRole(token.role)) endClause(state, token.role);
    else addWord(state, token.role);
  }
}

function addUnmatched(state: ClauseState, tokens: readonly Token[]): void {
  for (const { role } of tokens) {
    if (isPunctuationRole(role) || isConjunction(role)) endClause(state, role);
    else addWord(state, role);
  }
}

function includes(concepts: readonly Concept[] | undefined, concept: Concept | undefined): boolean {
  return concept !== undefined && concepts?.includes(concept) === true;
}

/** Replaces misspelled words by their corrections. */
function corrected(tokens: readonly Token[]): readonly Token[] {
  let remaining = MAX_CORRECTIONS;
  return tokens.flatMap((token) => {
    const words = remaining === 0 ? undefined : token.corrections;
    if (token.misspelled && remaining > 0) remaining--;
    return words ?? [token];
  });
}

function hasLetters(word: string): boolean {
  return word.charCodeAt(0) >= 0x61 && !isPunctuation(word);
}

/** True for numbers of four digits or more. */
function isLongNumber(word: string): boolean {
  return word.length >= 4 && !hasLetters(word);
}
