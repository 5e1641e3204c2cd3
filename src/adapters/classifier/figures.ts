import { itemAt } from '../../lib/array.ts';
import { calibrationError, type Prediction } from '../../lib/learning/calibration.ts';

/** What a model says about a text, and what is right. Intents are numbers. */
export interface Judged extends Prediction {
  readonly expected: number;
  readonly predicted: number;
}

/** Shares of right predictions for one intent. */
export interface IntentScores {
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
