import { type ExampleIndex, massOf } from './example-index.ts';
import { eachPairFeature, eachWordFeature, rarityOf } from './features.ts';
import type { ReadText, ReadWord } from './text.ts';

/** What speaks for one intent. */
export interface Evidence {
  /** How similar the text is to all examples together, from 0 to 1: the cosine of words, letters and pairs. */
  readonly similarity: number;
  /** The sum of the importances of the text's words that stand in the examples; similar words count in part. */
  readonly matched: number;
  /** The share of words, from 0 to 1, that the text and the most similar example have in common. */
  readonly overlap: number;
  /** The number of examples. */
  readonly examples: number;
  /** True where the text is negated and the most similar example is not. */
  readonly isOnlyTextNegated: boolean;
}

/** A word, and what it adds to the comparison of any text with the examples. */
export interface ComparedWord extends ReadWord {
  /** The sum of the squares of its features. */
  readonly squares: number;
  /** By intent: the product of its features with the centroid. */
  readonly products: Float64Array;
  /** By intent: its importance, as far as it stands in the examples. */
  readonly matched: Float64Array;
  /** The examples that have it. */
  readonly examples: Uint32Array;
}

/** Compares a word with the examples of each intent. */
export function compareWord(index: ExampleIndex, word: ReadWord): ComparedWord {
  const products = new Float64Array(index.intents.length);
  const common = new Float64Array(index.intents.length);
  let squares = 0;
  eachWordFeature(word, (hash, value) => {
    squares += addProducts(index, products, hash, value);
    for (const intent of index.postings.get(hash)?.intents ?? []) {
      common[intent] = hash === word.hash ? word.letters.length : Number(common[intent]) + 1;
    }
  });
  const matched = common.map((count) => word.importance * Math.min(1, count / word.letters.length) ** 2);
  const examples = Uint32Array.from(index.examplesByWord.get(word.hash) ?? []);
  return { ...word, squares, products, matched, examples };
}

/** Compares a text with the examples of each intent, in the order of the index. */
export function gatherEvidence(index: ExampleIndex, text: ReadText<ComparedWord>): readonly Evidence[] {
  const products = new Float64Array(index.intents.length);
  const matched = new Float64Array(index.intents.length);
  let squares = 0;
  for (const word of text.words) {
    squares += word.squares;
    for (let intent = 0; intent < products.length; intent++) {
      products[intent] = Number(products[intent]) + Number(word.products[intent]);
      matched[intent] = Number(matched[intent]) + Number(word.matched[intent]);
    }
  }
  eachPairFeature(text, (hash, value) => {
    squares += addProducts(index, products, hash, value);
  });
  const length = squares === 0 ? 1 : Math.sqrt(squares);
  const closest = closestExamples(index, text);
  return index.intents.map((_, intent) => ({
    similarity: Math.min(1, Number(products[intent]) / length),
    matched: Number(matched[intent]),
    overlap: Number(closest.overlaps[intent]),
    examples: Number(index.counts[intent]),
    isOnlyTextNegated: text.isNegated && closest.affirmed[intent] === 1,
  }));
}

/** Adds the products of a feature with the centroids. Returns the square of its weight. */
function addProducts(index: ExampleIndex, products: Float64Array, hash: number, value: number): number {
  const posting = index.postings.get(hash);
  if (posting === undefined) return (value * rarityOf(0, index.intents.length)) ** 2;
  const { rarity, intents, weights } = posting;
  for (let at = 0; at < intents.length; at++) {
    const intent = Number(intents[at]);
    products[intent] = Number(products[intent]) + value * rarity * Number(weights[at]);
  }
  return (value * rarity) ** 2;
}

/** For each intent, how much its most similar example has in common with the text, and 1 where that is affirmed. */
function closestExamples(index: ExampleIndex, text: ReadText<ComparedWord>) {
  const { intents, masses, negated } = index.examples;
  const shared = new Float64Array(intents.length);
  for (const { examples, importance } of text.words) {
    for (const example of examples) shared[example] = Number(shared[example]) + importance;
  }
  const total = massOf(text.words);
  const overlaps = new Float64Array(index.intents.length);
  const affirmed = new Uint8Array(index.intents.length);
  for (let example = 0; example < shared.length; example++) {
    const both = Number(shared[example]);
    const intent = Number(intents[example]);
    const overlap = both === 0 ? 0 : Math.min(1, both / (total + Number(masses[example]) - both));
    if (overlap <= Number(overlaps[intent])) continue;
    overlaps[intent] = overlap;
    affirmed[intent] = negated[example] === 1 ? 0 : 1;
  }
  return { overlaps, affirmed };
}
