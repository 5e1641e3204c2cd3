import { pairHash, type ReadText, type ReadWord } from './text.ts';

/** How much a word, its letter sequences together, and two words side by side count in a comparison. */
const WORD = 1;
const LETTERS = 1.6;
const PAIR = 0.25;

/** Receives a feature by its hash, and its value before its rarity counts. */
export type FeatureVisitor = (hash: number, value: number) => void;

/** Calls `visit` with each feature of a text. */
export function eachFeature(text: ReadText, visit: FeatureVisitor): void {
  for (const word of text.words) eachWordFeature(word, visit);
  eachPairFeature(text, visit);
}

/** Calls `visit` with each feature that a word has whatever stands beside it. */
export function eachWordFeature({ hash, letters, importance }: ReadWord, visit: FeatureVisitor): void {
  const strength = Math.sqrt(importance);
  visit(hash, WORD * strength);
  const value = (LETTERS * strength) / Math.sqrt(letters.length);
  for (const sequence of letters) visit(sequence, value);
}

/** Calls `visit` with each feature of two words side by side. */
export function eachPairFeature({ pairs }: ReadText, visit: FeatureVisitor): void {
  for (const pair of pairs) {
    const [first, second] = pair;
    visit(pairHash(pair), PAIR * Math.sqrt(Math.max(first.importance, second.importance)));
  }
}

/** How rare a feature is that `count` of `total` intents have, from 0 to 1. */
export function rarityOf(count: number, total: number): number {
  return Math.log(1 + total / (count === 0 ? 0.5 : count)) / Math.log(1 + 2 * total);
}
