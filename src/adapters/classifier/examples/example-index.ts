import { memoize, spacedName } from '../../../lib/text/words.ts';
import { eachFeature, rarityOf } from './features.ts';
import { type ReadText, type ReadWord, readText, readWord } from './text.ts';

/** An intent and texts that stand for it. */
export interface ExampleIntent {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
}

/** What the examples say about one feature. */
export interface Posting {
  /** How rare it is among the intents: 1 in none of them, less the more of them have it. */
  readonly rarity: number;
  /** The intents that have it, as indexes. */
  readonly intents: readonly number[];
  /** Its weight in the centroid of each of these intents. */
  readonly weights: readonly number[];
}

/** All examples, one after the other: numbers in columns, which are compared with each text. */
export interface ExampleColumns {
  readonly intents: Uint32Array;
  /** The sums of the importances of their words. */
  readonly masses: Float64Array;
  /** 1 where an example is negated. */
  readonly negated: Uint8Array;
}

/** The examples of all intents, prepared for comparing texts with them. */
export interface ExampleIndex {
  readonly intents: readonly string[];
  /** The number of examples of each intent. */
  readonly counts: readonly number[];
  /** By the hash of a feature. */
  readonly postings: ReadonlyMap<number, Posting>;
  readonly examples: ExampleColumns;
  /** The examples that have a word, by its hash, as indexes. */
  readonly examplesByWord: ReadonlyMap<number, readonly number[]>;
  /** The intents that have an example, by its key, as indexes. */
  readonly intentsByKey: ReadonlyMap<string, readonly number[]>;
}

/** Reads the examples, and the name and the description of each intent as one more. */
export function indexExamples(intents: readonly ExampleIntent[]): ExampleIndex {
  const lookUp = memoize(readWord);
  const examples: { intent: number; mass: number; isNegated: boolean }[] = [];
  const examplesByWord = new Map<number, number[]>();
  const intentsByKey = new Map<string, number[]>();
  const groups = intents.map((one, intent) => {
    const texts = one.examples.map((text) => readText(text, lookUp)).filter(hasWords);
    for (const { key, words, isNegated } of texts) {
      for (const { hash } of words) appendTo(examplesByWord, hash, examples.length);
      if (intentsByKey.get(key)?.at(-1) !== intent) appendTo(intentsByKey, key, intent);
      examples.push({ intent, mass: massOf(words), isNegated });
    }
    return texts;
  });
  const labels = intents.map((one) => readText(labelOf(one), lookUp));
  return {
    intents: intents.map(({ name }) => name),
    counts: groups.map((texts) => texts.length),
    postings: postingsOf(groups.map((texts, at) => [...texts, ...labels.slice(at, at + 1).filter(hasWords)])),
    examples: {
      intents: Uint32Array.from(examples, ({ intent }) => intent),
      masses: Float64Array.from(examples, ({ mass }) => mass),
      negated: Uint8Array.from(examples, ({ isNegated }) => (isNegated ? 1 : 0)),
    },
    examplesByWord,
    intentsByKey,
  };
}

/** The words of the name, and the description where it says more. */
function labelOf({ name, description }: ExampleIntent): string {
  const words = spacedName(name);
  return description === words ? words : `${words}. ${description}`;
}

/** The sum of the importances of words. */
export function massOf(words: readonly ReadWord[]): number {
  let sum = 0;
  for (const { importance } of words) sum += importance;
  return sum;
}

function hasWords({ words }: ReadText): boolean {
  return words.length > 0;
}

/** A feature while the examples are read. */
interface CountedFeature {
  rarity: number;
  readonly intents: number[];
  readonly weights: number[];
  /** Where the intent whose centroid is computed next stands in `intents`. */
  next: number;
}

/** A text as features, which may repeat, and their values. */
interface Vector {
  readonly features: readonly CountedFeature[];
  readonly values: readonly number[];
}

function postingsOf(groups: readonly (readonly ReadText[])[]): ReadonlyMap<number, Posting> {
  const features = new Map<number, CountedFeature>();
  const vectors = groups.map((texts, intent) => texts.map((text) => toVector(text, intent, features)));
  for (const feature of features.values()) feature.rarity = rarityOf(feature.intents.length, groups.length);
  for (const group of vectors) addCentroid(group);
  return features;
}

/** Makes the vector of a text, and notes in its features that the intent has them. */
function toVector(text: ReadText, intent: number, known: Map<number, CountedFeature>): Vector {
  const features: CountedFeature[] = [];
  const values: number[] = [];
  eachFeature(text, (hash, value) => {
    let feature = known.get(hash);
    if (feature === undefined) {
      feature = { rarity: 0, intents: [], weights: [], next: 0 };
      known.set(hash, feature);
    }
    if (feature.intents.at(-1) !== intent) {
      feature.intents.push(intent);
      feature.weights.push(0);
    }
    features.push(feature);
    values.push(value);
  });
  return { features, values };
}

/** Computes the weights of an intent: the sum of its vectors, each of length 1, as a vector of length 1. */
function addCentroid(vectors: readonly Vector[]): void {
  const found = new Set<CountedFeature>();
  for (const { features, values } of vectors) {
    const weights = features.map(({ rarity }, at) => rarity * Number(values[at]));
    const length = lengthOf(weights);
    features.forEach((feature, at) => {
      feature.weights[feature.next] = Number(feature.weights[feature.next]) + Number(weights[at]) / length;
      found.add(feature);
    });
  }
  const length = lengthOf([...found].map(({ weights, next }) => Number(weights[next])));
  for (const feature of found) {
    feature.weights[feature.next] = Number(feature.weights[feature.next]) / length;
    feature.next++;
  }
}

function lengthOf(weights: readonly number[]): number {
  let squares = 0;
  for (const weight of weights) squares += weight * weight;
  return Math.sqrt(squares);
}

function appendTo<Key>(lists: Map<Key, number[]>, key: Key, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
