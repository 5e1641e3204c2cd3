import { type Intent, intents } from '../../../domain/message/message.ts';
import type { Clause, Stance } from './clause.ts';
import type { Cue, FindCues } from './cue-index.ts';
import { weights } from './tables.ts';

/** An intent with the confidence that it is the right one, from 0 to 1. */
export interface Ranked {
  readonly intent: Intent;
  readonly confidence: number;
}

/** What the classifier made of a message. */
export interface Classified extends Ranked {
  /** The cues that spoke for the intent, the heaviest first: words of the cue table, never of the customer. */
  readonly cues: readonly string[];
  /** The next likely intents. */
  readonly alternatives: readonly Ranked[];
}

/** A clause with the cues that it holds, one at most of each intent. */
export interface Spoken {
  readonly clause: Clause;
  readonly cues: readonly Cue<Intent>[];
}

/** How far apart confidences lie: a strong cue, with nothing against it, makes about 0.9. */
const TEMPERATURE = 0.88;

/** What a clause counts that is a step (asked, told, aside) farther from the wish than the message's nearest. */
const distances = [1, 0.55, 0.4] as const;
const nearness: Readonly<Record<Stance, number>> = { asked: 0, told: 1, aside: 2 };

/** What follows a `but` counts more, and so does the first of several wishes. */
const TURNED = 1.15;
const FIRST = 1.1;

/** What further clauses add to an intent's best one, and at most. */
const REPEATED = 0.25;
const REPEATED_MOST = 1.2;

interface Score {
  readonly intent: Intent;
  best: number;
  rest: number;
  cue: Cue<Intent>;
}

/** Finds the cues of each clause. */
export function hearCues(clauses: readonly Clause[], findCues: FindCues<Intent>): readonly Spoken[] {
  return clauses.map((clause) => ({ clause, cues: findCues(clause.concepts) }));
}

/**
 * Says what a message that was read as clauses is about. Each clause speaks for an intent with its heaviest cue,
 * the more the nearer the clause is to a wish; an intent scores its best clause and a little of the others. The
 * scores become confidences by softmax over all intents, so that no evidence, and evidence for several, both make
 * them low.
 */
export function classifyClauses(spoken: readonly Spoken[]): Classified {
  const scores: Score[] = [];
  const nearest = nearestOf(spoken);
  let first = true;
  for (const { clause, cues } of spoken) {
    const steps = Math.max(0, nearness[clause.stance] - nearest);
    let factor = (distances[steps] ?? 1) * (clause.turned ? TURNED : 1);
    if (first && steps === 0 && tells(cues)) {
      factor *= FIRST;
      first = false;
    }
    // Spam asks for something only to be looked at: its wares count wherever they are praised.
    for (const cue of cues) add(scores, cue, cue.weight * (cue.topic === 'spam' ? 1 : factor));
  }
  return rank(scores);
}

/** The stance nearest to a wish among the clauses that hold more than hints. */
function nearestOf(spoken: readonly Spoken[]): number {
  let nearest = nearness.aside;
  for (const { clause, cues } of spoken) {
    if (nearness[clause.stance] < nearest && tells(cues)) nearest = nearness[clause.stance];
  }
  return nearest;
}

function tells(cues: readonly Cue<Intent>[]): boolean {
  for (const cue of cues) if (cue.weight > weights.hint) return true;
  return false;
}

function add(scores: Score[], cue: Cue<Intent>, weight: number): void {
  const score = scoreOf(scores, cue.topic);
  if (score === undefined) scores.push({ intent: cue.topic, best: weight, rest: 0, cue });
  else if (weight <= score.best) score.rest += weight;
  else {
    score.rest += score.best;
    score.best = weight;
    score.cue = cue;
  }
}

function scoreOf(scores: readonly Score[], intent: Intent | undefined): Score | undefined {
  for (const score of scores) if (score.intent === intent) return score;
  return undefined;
}

/** The shares of the intents while they are ranked; kept, for a list of numbers each time would cost 160 bytes. */
const shares = new Float64Array(intents.length);

function rank(scores: readonly Score[]): Classified {
  let total = 0;
  for (let at = 0; at < intents.length; at++) {
    const share = shareOf(scoreOf(scores, intents[at]));
    shares[at] = share;
    total += share;
  }
  const first = takeGreatest(total);
  // With nothing to go by all are equal, and a question like any other is the mildest guess.
  const intent = scores.length === 0 ? 'general_question' : first.intent;
  const cue = scoreOf(scores, intent)?.cue.name;
  return {
    intent,
    confidence: first.confidence,
    cues: cue === undefined ? [] : [cue],
    alternatives: [takeGreatest(total), takeGreatest(total)],
  };
}

function shareOf(score: Score | undefined): number {
  if (score === undefined) return 1;
  return Math.exp((score.best + Math.min(score.rest * REPEATED, REPEATED_MOST)) / TEMPERATURE);
}

/** The likeliest intent that was not taken yet, of equal ones the first. */
function takeGreatest(total: number): Ranked {
  let greatest = 0;
  for (let at = 1; at < shares.length; at++) {
    if ((shares[at] ?? 0) > (shares[greatest] ?? 0)) greatest = at;
  }
  const confidence = (shares[greatest] ?? 0) / total;
  shares[greatest] = 0;
  return { intent: intents[greatest] ?? 'general_question', confidence };
}
