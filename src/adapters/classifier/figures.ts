import { itemAt } from '../../lib/array.ts';
import { calibrationError, type Prediction } from '../../lib/learning/calibration.ts';

/** The prediction of a model for a text, and the right one. Intents are numbers. */
export interface Judged extends Prediction {
  readonly expected: number;
  readonly predicted: number;
}

/** Shares of right predictions for one intent. */
interface IntentScores {
  readonly examples: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** The scores of predictions. */
export interface JudgedScores {
  readonly accuracy: number;
  readonly macroF1: number;
  readonly calibrationError: number;
  readonly perIntent: readonly IntentScores[];
}

/** Scores predictions; `intents` is how many there are. */
export function scoreJudged(judged: readonly Judged[], intents: number): JudgedScores {
  const counts = Array.from({ length: intents }, () => ({ expected: 0, predicted: 0, right: 0 }));
  for (const { expected, predicted, right } of judged) {
    itemAt(counts, expected).expected++;
    itemAt(counts, predicted).predicted++;
    if (right) itemAt(counts, expected).right++;
  }
  const perIntent = counts.map(({ expected, predicted, right }) => ({
    examples: expected,
    precision: share(right, predicted),
    recall: share(right, expected),
    f1: share(2 * right, expected + predicted),
  }));
  const tested = perIntent.filter(({ examples }) => examples > 0);
  return {
    accuracy: accuracyOf(judged),
    macroF1: share(
      tested.reduce((sum, { f1 }) => sum + f1, 0),
      tested.length,
    ),
    calibrationError: calibrationError(judged),
    perIntent,
  };
}

/** The share of predictions that are right; 0 without any. */
export function accuracyOf(judged: readonly Prediction[]): number {
  return share(judged.filter(({ right }) => right).length, judged.length);
}

/** Two intents, and how often a text of the first was taken for the second. */
export interface Confusion {
  readonly expected: number;
  readonly predicted: number;
  readonly count: number;
}

/** The confusions that happen most, the most frequent first. */
export function findConfusions(judged: readonly Judged[], most: number): readonly Confusion[] {
  const counts = new Map<string, Confusion>();
  for (const { expected, predicted, right } of judged) {
    if (right) continue;
    const key = `${expected} ${predicted}`;
    counts.set(key, { expected, predicted, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()]
    .sort((a, b) => b.count - a.count || a.expected - b.expected || a.predicted - b.predicted)
    .slice(0, most);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

// Thresholds

/** A prediction of a text that was held out. */
export interface ThresholdRow {
  /** The predicted intent, as a number. */
  readonly intent: number;
  /** The probability that the prediction is right and can be answered automatically. */
  readonly answerable: number;
  readonly right: boolean;
  /** False where the predicted intent always goes to a person, so that nothing is answered. */
  readonly isAnswer: boolean;
}

/** A suggested threshold. */
export interface SuggestedThreshold {
  readonly threshold: number;
  /** `own`: from the predictions of the intent. `pooled`: from those of all intents, because it has few. */
  readonly basis: 'own' | 'pooled';
}

/** The one-sided confidence of the upper bound of an error. */
const DOUBT = 0.05;

/** Fewer predictions of an intent say too little to raise its threshold above that of all. */
const MIN_PREDICTIONS = 10;

/** The threshold where there are too few examples to measure one. */
const UNTOLD_THRESHOLD = 0.6;

/**
 * The share of wrong answers among the answers of one intent that its own threshold allows, as a multiple of the
 * target.
 */
const OWN_SHARE = 3;

/**
 * Suggests thresholds from an error target: the lowest confidence of all intents together at which the upper bound (95
 * %, one-sided) of the share of wrong answers among all messages is at most `targetError`. An intent with more mistakes
 * of its own above it gets a higher one. Where no threshold keeps the target, it is 1 and nothing is answered. `isFew`:
 * the share itself counts and not its bound, which so few predictions cannot keep; of too few even for that, a fixed
 * threshold is suggested.
 */
export function suggestThresholds(
  rows: readonly ThresholdRow[],
  intents: number,
  targetError: number,
  isFew = false,
): readonly SuggestedThreshold[] {
  const errorOf = isFew ? likeliestError : upperBound;
  const answers = rows.filter(({ isAnswer }) => isAnswer).sort((a, b) => b.answerable - a.answerable);
  const isTold = !isFew || errorOf(0, rows.length) <= targetError;
  const pooled = isTold
    ? pooledThreshold(answers, mostWrong(rows.length, targetError, errorOf))
    : UNTOLD_THRESHOLD;
  return Array.from({ length: intents }, (_, intent): SuggestedThreshold => {
    const own = answers.filter((row) => row.intent === intent && row.answerable >= pooled);
    if (own.length < MIN_PREDICTIONS) return { threshold: pooled, basis: 'pooled' };
    const threshold = ownThreshold(own, pooled, Math.min(0.5, OWN_SHARE * targetError));
    return { threshold, basis: threshold > pooled ? 'own' : 'pooled' };
  });
}

/** The most wrong answers of so many tickets that keep the target; -1 where none does. */
function mostWrong(
  tickets: number,
  targetError: number,
  errorOf: (wrong: number, all: number) => number,
): number {
  let most = -1;
  while (most < tickets && errorOf(most + 1, tickets) <= targetError) most++;
  return most;
}

/** The lowest threshold with at most so many wrong answers; the rows are answers, the surest first. */
function pooledThreshold(answers: readonly ThresholdRow[], most: number): number {
  let threshold = 1;
  let wrong = 0;
  let best = 0;
  for (const [at, { answerable, right }] of answers.entries()) {
    if (!right) wrong++;
    if (answers[at + 1]?.answerable === answerable) continue;
    if (wrong > most) break;
    if (at + 1 > best) {
      best = at + 1;
      threshold = between(answerable, answers[at + 1]?.answerable ?? 0);
    }
  }
  return threshold;
}

/** The lowest threshold above which the share of wrong answers of one intent is small enough. */
function ownThreshold(own: readonly ThresholdRow[], least: number, mostWrong: number): number {
  let wrong = own.filter(({ right }) => !right).length;
  let count = own.length;
  for (const { answerable, right } of own.toReversed()) {
    if (wrong <= mostWrong * count) return count === own.length ? least : between(answerable, answerable);
    if (!right) wrong--;
    count--;
  }
  return 1;
}

/** A threshold that two decimals tell, not above `above` and above `below` where that is possible. */
function between(above: number, below: number): number {
  const rounded = Math.ceil(Math.max(below, above - 0.02) * 100) / 100;
  return rounded <= above && rounded > below ? rounded : Math.floor(above * 10_000) / 10_000;
}

/** The share of which `count` of `all` were seen, with one more on either side: the likeliest for few. */
function likeliestError(count: number, all: number): number {
  return (count + 1) / (all + 2);
}

/** The fewest tickets of which none is answered wrongly that show that the share of wrong answers is below a target. */
export function leastTickets(targetError: number): number {
  return Math.ceil(Math.log(DOUBT) / Math.log(1 - targetError));
}

/** The lowest target, in hundredths, that so many tickets can show to be kept. */
export function leastTarget(tickets: number): number {
  return Math.ceil(100 * (1 - DOUBT ** (1 / Math.max(1, tickets)))) / 100;
}

/** The upper bound of a share of which `count` of `all` were seen (Clopper and Pearson, one-sided). */
export function upperBound(count: number, all: number): number {
  if (all === 0 || count >= all) return 1;
  let low = count / all;
  let high = 1;
  for (let round = 0; round < 40; round++) {
    const middle = (low + high) / 2;
    if (probabilityOfAtMost(count, all, middle) > DOUBT) low = middle;
    else high = middle;
  }
  return high;
}

/** The probability of at most `count` of `all` with a chance of each. */
function probabilityOfAtMost(count: number, all: number, chance: number): number {
  let logarithm = all * Math.log(1 - chance);
  let sum = Math.exp(logarithm);
  for (let one = 1; one <= count; one++) {
    logarithm += Math.log((all - one + 1) / one) + Math.log(chance / (1 - chance));
    sum += Math.exp(logarithm);
  }
  return sum;
}

// Learning curves

/** The fall of errors with more examples: by `2 ** -exponent` when they double. */
export interface LearningCurve {
  readonly exponent: number;
  /** The accuracy that 100 more examples, spread like those of the file, might bring. */
  readonly accuracyNow: number;
  readonly accuracyWithMore: number;
  readonly perIntent: readonly IntentOutlook[];
}

/** The gain by more examples of one intent: estimates, no measurements. */
interface IntentOutlook {
  /** The share of its texts that are found now, and with {@link MORE} more examples of it. */
  readonly recallNow: number;
  readonly recallWithMore: number;
  /**
   * The number of further examples that it might take until {@link GOAL} of its texts are found; undefined where it
   * would be too many to say.
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

/** The measurements. */
interface CurveInput {
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
