import type { Evaluation } from './evaluate.ts';

/** The outcomes of a thousand messages at a threshold. */
export interface Outcome {
  readonly threshold: number;
  /** Messages of a thousand that are answered rightly, answered wrongly, and handed to a person. */
  readonly right: number;
  readonly wrong: number;
  readonly person: number;
  /** Their costs together, in the unit of the prices. */
  readonly cost: number;
}

/** The cost of one wrong answer, and of a message that a person answers. */
export interface Prices {
  readonly wrong: number;
  readonly person: number;
}

/** The outcomes of all thresholds, in their order. */
export function outcomesOf(
  thresholds: Evaluation['thresholds'],
  { wrong: wrongPrice, person: personPrice }: Prices,
): readonly Outcome[] {
  return thresholds.map(({ threshold, coverage, error_rate, escalation_rate }) => {
    const wrong = coverage * error_rate * 1_000;
    const person = escalation_rate * 1_000;
    return {
      threshold,
      wrong,
      person,
      right: coverage * 1_000 - wrong,
      cost: wrong * wrongPrice + person * personPrice,
    };
  });
}

/** The threshold that costs least; of equal ones the lowest. Undefined without outcomes. */
export function cheapest(outcomes: readonly Outcome[]): Outcome | undefined {
  return outcomes.reduce<Outcome | undefined>(
    (best, outcome) => (best === undefined || outcome.cost < best.cost ? outcome : best),
    undefined,
  );
}

/** The lowest threshold with at most this share of wrong answers among all messages; undefined when none has. */
export function lowestWithin(outcomes: readonly Outcome[], share: number): Outcome | undefined {
  return outcomes.find(({ wrong }) => wrong <= share * 1_000 + 1e-9);
}

/** The interval in which a share lies with 95 % certainty, by Wilson: from and to. */
export function interval(share: number, count: number): readonly [from: number, to: number] {
  if (count === 0) return [0, 1];
  const z = 1.96;
  const middle = share + (z * z) / (2 * count);
  const spread = z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  const whole = 1 + (z * z) / count;
  return [Math.max(0, (middle - spread) / whole), Math.min(1, (middle + spread) / whole)];
}

/** A confusion matrix with the same intents as rows and columns, those with most tickets first. */
export interface Matrix {
  readonly intents: readonly string[];
  /** The number of tickets that expect the row and got the column. */
  readonly at: (expected: string, predicted: string) => number;
  readonly totalOf: (expected: string) => number;
}

/** The matrix of an evaluation. Intents that were only predicted are rows too. */
export function matrixOf(confusion: Evaluation['confusion']): Matrix {
  // An intent may have the name of a member that all objects inherit, such as `constructor`.
  const rows = new Map(Object.entries(confusion).map(([name, row]) => [name, new Map(Object.entries(row))]));
  const totalOf = (expected: string): number =>
    [...(rows.get(expected)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  const predicted = [...rows.values()].flatMap((row) => [...row.keys()]);
  const intents = [...new Set([...rows.keys(), ...predicted])].toSorted(
    (a, b) => totalOf(b) - totalOf(a) || (a < b ? -1 : 1),
  );
  return { intents, totalOf, at: (expected, to) => rows.get(expected)?.get(to) ?? 0 };
}
