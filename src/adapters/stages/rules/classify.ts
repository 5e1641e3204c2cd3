import { type BuiltInIntent, intents } from '../../../domain/message/message.ts';
import type { Clause, ClauseKind } from './clauses.ts';
import { type Cue, type MatchCues, weights } from './cue-matcher.ts';

/** An intent and the confidence that it is the right one, from 0 to 1. */
export interface RankedIntent {
  readonly intent: BuiltInIntent;
  readonly confidence: number;
}

/** The classification of a text. */
export interface ClassifiedText extends RankedIntent {
  /** The heaviest cue for the intent: words of the cue table, never of the customer. Empty without any cue. */
  readonly cues: readonly string[];
  /** The other intents, the likeliest first. */
  readonly alternatives: readonly RankedIntent[];
}

/** A clause and its cues, at most one per intent. */
export interface ClauseCues {
  readonly clause: Clause;
  readonly cues: readonly Cue<BuiltInIntent>[];
}

/** The temperature of the softmax: one strong cue without any other gives about 0.9. */
const TEMPERATURE = 0.88;

/** The kinds of clauses, ordered by how strongly they indicate the intent. */
const kindRank: Readonly<Record<ClauseKind, number>> = { request: 0, statement: 1, background: 2 };

/** The factors of a clause after `but` and of the first request. */
const CONTRAST_FACTOR = 1.15;
const FIRST_REQUEST_FACTOR = 1.1;

/** Further clauses add this share of their weight to the best one of an intent, up to a maximum. */
const REPEAT_SHARE = 0.25;
const MAX_REPEAT_BONUS = 1.2;

interface Score {
  best: number;
  rest: number;
  cue: Cue<BuiltInIntent>;
}

/** Finds the cues of each clause. */
export function detectCues(
  clauses: readonly Clause[],
  matchCues: MatchCues<BuiltInIntent>,
): readonly ClauseCues[] {
  return clauses.map((clause) => ({ clause, cues: matchCues(clause.concepts) }));
}

/**
 * Classifies a text by its clauses. Each clause counts for an intent with its heaviest cue, weighted by the kind of the
 * clause; the score of an intent is its best clause and a share of the others. A softmax over all intents converts the
 * scores to confidences, so that missing and contradictory evidence both lower them.
 */
export function classifyClauses(clauses: readonly ClauseCues[]): ClassifiedText {
  const scores = new Map<BuiltInIntent, Score>();
  const topRank = topKindRank(clauses);
  let isFirst = true;
  for (const { clause, cues } of clauses) {
    const steps = kindRank[clause.kind] - topRank;
    let factor = factorBehind(steps) * (clause.contrasts ? CONTRAST_FACTOR : 1);
    if (isFirst && steps <= 0 && hasEvidence(cues)) {
      factor *= FIRST_REQUEST_FACTOR;
      isFirst = false;
    }
    // Spam often consists of statements and background, so its cues always count in full.
    for (const cue of cues) addScore(scores, cue, cue.weight * (cue.topic === 'spam' ? 1 : factor));
  }
  return rank(scores);
}

/** The lowest rank of the clauses that have more than hints. */
function topKindRank(clauses: readonly ClauseCues[]): number {
  let top = kindRank.background;
  for (const { clause, cues } of clauses) if (hasEvidence(cues)) top = Math.min(top, kindRank[clause.kind]);
  return top;
}

/** The factor of a clause that is some steps behind the best kind of the message. */
function factorBehind(steps: number): number {
  if (steps <= 0) return 1;
  return steps === 1 ? 0.55 : 0.4;
}

function hasEvidence(cues: readonly Cue<BuiltInIntent>[]): boolean {
  return cues.some((cue) => cue.weight > weights.hint);
}

function addScore(scores: Map<BuiltInIntent, Score>, cue: Cue<BuiltInIntent>, weight: number): void {
  const score = scores.get(cue.topic);
  if (score === undefined) scores.set(cue.topic, { best: weight, rest: 0, cue });
  else if (weight <= score.best) score.rest += weight;
  else {
    score.rest += score.best;
    score.best = weight;
    score.cue = cue;
  }
}

function rank(scores: ReadonlyMap<BuiltInIntent, Score>): ClassifiedText {
  const shares = intents.map((intent) => ({ intent, share: shareOf(scores.get(intent)) }));
  const total = shares.reduce((sum, { share }) => sum + share, 0);
  const ranked = shares
    .sort((a, b) => b.share - a.share)
    .map(({ intent, share }) => ({ intent, confidence: share / total }));
  const [first, ...alternatives] = ranked;
  if (first === undefined) throw new Error('there are no intents');
  // Without any evidence all intents are equally likely, and a general question is the safest choice.
  const intent = scores.size === 0 ? 'general_question' : first.intent;
  const cue = scores.get(intent)?.cue.name;
  return { intent, confidence: first.confidence, cues: cue === undefined ? [] : [cue], alternatives };
}

function shareOf(score: Score | undefined): number {
  if (score === undefined) return 1;
  return Math.exp((score.best + Math.min(score.rest * REPEAT_SHARE, MAX_REPEAT_BONUS)) / TEMPERATURE);
}
