import { type Concern, concerns } from '../message/message.ts';
import { shareOfJudged } from './shares.ts';
import type { JudgedTicket } from './tickets.ts';

/** How well one concern is named. */
export interface ConcernScore {
  /** The share of the tickets that expect it for which it was named; null where there are none. */
  readonly recall: number | null;
  /** The share of the tickets for which it was named that expect it; null where there are none. */
  readonly precision: number | null;
  /** Tickets that expect it. */
  readonly support: number;
}

/** How well concerns are found, over the tickets that state their concerns. */
export interface ConcernScores {
  /**
   * The share of the tickets with expected concerns that were escalated for a concern, whichever; null where there are
   * none.
   */
  readonly recall: number | null;
  /** The share of the tickets escalated for a concern that expect one, whichever; null where there are none. */
  readonly precision: number | null;
  /** The concerns that were expected or named. */
  readonly perConcern: readonly (readonly [Concern, ConcernScore])[];
}

/** What a ticket expects and what was found. */
interface Found {
  readonly expected: readonly Concern[];
  readonly actual: readonly Concern[];
}

/** Scores the concerns of judged tickets. Tickets that do not state their concerns are left out. */
export function scoreConcerns(judged: readonly JudgedTicket[]): ConcernScores {
  const stated = judged.flatMap(({ ticket: { expectedConcerns: expected }, concerns: actual }): Found[] =>
    expected === undefined ? [] : [{ expected, actual }],
  );
  const perConcern = concerns.flatMap((concern): (readonly [Concern, ConcernScore])[] => {
    const named = stated.filter(
      ({ expected, actual }) => expected.includes(concern) || actual.includes(concern),
    );
    if (named.length === 0) return [];
    const support = named.filter(({ expected }) => expected.includes(concern)).length;
    return [[concern, { ...recallAndPrecision(named, (found) => found.includes(concern)), support }]];
  });
  return { ...recallAndPrecision(stated, (found) => found.length > 0), perConcern };
}

function recallAndPrecision(
  stated: readonly Found[],
  holds: (found: readonly Concern[]) => boolean,
): Pick<ConcernScore, 'recall' | 'precision'> {
  return {
    recall: shareOfJudged(stated, ({ expected, actual }) => (holds(expected) ? holds(actual) : undefined)),
    precision: shareOfJudged(stated, ({ expected, actual }) => (holds(actual) ? holds(expected) : undefined)),
  };
}
