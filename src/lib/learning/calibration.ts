import { itemAt } from '../array.ts';
import { sigmoid } from './learner.ts';

/** An example of a logistic regression: its inputs, 1 or 0, and how much it counts. */
export interface WeightedExample {
  readonly inputs: readonly number[];
  /** Added to the score of the inputs: what is not to be fitted. */
  readonly offset: number;
  readonly target: 0 | 1;
  readonly weight: number;
}

/** The pull of the coefficients to those they start from. */
const RIDGE = 4;

const ROUNDS = 25;

/**
 * Fits the coefficients of a logistic regression by Newton's method. Few examples hardly move them from `start`, none
 * do not move them at all. No coefficient falls below the one in `least`.
 */
export function fitLogistic(
  examples: readonly WeightedExample[],
  start: readonly number[],
  least: readonly number[],
): readonly number[] {
  let best = start;
  let loss = logisticLoss(examples, best, start);
  for (let round = 0; round < ROUNDS; round++) {
    const step = newtonStep(examples, best, start);
    // A step that goes too far is halved until it helps.
    let share = 1;
    for (; share > 1e-3; share /= 2) {
      const next = best.map((value, at) => Math.max(itemAt(least, at), value - share * itemAt(step, at)));
      const nextLoss = logisticLoss(examples, next, start);
      if (nextLoss >= loss) continue;
      best = next;
      loss = nextLoss;
      break;
    }
    if (share <= 1e-3) break;
  }
  return best;
}

function scoreOf({ inputs, offset }: WeightedExample, coefficients: readonly number[]): number {
  return inputs.reduce((sum, input, at) => sum + input * itemAt(coefficients, at), offset);
}

function logisticLoss(
  examples: readonly WeightedExample[],
  coefficients: readonly number[],
  start: readonly number[],
): number {
  let loss = coefficients.reduce((sum, value, at) => sum + (RIDGE / 2) * (value - itemAt(start, at)) ** 2, 0);
  for (const example of examples) {
    const score = scoreOf(example, coefficients);
    const wrong = example.target === 1 ? -score : score;
    loss += example.weight * (Math.max(0, wrong) + Math.log(1 + Math.exp(-Math.abs(wrong))));
  }
  return loss;
}

function newtonStep(
  examples: readonly WeightedExample[],
  coefficients: readonly number[],
  start: readonly number[],
): readonly number[] {
  const gradient = coefficients.map((value, at) => RIDGE * (value - itemAt(start, at)));
  const curvature = start.map((_, row) => start.map((__, column): number => (row === column ? RIDGE : 0)));
  for (const example of examples) {
    const { inputs, target, weight } = example;
    const share = sigmoid(scoreOf(example, coefficients));
    inputs.forEach((input, row) => {
      gradient[row] = itemAt(gradient, row) + weight * (share - target) * input;
      inputs.forEach((other, column) => {
        const cells = itemAt(curvature, row);
        cells[column] = itemAt(cells, column) + weight * share * (1 - share) * input * other;
      });
    });
  }
  return solve(curvature, gradient);
}

/** Solves linear equations whose matrix is symmetric and positive definite, by elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, at) => [...row, itemAt(right, at)]);
  rows.forEach((pivot, at) => {
    const scale = itemAt(pivot, at);
    for (const [column, value] of pivot.entries()) pivot[column] = value / scale;
    rows.forEach((row, other) => {
      if (other === at) return;
      const factor = itemAt(row, at);
      for (const [column, value] of pivot.entries()) row[column] = itemAt(row, column) - factor * value;
    });
  });
  return rows.map((row) => itemAt(row, right.length));
}

/** A prediction with its probability, and whether it was right. */
export interface Prediction {
  readonly confidence: number;
  readonly right: boolean;
}

/** The predictions of one of ten ranges of confidence. */
export interface CalibrationBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Means over the bin; 0 where it is empty. */
  readonly confidence: number;
  readonly accuracy: number;
}

/** Sorts predictions into ten ranges of confidence. */
export function calibrationBins(predictions: readonly Prediction[]): readonly CalibrationBin[] {
  return Array.from({ length: 10 }, (_, bin) => {
    const inBin = predictions.filter(({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === bin);
    const mean = (sum: number): number => (inBin.length === 0 ? 0 : sum / inBin.length);
    return {
      from: bin / 10,
      to: (bin + 1) / 10,
      count: inBin.length,
      confidence: mean(inBin.reduce((sum, { confidence }) => sum + confidence, 0)),
      accuracy: mean(inBin.filter(({ right }) => right).length),
    };
  });
}

/** The expected calibration error: how far confidence and accuracy of a range differ on average. */
export function calibrationError(predictions: readonly Prediction[]): number {
  if (predictions.length === 0) return 0;
  const sum = calibrationBins(predictions).reduce(
    (total, { count, confidence, accuracy }) => total + count * Math.abs(confidence - accuracy),
    0,
  );
  return sum / predictions.length;
}
