import type { Concern } from '../../../domain/message/message.ts';
import {
  bucketOf,
  featuresOfWord,
  featureValues,
  hashText,
  pairBucket,
  type WordFeatures,
} from '../../../lib/learning/features.ts';
import type { SparseVector } from '../../../lib/learning/train.ts';
import { isPunctuation } from '../../../lib/text/tokenize.ts';
import type { ClassifiedText, ClauseCues } from '../rules/classify.ts';
import type { IndexedWord } from '../rules/phrase-index.ts';
import type { ConceptFinder } from './concept-finder.ts';

/** A word as the model reads it. */
export interface ModelWord {
  /** As `tokenize` gave it. */
  readonly token: string;
  readonly features: WordFeatures;
  /** Where it stands in the lexicon of concerns. */
  readonly indexed: IndexedWord;
  /** True for the marks that end a sentence. */
  readonly endsSentence: boolean;
  /** True for the marks that end a clause within a sentence. */
  readonly endsClause: boolean;
  /** True for punctuation that is no feature. */
  readonly isSkipped: boolean;
}

/** What the rules for intents found in a text. */
export interface RuleFindings {
  readonly clauses: readonly ClauseCues[];
  readonly classified: ClassifiedText;
  /** The share of the words that they know, from 0 to 1. */
  readonly explained: number;
}

/** A part of a text for the model: its words, and its further features as buckets. */
export interface ReadPart<Word extends ModelWord = ModelWord> {
  readonly words: readonly Word[];
  readonly extras: readonly number[];
}

/** A text for the model: as a whole, and its sentences and clauses if there are several. */
export interface ReadText<Word extends ModelWord = ModelWord> {
  readonly whole: ReadPart<Word>;
  readonly parts: readonly ReadPart<Word>[];
  /** The concerns of which it has an unmistakable phrase. */
  readonly unmistakable: ReadonlySet<Concern>;
}

/** Further concepts of a sentence are ignored, so that their pairs stay few. */
const MAX_CONCEPTS = 16;

/** Further parts are read only as parts of the whole. */
const MAX_PARTS = 200;

/** The least number of words of a clause, with its comma. */
const MIN_CLAUSE = 4;

/** Looks up a word of `tokenize`. */
export function toModelWord(token: string, concepts: ConceptFinder): ModelWord {
  return {
    token,
    features: featuresOfWord(token),
    indexed: concepts.lookUp(token),
    endsSentence: token === '.' || token === '!' || token === '?' || token === '\n' || token === ';',
    endsClause: token === ',' || token === ':',
    isSkipped: isPunctuation(token) && token !== '?',
  };
}

/** Makes the parts of a text from its words and from what the rules for intents found. The time grows with its length. */
export function readText<Word extends ModelWord>(
  words: readonly Word[],
  rules: RuleFindings,
  concepts: ConceptFinder,
): ReadText<Word> {
  const unmistakable = new Set<Concern>();
  const toPart = (part: readonly Word[]): ReadPart<Word> => {
    const found = concepts.find(part.map((word) => word.indexed)).slice(0, MAX_CONCEPTS);
    for (const concept of found) {
      const concern = concepts.sureConcern(concept);
      if (concern !== undefined) unmistakable.add(concern);
    }
    return { words: part.filter((word) => !word.isSkipped), extras: conceptExtras(found, 'c') };
  };
  const sentences = splitAfter(words, (word) => word.endsSentence);
  const read = sentences.map(toPart);
  const extras = new Set(read.flatMap((sentence) => sentence.extras));
  for (const bucket of ruleExtras(rules)) extras.add(bucket);
  const clauses = sentences.flatMap(clausesOf).map(toPart);
  const parts = sentences.length > 1 ? [...read, ...clauses] : clauses;
  return {
    whole: { words: words.filter((word) => !word.isSkipped), extras: [...extras] },
    // A part of marks alone would have the scores of an empty text.
    parts: parts.filter((part) => part.words.length > 0).slice(0, MAX_PARTS),
    unmistakable,
  };
}

/** The clauses of a sentence between its commas, where it has several that say something. */
function clausesOf<Word extends ModelWord>(sentence: readonly Word[]): readonly (readonly Word[])[] {
  const clauses = splitAfter(sentence, (word) => word.endsClause);
  if (clauses.length === 1) return [];
  return clauses.filter((clause) => clause.length >= MIN_CLAUSE);
}

function splitAfter<Word>(
  words: readonly Word[],
  isEnd: (word: Word) => boolean,
): readonly (readonly Word[])[] {
  const parts: Word[][] = [];
  let part: Word[] = [];
  for (const word of words) {
    part.push(word);
    if (!isEnd(word)) continue;
    parts.push(part);
    part = [];
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** A feature for each concept, and one for each two in the same sentence. */
function conceptExtras(concepts: readonly number[], lexicon: 'c' | 'i'): readonly number[] {
  const buckets: number[] = [];
  for (const [at, concept] of concepts.entries()) {
    buckets.push(conceptBucket(lexicon, concept, -1));
    for (const other of concepts.slice(at + 1)) buckets.push(conceptBucket(lexicon, concept, other));
  }
  return buckets;
}

const seeds = { c: 0x51ed270b, i: 0x2545f491 };

function conceptBucket(lexicon: 'c' | 'i', concept: number, other: number): number {
  return bucketOf(Math.imul(Math.imul(concept + 1, 0x9e3779b1) ^ (other + 2), seeds[lexicon]) >>> 12);
}

/** What the rules for intents found: the concepts of each clause, the intents that they rank first, and the cue. */
function ruleExtras({ clauses, classified }: RuleFindings): readonly number[] {
  const buckets = clauses.flatMap(({ clause }) =>
    conceptExtras([...clause.concepts].sort((a, b) => a - b).slice(0, MAX_CONCEPTS), 'i'),
  );
  const { intent, confidence, cues, alternatives } = classified;
  const [cue] = cues;
  if (cue === undefined) return buckets;
  buckets.push(ruleBucket('first', intent), ruleBucket('cue', cue));
  if (confidence > 0.6) buckets.push(ruleBucket('sure', intent));
  for (const other of alternatives)
    if (other.confidence > 0.1) buckets.push(ruleBucket('other', other.intent));
  return buckets;
}

function ruleBucket(kind: string, name: string): number {
  return bucketOf(hashText(`${kind}:${name}`));
}

/** The words of a part, each once. Words that are not cached are different objects each time. */
export function differentWords<Word extends ModelWord>(words: readonly Word[]): readonly Word[] {
  const seen = new Set<string>();
  return words.filter(({ token }) => {
    if (seen.has(token)) return false;
    seen.add(token);
    return true;
  });
}

/** The features of a part, in a fixed order: a word that occurs again counts once, two words side by side each time. */
export function vectorOf({ words, extras }: ReadPart): SparseVector {
  const buckets: number[] = [];
  const values: number[] = [];
  const add = (bucket: number, value: number): void => {
    buckets.push(bucket);
    values.push(value);
  };
  for (const { features } of differentWords(words)) {
    add(bucketOf(features.hash), featureValues.word);
    for (const bucket of features.letters) add(bucket, featureValues.letters);
  }
  eachPair(words, add);
  for (const bucket of extras) add(bucket, featureValues.extra);
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return {
    buckets: Uint32Array.from(buckets),
    values: Float32Array.from(values, (value) => value / length),
  };
}

/** Calls `add` for each two words side by side, and for each two with one between them. */
export function eachPair(words: readonly ModelWord[], add: (bucket: number, value: number) => void): void {
  let before: ModelWord | undefined;
  let earlier: ModelWord | undefined;
  for (const word of words) {
    if (before !== undefined) add(pairBucket(before.features, word.features, false), featureValues.pair);
    if (earlier !== undefined) add(pairBucket(earlier.features, word.features, true), featureValues.gap);
    earlier = before;
    before = word;
  }
}
