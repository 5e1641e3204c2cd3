import type { RankedIntent } from '../../../domain/playbook/intent-classifier.ts';
import type { MessageAnalysis } from '../analysis.ts';

/** What a customer wants, by the intents of a playbook. */
export interface Wishes {
  readonly intent: string;
  /** The probability that the intent is the right one. */
  readonly confidence: number;
  /** All wishes of the message, at least one; the intent is the first. */
  readonly wishes: readonly string[];
  /** The probability that all wishes are right. */
  readonly bothConfidence: number;
  /**
   * The confidence from which on an intent is sure enough where the playbook states none; `byModel` where it is that of
   * a language model, which no trained classifier's threshold judges.
   */
  leastConfidence(intent: string, byModel?: boolean): number;
  /** All intents, the likeliest first. */
  readonly ranked: readonly RankedIntent[];
}

/** Finds the wishes of a text that has been analyzed. */
export type FindWishes = (text: string, analysis: MessageAnalysis) => Wishes;
