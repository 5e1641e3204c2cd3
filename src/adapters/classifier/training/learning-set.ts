import { type EncodedTexts, encodeTexts } from '../../../lib/learning/encoded-texts.ts';
import { extraBucket } from '../../../lib/learning/ngrams.ts';
import { createRandom, shuffle } from '../../../lib/learning/train.ts';
import { type RankByRules, ruleFeatures } from '../rule-features.ts';
import type { CleanTickets } from '../tickets/clean.ts';

/** Texts with their intents, ready to learn from. */
export interface LearningSet {
  readonly texts: EncodedTexts;
  readonly intents: readonly string[];
  /** The number of the intent of each text. */
  readonly labels: Int32Array;
  /** All texts, as numbers. */
  readonly members: readonly number[];
}

/** With so many texts, features that occur in one of them only are left out. */
const MANY_TEXTS = 1_000;

/** Reads the texts of tickets. With `rankByRules` what the rules find in them is a feature. */
export function createLearningSet(
  { examples, intents }: CleanTickets,
  rankByRules: RankByRules | undefined,
): LearningSet {
  const texts = encodeTexts(
    examples.map(({ message }) => ({
      text: message,
      extras: rankByRules === undefined ? [] : ruleFeatures(rankByRules(message)).map(extraBucket),
    })),
    examples.length < MANY_TEXTS ? 1 : 2,
  );
  const numbers = new Map(intents.map((intent, number) => [intent, number]));
  return {
    texts,
    intents,
    labels: Int32Array.from(examples, ({ intent }) => numbers.get(intent) ?? -1),
    members: examples.map((_, member) => member),
  };
}

/** Deals the texts of each intent out to folds, as evenly as possible, in an order of chance. */
export function dealIntoFolds(
  { labels, members, intents }: LearningSet,
  folds: number,
  seed: number,
): Int32Array {
  const order = [...members];
  shuffle(order, createRandom(seed));
  const byIntent: number[][] = intents.map(() => []);
  for (const member of order) byIntent[Number(labels[member])]?.push(member);
  const foldOf = new Int32Array(members.length);
  byIntent.flat().forEach((member, place) => {
    foldOf[member] = place % folds;
  });
  return foldOf;
}

/** For each of `tested`, the share of its words that no text of `trained` has; 1 for a text without words. */
export function unknownShares(
  { words, seen }: EncodedTexts,
  trained: readonly number[],
  tested: readonly number[],
): readonly number[] {
  const known = new Uint8Array(seen.length);
  for (const member of trained) for (const word of words[member] ?? []) known[word] = 1;
  return tested.map((member) => {
    const own = [...(words[member] ?? [])];
    return own.length === 0 ? 1 : own.filter((word) => known[word] === 0).length / own.length;
  });
}
