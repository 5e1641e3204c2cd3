import { itemAt } from '../../lib/array.ts';
import type { IntentScores } from './figures.ts';

/** How errors fall with more examples: by `2 ** -exponent` when they double. */
export interface LearningCurve {
  readonly exponent: number;
  /** What 100 more examples, spread like those of the file, might make of the accuracy. */
  readonly accuracyNow: number;
  readonly accuracyWithMore: number;
  readonly perIntent: readonly IntentOutlook[];
}

/** What more examples of one intent might bring: estimates, no measurements. */
export interface IntentOutlook {
  /** The share of its texts that are found now, and with {@link MORE} more examples of it. */
  readonly recallNow: number;
  readonly recallWithMore: number;
  /**
   * How many more examples it might take until {@link GOAL} of its texts are found; undefined where it would be too
   * many to say.
   */
  readonly needed: number | undefined;
}

/** So many more examples. */
export const MORE = 100;

/** The share of the texts of an intent that are to be found. */
export const GOAL = 0.9;

/** The bounds of the exponent: less is hardly measurable, more is chance. */
const EXPONENTS = [0.1, 1] as const;

/** More than so many times the present examples are no estimate any more. */
const MAX_FACTOR = 10;

/** What was measured. */
export interface CurveInput {
  readonly examples: number;
  readonly folds: number;
  /** The accuracy on a fold with the training texts of all other folds, and with half of them. */
  readonly accuracyOfAll: number;
  readonly accuracyOfHalf: number;
  /** Cross-validated, over all folds. */
  readonly accuracy: number;
  readonly perIntent: readonly IntentScores[];
}

/** Estimates by a power law, from the errors with all and with half of the examples, what more examples might bring. */
export function estimateCurve(input: CurveInput): LearningCurve {
  const { examples, folds, perIntent } = input;
  const ratio = (1 - input.accuracyOfHalf) / Math.max(1e-9, 1 - input.accuracyOfAll);
  const [least, most] = EXPONENTS;
  const exponent = Math.min(most, Math.max(least, Math.log2(Math.max(1e-9, ratio))));
  const trainedShare = (folds - 1) / folds;
  const errorAt = (error: number, own: number, count: number): number =>
    Math.min(1, error * (count / (own * trainedShare)) ** -exponent);
  const error = 1 - input.accuracy;
  return {
    exponent,
    accuracyNow: 1 - errorAt(error, examples, examples),
    accuracyWithMore: 1 - errorAt(error, examples, examples + MORE),
    perIntent: perIntent.map((_, intent) => {
      const { examples: own, recall } = itemAt(perIntent, intent);
      // One wrong of two more texts: the recall of few texts is uncertain.
      const missed = ((1 - recall) * own + 1) / (own + 2);
      const needed = own * trainedShare * (missed / (1 - GOAL)) ** (1 / exponent) - own;
      return {
        recallNow: 1 - errorAt(missed, own, own),
        recallWithMore: 1 - errorAt(missed, own, own + MORE),
        needed: needed > MAX_FACTOR * own ? undefined : Math.max(0, Math.ceil(needed)),
      };
    }),
  };
}

/** The curve where none is estimated. */
export function noCurve(accuracy: number): LearningCurve {
  return { exponent: 0, accuracyNow: accuracy, accuracyWithMore: accuracy, perIntent: [] };
}
