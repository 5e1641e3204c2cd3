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
