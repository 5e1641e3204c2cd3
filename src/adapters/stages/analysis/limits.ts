import type { Concern } from '../../../domain/message/message.ts';
import type { PlaybookConcern } from '../../../domain/playbook/playbook.ts';
import type { Signal } from './signals.ts';

/**
 * The probabilities from which on a signal counts: the one place with thresholds of the built-in judgement. They are
 * calibrated on texts that the model was not trained on (docs/judgement.md).
 */
export const limits = {
  /** A concern, by the sensitivity that the playbook states for it. */
  concern: { low: 0.75, normal: 0.55, high: 0.22 },
  /** Self-harm and injuries by themselves: one that is missed waits until somebody looks. */
  urgent: { low: 0.5, normal: 0.3, high: 0.15 },
  /** What the probability of a concern beside the strongest one is divided by, before it is compared. */
  alsoNamed: 0.8,
  /** A concern from which on the reply speaks of it. */
  sure: 0.5,
  /** A concern in automatic messages and spam, which often speak of deaths, debts and lawyers. */
  concernOfMachine: 0.75,
  /** A serious concern for which a language model that found none is asked once more. */
  secondLook: 0.9,
  human: 0.5,
  unresolved: 0.25,
  upset: 0.3,
  offTopic: 0.3,
  person: 0.5,
  thanks: 0.5,
  greeting: 0.5,
  feedback: 0.6,
  spam: 0.5,
  automatic: 0.85,
  /** Below this, what looks like an automatic message to the preparation is the customer's. */
  leastAutomatic: 0.1,
} as const;

const urgentConcerns: ReadonlySet<Concern> = new Set(['self_harm', 'injury']);

/**
 * Whether a concern counts in a company. `any` is the probability that there is a concern at all, for the likeliest
 * one: of which kind it is may be unsure where it is sure that there is one.
 */
export function isRaised(
  concern: Concern,
  { own, any }: { readonly own: number; readonly any: number | undefined },
  { sensitivity }: Pick<PlaybookConcern, 'sensitivity'>,
): boolean {
  if (urgentConcerns.has(concern) && own > limits.urgent[sensitivity]) return true;
  const score = any === undefined ? own / limits.alsoNamed : Math.max(own, any);
  return score > limits.concern[sensitivity];
}

/** How much each signal lowers the log odds that a text can be answered automatically. */
const doubts = { person: 1.2, off_topic: 1, other_trade: 2.2 } as const;

/**
 * How much the judgement of a text lowers the log odds that it can be answered automatically. `isShop`: by the
 * built-in playbook, which knows nothing of other trades. Fitted on messages to companies of many trades.
 */
export function doubtOf(found: Readonly<Record<Signal, number>>, isShop: boolean): number {
  const doubt = doubts.person * found.person + doubts.off_topic * found.off_topic;
  // Many messages to a shop might as well be to another company: only what is clearly not to one counts much.
  return isShop ? doubt + doubts.other_trade * found.other_trade ** 2 : doubt;
}

/** A probability for the trace, to four decimals. */
export function roundProbability(probability: number): number {
  return Math.round(probability * 10_000) / 10_000;
}

/** A probability whose log odds are lowered by a doubt. */
export function withDoubt(confidence: number, doubt: number): number {
  if (doubt <= 0 || confidence <= 0 || confidence >= 1) return confidence;
  const odds = (confidence / (1 - confidence)) * Math.exp(-doubt);
  return odds / (1 + odds);
}
