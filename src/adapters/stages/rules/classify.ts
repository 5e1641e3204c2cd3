import { type Intent, intents } from '../../../domain/message.ts';
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
  best: number;
  rest: number;
  cue: Cue<Intent>;
}

interface Spoken {
  readonly clause: Clause;
  readonly cues: ReadonlyMap<Intent, Cue<Intent>>;
}

/**
 * Says what a message that was read as clauses is about. Each clause speaks for an intent with its heaviest cue,
 * the more the nearer the clause is to a wish; an intent scores its best clause and a little of the others. The
 * scores become confidences by softmax over all intents, so that no evidence, and evidence for several, both make
 * them low.
 */
export function classifyClauses(clauses: readonly Clause[], findCues: FindCues<Intent>): Classified {
  const spoken: Spoken[] = [];
  for (const clause of clauses) {
    const cues = findCues(clause.concepts);
    if (cues.size > 0) spoken.push({ clause, cues });
  }
  const scores = new Map<Intent, Score>();
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
    for (const [intent, cue] of cues) add(scores, intent, cue, cue.weight * (intent === 'spam' ? 1 : factor));
  }
  return rank(scores);
}

/** The stance nearest to a wish among the clauses that hold more than hints. */
function nearestOf(spoken: readonly Spoken[]): number {
  let nearest = nearness.aside;
  for (const { clause, cues } of spoken) {
    if (tells(cues)) nearest = Math.min(nearest, nearness[clause.stance]);
  }
  return nearest;
}

function tells(cues: ReadonlyMap<Intent, Cue<Intent>>): boolean {
  for (const cue of cues.values()) if (cue.weight > weights.hint) return true;
  return false;
}

function add(scores: Map<Intent, Score>, intent: Intent, cue: Cue<Intent>, weight: number): void {
  const score = scores.get(intent);
  if (score === undefined) scores.set(intent, { best: weight, rest: 0, cue });
  else if (weight <= score.best) score.rest += weight;
  else scores.set(intent, { best: weight, rest: score.rest + score.best, cue });
}

function rank(scores: ReadonlyMap<Intent, Score>): Classified {
  let total = 0;
  const shares = intents.map((intent) => {
    const score = scores.get(intent);
    const value = score === undefined ? 0 : score.best + Math.min(score.rest * REPEATED, REPEATED_MOST);
    const share = Math.exp(value / TEMPERATURE);
    total += share;
    return { intent, share };
  });
  // With nothing to go by all are equal, and a question like any other is the mildest guess.
  shares.sort((one, other) => other.share - one.share);
  const ranked = shares.map(({ intent, share }) => ({ intent, confidence: share / total }));
  const [first = { intent: 'general_question', confidence: 0 } as const, ...others] = ranked;
  const intent = scores.size === 0 ? 'general_question' : first.intent;
  const cue = scores.get(intent)?.cue.name;
  return {
    intent,
    confidence: first.confidence,
    cues: cue === undefined ? [] : [cue],
    alternatives: others.slice(0, 2),
  };
}
