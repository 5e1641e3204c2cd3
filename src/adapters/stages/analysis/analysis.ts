import { type Concern, concerns } from '../../../domain/message/message.ts';
import type { PreparedText } from '../../../domain/message/prepared.ts';
import type {
  IntentClassifier,
  RankedIntent,
  TextVector,
} from '../../../domain/playbook/intent-classifier.ts';
import { hashText, type ReadText, withoutDigits } from '../../../lib/learning/text-reader.ts';
import { stem } from '../../../lib/text/stemmer.ts';
import { fold, tokenize } from '../../../lib/text/tokenize.ts';
import {
  createWordMatcher,
  indexByFirstWord,
  parseWordPattern,
  type WordPattern,
} from '../../../lib/text/word-patterns.ts';
import { hasModelFile, readLexicon } from '../../shared/reading/model-files.ts';
import { readText } from '../../shared/reading/read-text.ts';
import type { Judge, Judgement } from './judgement.ts';

/** Everything that is read from a text, once. */
export interface MessageAnalysis extends Judgement {
  /** The phrases of the text that stand above every model: those of a concern, and a request for a person. */
  readonly phrases: FoundPhrases;
  /** The words that unmistakably ask for a person; undefined where there are none. */
  readonly wantsPerson: string | undefined;
  /** The likeliest intents of the playbook, the likeliest first. */
  readonly intents: readonly RankedIntent[];
  /** The words of the customer that say most for a concern: a phrase, or single words. */
  evidenceOf(concern: Concern): readonly string[];
}

/** The parts that read messages by one playbook. */
export interface AnalyzerParts {
  readonly judge: Judge;
  /** Finds phrases in a text; the languages are those whose unmistakable phrases count. */
  readonly findPhrases: (text: ReadText, languages: readonly string[]) => FoundPhrases;
  readonly rank: IntentClassifier['rank'];
  /** The languages of the playbook. */
  readonly languages: readonly string[];
}

/** The most intents that are looked at: the others are not likely. */
const INTENTS = 10;

/**
 * Analyzes a text: tokens, signals, concerns, intents. The models are read for the first text, so that they do not
 * delay the start. The vector is that of the text, for a classifier that can use it. The time grows with the length
 * of the text.
 */
export function analyze(
  { text, language }: Pick<PreparedText, 'text' | 'language'>,
  { judge, findPhrases, rank, languages }: AnalyzerParts,
  vector?: TextVector,
): MessageAnalysis {
  const read = readText(text);
  const judgement = judge(read, language);
  const phrases = findPhrases(read, language === 'und' ? [...new Set([...languages, 'en'])] : [language]);
  const [best, ...others] = rank(text, INTENTS, vector);
  const intents =
    best === undefined ? [] : [{ ...best, evidence: asWritten(text, best.evidence) }, ...others];
  return {
    signals: judgement.signals,
    evidenceFor: (signal) => asWritten(text, judgement.evidenceFor(signal)),
    evidenceOf(concern) {
      const phrase = phrases.get(concern);
      return phrase === undefined ? asWritten(text, judgement.evidenceFor(concern)) : [phrase];
    },
    phrases,
    wantsPerson: phrases.get('human'),
    intents,
  };
}

/** Words as the customer wrote them, from their folded forms. */
function asWritten(text: string, folded: readonly string[] = []): readonly string[] {
  if (folded.length === 0) return folded;
  const wanted = new Map<string, string>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}\p{M}'’]+/gu)) {
    const key = withoutDigits(fold(word).replaceAll("'", ''));
    if (!wanted.has(key)) wanted.set(key, word);
  }
  return folded.map((word) => wanted.get(word) ?? word);
}

// Phrases

/** A phrase that raises a concern, as the hashes of its words. */
interface Phrase {
  readonly hashes: readonly number[];
  readonly concern: Concern;
  readonly text: string;
}

/** The phrases by the hash of their first word. */
type Index = ReadonlyMap<number, readonly Phrase[]>;

/** Requests for a person by their first word, and what takes them back right before them. */
interface PersonRequests {
  readonly requests: ReadonlyMap<string, readonly WordPattern[]>;
  readonly negations: readonly WordPattern[];
}

/** The phrases of one language. */
interface Shipped {
  readonly concerns: Index;
  readonly human: PersonRequests;
}

/** The first phrase of each concern that a text has, and of a request for a person. */
type FoundPhrases = ReadonlyMap<Concern | 'human', string>;

/** The most words of what takes a request for a person back. */
const MAX_NEGATION = 4;

/** The levels of breaks at the ends of clauses and sentences. */
const [CLAUSE, SENTENCE] = [2, 3];

const shipped = new Map<string, Shipped>();

/** The unmistakable phrases of a language: see `models/phrases`. Empty for a language that has none. */
function shippedPhrases(language: string): Shipped {
  let known = shipped.get(language);
  if (known === undefined) {
    const file = `phrases/${language}.txt`;
    const lexicon = hasModelFile(file) ? readLexicon(file) : new Map<string, string[]>();
    const patternsOf = (name: string) => (lexicon.get(name) ?? []).map((text) => parseWordPattern(text));
    known = {
      concerns: indexPhrases(
        concerns.flatMap((concern) => (lexicon.get(concern) ?? []).map((text) => ({ concern, text }))),
      ),
      human: { requests: indexByFirstWord(patternsOf('human')), negations: patternsOf('not_human') },
    };
    shipped.set(language, known);
  }
  return known;
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
 * Creates the search for phrases that stand above every model, in whatever text they stand: the unmistakable ones of
 * some languages, for concerns and for a person, and those that a playbook states for its concerns. Words of concerns
 * are compared by their stem, those of a request for a person as they are; a negation right before such a request in
 * the same clause takes it back. The time is linear in the length of the text.
 */
export function createPhraseFinder(
  stated: readonly { readonly concern: Concern; readonly text: string }[],
): (text: ReadText, languages: readonly string[]) => FoundPhrases {
  const own = indexPhrases(stated);
  return (text, languages) => {
    const found = new Map<Concern | 'human', string>();
    if (own.size > 0) findConcerns(text, own, found);
    for (const language of languages) {
      const phrases = shippedPhrases(language);
      if (phrases.concerns.size > 0) findConcerns(text, phrases.concerns, found);
      if (!found.has('human')) findPersonRequest(text, phrases.human, found);
    }
    return found;
  };
}

function findConcerns({ words }: ReadText, index: Index, found: Map<Concern | 'human', string>): void {
  for (let at = 0; at < words.length; at++) {
    const phrases = index.get(words[at]?.hash ?? 0);
    if (phrases === undefined) continue;
    for (const { hashes, concern, text } of phrases) {
      if (found.has(concern)) continue;
      if (hashes.every((hash, offset) => words[at + offset]?.hash === hash)) found.set(concern, text);
    }
  }
}

function findPersonRequest(
  text: ReadText,
  { requests, negations }: PersonRequests,
  found: Map<Concern | 'human', string>,
): void {
  const { words, breaks } = text;
  const startsClause = (at: number) => at === 0 || Number(breaks[at]) > 0;
  const match = createWordMatcher({
    length: words.length,
    wordAt: (at) => words[at]?.token,
    startsClause,
    endsClause: (at) => at >= words.length || startsClause(at),
    isOutside: (at) => breaks[at] === SENTENCE,
    isBarrier: () => false,
  });
  for (let at = 0; at < words.length; at++) {
    for (const request of requests.get(words[at]?.token ?? '') ?? []) {
      const end = match(request, at);
      if (end < 0 || isTakenBack(at)) continue;
      found.set(
        'human',
        words
          .slice(at, end)
          .map(({ token }) => token)
          .join(' '),
      );
      return;
    }
  }

  function isTakenBack(at: number): boolean {
    for (let start = at - 1; start >= Math.max(0, at - MAX_NEGATION); start--) {
      if (Number(breaks[start + 1]) >= CLAUSE) return false;
      if (negations.some((negation) => match(negation, start, at) === at)) return true;
    }
    return false;
  }
}
