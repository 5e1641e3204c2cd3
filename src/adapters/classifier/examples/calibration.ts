import type { Evidence } from './evidence.ts';

/**
 * A conditional logit: the score of an intent grows with its evidence, and the softmax over all intents and "none of
 * these" gives the probabilities. The numbers were fitted on few-shot problems made of public data sets, with 3 to 20
 * intents and 1 to 10 examples each; about half of the texts had one of the intents.
 */
const coefficients = {
  /** Of the logarithm of the similarity. */
  similarity: 2.41,
  overlap: 4.61,
  /** Of the logarithm of the matched importance: a few function words are no evidence. */
  matched: 1.81,
  /** Of the logarithm of the number of examples: a text resembles one of many by accident. */
  examples: -0.83,
  none: -3.49,
  /** Of the logarithm of the number of intents, for the same reason. */
  noneByIntents: 0.97,
};

/** Keeps the logarithm of a similarity of 0 finite. */
const SIMILARITY_OFFSET = 0.05;

/** The number of examples from which on more of them change nothing. */
const MAX_EXAMPLES = 20;

/** The probability of each intent, in the same order. They add up to less than 1: the rest is none of them. */
export function toProbabilities(evidence: readonly Evidence[]): readonly number[] {
  const none = coefficients.none + coefficients.noneByIntents * Math.log(Math.max(1, evidence.length));
  const odds = evidence.map((one) => Math.exp(scoreOf(one) - none));
  const total = odds.reduce((sum, one) => sum + one, 1);
  return odds.map((one) => one / total);
}

function scoreOf({ similarity, overlap, matched, examples }: Evidence): number {
  const count = Math.min(MAX_EXAMPLES, Math.max(1, examples));
  return (
    coefficients.similarity * Math.log(similarity + SIMILARITY_OFFSET) +
    coefficients.overlap * overlap +
    coefficients.matched * Math.log(1 + matched) +
    coefficients.examples * Math.log(count)
  );
}
