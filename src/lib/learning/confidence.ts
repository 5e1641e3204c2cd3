import { toShares } from './multinomial.ts';
import { sigmoid } from './train.ts';

/** What turns scores into probabilities. */
export interface ConfidenceModel {
  readonly temperature: number;
  /** Coefficients for the probability that a text is of any class: see {@link scopeInputs}. */
  readonly scope: readonly [number, number, number];
}

/** How much the words that a model has never seen count against a text: its odds fall to 2 % where it knows none. */
const UNKNOWN_WEIGHT = 4;

/** Probabilities of the best class closer to 0 or 1 count no further. */
const MAX_LOGIT = 6;

/**
 * What tells whether a text is of any class, after its scores were turned into shares: 1, the log odds of the best
 * class, and how far its score is above the mean.
 */
export function scopeInputs(shares: Float64Array, evidence: number): readonly [number, number, number] {
  let best = 0;
  for (const share of shares) best = Math.max(best, share);
  const logit = best >= 1 ? MAX_LOGIT : Math.log(best / (1 - best));
  return [1, Math.max(-MAX_LOGIT, Math.min(MAX_LOGIT, logit)), evidence];
}

/** How far the best score is above the mean of all, in units of the temperature. */
export function evidenceOf(scores: Float64Array, temperature: number): number {
  let best = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (const score of scores) {
    best = Math.max(best, score);
    sum += score;
  }
  return (best - sum / scores.length) / temperature;
}

/** What words that the model has never seen add to the score for {@link ConfidenceModel.scope}; `share` is theirs of all. */
export function unknownOffset(share: number): number {
  return -UNKNOWN_WEIGHT * share;
}

/**
 * Turns the scores of a text into probabilities in place: those of the classes, times the probability that it is of any
 * class. `unknown` is the share of its words that the model has never seen; with 1 all probabilities are 0.
 */
export function toConfidences(scores: Float64Array, unknown: number, model: ConfidenceModel): void {
  const evidence = evidenceOf(scores, model.temperature);
  toShares(scores, model.temperature);
  const [constant, logit, above] = scopeInputs(scores, evidence);
  const [first, second, third] = model.scope;
  const score = constant * first + logit * second + above * third + unknownOffset(unknown);
  const inScope = unknown === 1 ? 0 : sigmoid(score);
  for (let one = 0; one < scores.length; one++) scores[one] = Number(scores[one]) * inScope;
}
