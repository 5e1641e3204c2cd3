import { type BuiltInIntent, type Concern, intents } from '../../../domain/message/message.ts';
import { itemAt } from '../../../lib/array.ts';
import { softmax } from '../../../lib/learning/train.ts';
import { OUTPUTS, partSignals, type Signal, signals } from './outputs.ts';
import type { ReadText, RuleFindings } from './reading.ts';
import type { ScoredWord, Scorer } from './scorer.ts';

/** An intent and the probability that it is the right one. */
export interface RankedIntent {
  readonly intent: BuiltInIntent;
  readonly confidence: number;
}

/** What the model says about a text. */
export interface Judgement {
  /** The score of each signal: above 0 is more likely than not. */
  readonly signals: Readonly<Record<Signal, number>>;
  /** The concerns of which the text has an unmistakable phrase. */
  readonly unmistakable: ReadonlySet<Concern>;
  /** All intents with the probabilities of the model and the rules together, the most likely first. */
  readonly intents: readonly RankedIntent[];
}

/**
 * How much the rules count beside the model, and how much more where they know nearly all words of a text. Both were
 * chosen on messages in plain words, where the rules are better, and on texts of other sources, where the model is
 * (docs/judgement.md).
 */
const RULE_WEIGHT = { always: 0.2, explained: 0.4 } as const;
const EXPLAINED_SHARE = 0.8;

/** From this score on a text is written to a company of another branch, whose words the rules take for those of a shop. */
const OTHER_BRANCH = -0.7;

/** What a probability of the rules counts as at least: they know nothing of most words. */
const LEAST_RULE_SHARE = 0.005;

/** Judges a text by the scores of the whole and, for signals that a part can give, of its parts. */
export function judgeText(
  { whole, parts, unmistakable }: ReadText<ScoredWord>,
  scorer: Scorer,
  rules: RuleFindings,
): Judgement {
  const scores = scorer.scorePart(whole, OUTPUTS);
  for (const part of parts) {
    const own = scorer.scorePart(part, partSignals.length);
    for (let output = 0; output < partSignals.length; output++) {
      scores[output] = Math.max(Number(scores[output]), Number(own[output]));
    }
  }
  return {
    signals: toSignals(scores),
    unmistakable,
    intents: rankIntents(
      scores.subarray(signals.length, OUTPUTS),
      rules,
      Number(scores[signals.indexOf('other_branch')]),
    ),
  };
}

function toSignals(scores: Float32Array): Judgement['signals'] {
  const found: Partial<Record<Signal, number>> = {};
  for (let at = 0; at < signals.length; at++) found[itemAt(signals, at)] = Number(scores[at]);
  return found as Judgement['signals'];
}

/** Ranks the intents by the scores of the model and, where they have a cue, by the probabilities of the rules. */
function rankIntents(
  scores: Float32Array,
  { classified: rules, explained }: RuleFindings,
  otherBranch: number,
): readonly RankedIntent[] {
  const byRules = new Map([rules, ...rules.alternatives].map((one) => [one.intent, one.confidence]));
  const weight = rules.cues.length === 0 ? 0 : weightOf(explained, otherBranch);
  const blended = scores.map((score, at) => {
    const share = Math.max(LEAST_RULE_SHARE, byRules.get(itemAt(intents, at)) ?? 0);
    return score + weight * Math.log(share);
  });
  const shares = softmax(blended);
  const ranked = intents.map((intent, at) => ({ intent, confidence: Number(shares[at]) }));
  return ranked.sort((a, b) => b.confidence - a.confidence);
}

function weightOf(explained: number, otherBranch: number): number {
  const isShop = otherBranch < OTHER_BRANCH;
  return RULE_WEIGHT.always + (isShop && explained >= EXPLAINED_SHARE ? RULE_WEIGHT.explained : 0);
}
