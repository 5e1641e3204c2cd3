import type { LabeledScores, WeightedExample } from '../../../lib/learning/calibration.ts';
import { evidenceOf, scopeInputs, unknownOffset } from '../../../lib/learning/confidence.ts';
import { scoreText, toShares, trainMultinomial } from '../../../lib/learning/multinomial.ts';
import { createRandom, shuffle } from '../../../lib/learning/train.ts';
import { type LearningSet, unknownShares } from './learning-set.ts';

/** How to train a model whose predictions are tested. */
export interface TrialOptions {
  readonly epochs: number;
  readonly seed: number;
  /** Called after each epoch with the number of texts that it had. */
  readonly onTexts: (count: number) => void;
}

/** What models say about texts that they were not trained on, in the order of the texts. */
export interface HeldOut extends LabeledScores {
  /** The share of the words of each text that its model had never seen. */
  readonly unknown: Float32Array;
}

/** Trains a model for each fold, on the texts of the other folds, and scores the texts of the fold with it. */
export function crossValidate(
  set: LearningSet,
  foldOf: Int32Array,
  folds: number,
  options: TrialOptions,
): HeldOut {
  const classes = set.intents.length;
  const scores = new Float32Array(set.members.length * classes);
  const unknown = new Float32Array(set.members.length);
  for (let fold = 0; fold < folds; fold++) {
    const trained = set.members.filter((member) => foldOf[member] !== fold);
    const tested = set.members.filter((member) => foldOf[member] === fold);
    const trial = runTrial(set, set.labels, classes, trained, tested, options);
    tested.forEach((member, at) => {
      scores.set(trial.scores.subarray(at * classes, (at + 1) * classes), member * classes);
      unknown[member] = Number(trial.unknown[at]);
    });
  }
  return { classes, scores, labels: set.labels, unknown };
}

/** Trains a model on half of the texts outside a fold, and scores the texts of the fold with it. */
export function tryHalf(set: LearningSet, foldOf: Int32Array, options: TrialOptions): HeldOut {
  const outside = set.members.filter((member) => foldOf[member] !== 0);
  const order = [...outside];
  shuffle(order, createRandom(options.seed));
  const byIntent = order.sort((a, b) => Number(set.labels[a]) - Number(set.labels[b]));
  const trained = byIntent.filter((_, place) => place % 2 === 0);
  const tested = set.members.filter((member) => foldOf[member] === 0);
  return runTrial(set, set.labels, set.intents.length, trained, tested, options);
}

/** What a model of some of the intents says about texts of all intents; a label is -1 where it does not know the intent. */
export interface OutsideTrial {
  readonly heldOut: HeldOut;
  /** The intents that the model knows, in the order of its scores. */
  readonly known: readonly number[];
}

/** Fewer intents in a half do not say how a text of another intent differs. */
const MIN_INTENTS = 3;

/**
 * Shows models of one half of the intents the texts of both halves, so that it can be measured how a text of none of the
 * intents differs. Empty where there are too few intents.
 */
export function leaveIntentsOut(
  set: LearningSet,
  foldOf: Int32Array,
  options: TrialOptions,
): readonly OutsideTrial[] {
  const order = set.intents.map((_, intent) => intent);
  if (order.length < 2 * MIN_INTENTS) return [];
  shuffle(order, createRandom(options.seed));
  const middle = order.length >> 1;
  return [order.slice(0, middle), order.slice(middle)].map((known) => {
    const numbers = new Map(known.map((intent, number) => [intent, number]));
    const labels = set.labels.map((intent) => numbers.get(intent) ?? -1);
    const trained = set.members.filter((member) => foldOf[member] !== 0 && Number(labels[member]) >= 0);
    const tested = set.members.filter((member) => foldOf[member] === 0);
    return { heldOut: runTrial(set, labels, known.length, trained, tested, options), known };
  });
}

/** The texts of no intent are assumed to be this share of all texts. */
export const OUT_OF_SCOPE = 0.1;

/** Examples that say of texts whether they are of an intent that the model knows. */
export function scopeExamples(
  { heldOut: { classes, scores, labels, unknown } }: OutsideTrial,
  temperature: number,
): readonly WeightedExample[] {
  const inside = labels.filter((label) => label >= 0).length;
  const outside = Math.max(1, labels.length - inside);
  const outsideWeight = ((OUT_OF_SCOPE / (1 - OUT_OF_SCOPE)) * inside) / outside;
  return [...labels].map((label, at) => {
    const shares = Float64Array.from(scores.subarray(at * classes, (at + 1) * classes));
    const evidence = evidenceOf(shares, temperature);
    toShares(shares, temperature);
    return {
      inputs: scopeInputs(shares, evidence),
      offset: unknownOffset(Number(unknown[at])),
      target: label >= 0 ? 1 : 0,
      weight: label >= 0 ? 1 : outsideWeight,
    };
  });
}

function runTrial(
  { texts }: LearningSet,
  labels: Int32Array,
  classes: number,
  trained: readonly number[],
  tested: readonly number[],
  { epochs, seed, onTexts }: TrialOptions,
): HeldOut {
  const onEpoch = (): void => onTexts(trained.length);
  const weights = trainMultinomial(texts, labels, trained, { classes, epochs, seed, onEpoch });
  const scores = new Float32Array(tested.length * classes);
  const row = new Float64Array(classes);
  tested.forEach((member, at) => {
    scoreText(weights, texts, member, row);
    scores.set(row, at * classes);
  });
  return {
    classes,
    scores,
    labels: Int32Array.from(tested, (member) => Number(labels[member])),
    unknown: Float32Array.from(unknownShares(texts, trained, tested)),
  };
}
