import { defaultModelConfidence, type Sureness, surenesses } from '../playbook/playbook.ts';
import { isClassified, type JudgedTicket } from './tickets.ts';

/** The share of right intents of a language model where it says that it is so sure. */
export interface SurenessScore {
  readonly sure: Sureness;
  /** The tickets with an expected intent of which it says so. */
  readonly count: number;
  /** The number of them with the expected intent by the model. */
  readonly right: number;
  /** The lower bound of the share that is right, which holds with a probability of 95 %; null without tickets. */
  readonly lowerBound: number | null;
  /**
   * The probability to use, with two decimals, 0.01 to 0.99: the share that is right, drawn to the default as by ten
   * tickets, and no higher than that of a surer word.
   */
  readonly value: number;
}

/** The number of tickets that a default counts as. */
const PSEUDO_TICKETS = 10;

const LEAST = 0.01;
const MOST = 0.99;

/** The quantile of the normal distribution for a bound on one side at 95 %. */
const Z = 1.6449;

/**
 * Measures how often each sureness of a language model is right, the surest first, over the tickets with an expected
 * intent. Undefined where no ticket tells how sure the model was.
 */
export function scoreModelConfidence(judged: readonly JudgedTicket[]): readonly SurenessScore[] | undefined {
  const said = judged.filter(isClassified).flatMap(({ ticket, predicted, evidence }) => {
    const model = evidence.find(({ stage }) => stage === 'classifier')?.model;
    if (model === undefined) return [];
    return [{ sure: model.sure, isRight: (model.intent ?? predicted) === ticket.expectedIntent }];
  });
  if (said.length === 0) return undefined;
  const counted = surenesses.map((sure) => {
    const of = said.filter((one) => one.sure === sure);
    return { sure, count: of.length, right: of.filter(({ isRight }) => isRight).length };
  });
  const values = monotone(
    counted.map(({ sure, count, right }) => ({
      weight: count + PSEUDO_TICKETS,
      total: right + PSEUDO_TICKETS * defaultModelConfidence[sure],
    })),
  );
  return counted.map(({ sure, count, right }, at) => ({
    sure,
    count,
    right,
    lowerBound: count === 0 ? null : lowerBoundOf(right, count),
    value: rounded(values[at] ?? defaultModelConfidence[sure]),
  }));
}

/** The lower bound of a share by Wilson's score interval. */
function lowerBoundOf(right: number, count: number): number {
  const share = right / count;
  const spread = Z * Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2));
  return Math.max(0, (share + Z ** 2 / (2 * count) - spread) / (1 + Z ** 2 / count));
}

interface Pool {
  readonly weight: number;
  readonly total: number;
}

/** The mean of each pool, none higher than the one before: pools that are out of order share one mean. */
function monotone(pools: readonly Pool[]): readonly number[] {
  const merged: (Pool & { readonly size: number })[] = [];
  for (const pool of pools) {
    let last = { ...pool, size: 1 };
    for (let before = merged.at(-1); before !== undefined; before = merged.at(-1)) {
      if (before.total / before.weight >= last.total / last.weight) break;
      merged.pop();
      last = {
        weight: before.weight + last.weight,
        total: before.total + last.total,
        size: before.size + last.size,
      };
    }
    merged.push(last);
  }
  return merged.flatMap(({ weight, total, size }) => Array.from({ length: size }, () => total / weight));
}

function rounded(share: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.round(share * 100) / 100));
}
