import { itemAt } from '../../../lib/array.ts';
import type { Judged } from './figures.ts';
import { OUT_OF_SCOPE } from './held-out.ts';

/** Of the answers above a threshold so many are to be right. */
const RIGHT = 0.9;

/** The bounds of a threshold. */
const LOWEST = 0.3;
const HIGHEST = 0.95;

/** Fewer predictions say nothing about an intent. */
const MIN_PREDICTIONS = 10;

/** How many predictions the share of all intents counts as, beside those of one. */
const SHARED = 20;

/** A suggested threshold. */
export interface SuggestedThreshold {
  readonly threshold: number;
  /**
   * `reached`: so many answers above it are right. `not_reached`: no threshold gives that. `few`: there were too few
   * predictions, and this is the threshold of all intents together.
   */
  readonly basis: 'reached' | 'not_reached' | 'few';
}

/**
 * Suggests a threshold for each intent: the least confidence above which 90 % of the predictions of it are right.
 * `outside` are predictions for texts of no intent, which count as much as if they were 10 % of all texts. The share of
 * all intents together counts as {@link SHARED} further predictions, so that one mistake does not decide for an intent
 * with few examples.
 */
export function suggestThresholds(
  judged: readonly Judged[],
  outside: readonly Judged[],
  intents: number,
): readonly SuggestedThreshold[] {
  const weight = ((OUT_OF_SCOPE / (1 - OUT_OF_SCOPE)) * judged.length) / Math.max(1, outside.length);
  const together = (least: number): Share => shareAbove(least, judged, outside, weight);
  const pooled = leastConfidence((least) => ratio(together(least))) ?? HIGHEST;
  const inside = groupByIntent(judged, intents);
  const others = groupByIntent(outside, intents);
  return inside.map((own, intent): SuggestedThreshold => {
    if (own.length < MIN_PREDICTIONS) return { threshold: pooled, basis: 'few' };
    const least = leastConfidence((confidence) => {
      const { right, all } = shareAbove(confidence, own, itemAt(others, intent), weight);
      return (right + SHARED * ratio(together(confidence))) / (all + SHARED);
    });
    return least === undefined
      ? { threshold: HIGHEST, basis: 'not_reached' }
      : { threshold: least, basis: 'reached' };
  });
}

/** Predictions above a threshold, and those of them that are right. */
interface Share {
  readonly right: number;
  readonly all: number;
}

function shareAbove(
  least: number,
  inside: readonly Judged[],
  outside: readonly Judged[],
  weight: number,
): Share {
  const reaches = ({ confidence }: Judged): boolean => confidence >= least;
  const above = inside.filter(reaches);
  const wrong = weight * outside.filter(reaches).length;
  return { right: above.filter(({ right }) => right).length, all: above.length + wrong };
}

function ratio({ right, all }: Share): number {
  return all === 0 ? 0 : right / all;
}

function groupByIntent(judged: readonly Judged[], intents: number): readonly (readonly Judged[])[] {
  const groups: Judged[][] = Array.from({ length: intents }, () => []);
  for (const one of judged) itemAt(groups, one.predicted).push(one);
  return groups;
}

/** The least threshold, in steps of 0.01, above which the share of right ones is good enough; undefined where none is. */
function leastConfidence(shareOf: (least: number) => number): number | undefined {
  for (let step = Math.round(LOWEST * 100); step <= Math.round(HIGHEST * 100); step++) {
    if (shareOf(step / 100) >= RIGHT) return step / 100;
  }
  return undefined;
}
