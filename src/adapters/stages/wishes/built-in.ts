import type { IntentClassifier } from '../../../domain/playbook/intent-classifier.ts';
import { sigmoid } from '../../../lib/learning/train.ts';
import { analyzeText, type MessageAnalysis } from '../analysis.ts';
import type { RankedIntent } from '../judgement/judge.ts';
import type { FindWishes, Wishes } from './wishes.ts';

/**
 * The confidence that an answer needs: that of a message to a shop, and what is added for one that is written to a
 * company of another branch, which the built-in playbook does not know.
 */
const LEAST_CONFIDENCE = 0.45;
const OTHER_BRANCH_CONFIDENCE = 0.55;

const CALIBRATION = { offset: 0.4, slope: 1.02 } as const;

/** The least probability of a second wish, and of both wishes together. */
const SECOND_WISH = { least: 0.22, both: 0.75 } as const;

/**
 * Creates the search for the wishes of a message to a shop, by the rules and the built-in model. `known` are the intents
 * of the playbook: where it lacks some of the built-in ones, their share of the probability is that of none.
 */
export function findBuiltInWishes(known: ReadonlyMap<string, unknown>): FindWishes {
  return (_text, analysis) => wishesIn(analysis, known);
}

/** The built-in model for playbooks that have intents of their own beside some of the built-in ones. */
export const builtInClassifier: IntentClassifier = {
  rank: (text) => calibrateShares(analyzeText(text).intents),
  thresholds: new Map(),
};

function wishesIn(analysis: MessageAnalysis, known: ReadonlyMap<string, unknown>): Wishes {
  // What is not spam by its signal is a wish, however much its words resemble spam.
  const candidates = analysis.intents.filter(({ intent }) => intent !== 'spam' && known.has(intent));
  const [first, second] = candidates;
  if (first === undefined) throw new Error('there are no intents');
  const confidence = calibrateShare(first.confidence);
  const otherBranch = sigmoid(2 * (analysis.signals.other_branch + 1));
  return {
    intent: first.intent,
    confidence: isRefused(analysis, first) ? confidence / 2 : confidence,
    wishes: isSecondWish(first, second) ? [first.intent, second.intent] : [first.intent],
    bothConfidence: calibrateShare(first.confidence + (second?.confidence ?? 0)),
    leastConfidence: () => LEAST_CONFIDENCE + OTHER_BRANCH_CONFIDENCE * otherBranch,
    ranked: analysis.intents,
  };
}

/** True where the customer refuses something that may well be this intent, and the rules find nothing else for it. */
function isRefused({ refuses, ruleIntent }: MessageAnalysis, { intent }: RankedIntent): boolean {
  return refuses && ruleIntent !== intent && (intent === 'cancellation' || intent === 'refund');
}

/**
 * The probability that the intent is right, from the model's own. The two numbers were fitted on texts of authors that
 * the model was not trained on; see docs/judgement.md.
 */
function calibrateShare(share: number): number {
  const within = Math.min(Math.max(share, 1e-6), 1 - 1e-6);
  return sigmoid(CALIBRATION.offset + CALIBRATION.slope * Math.log(within / (1 - within)));
}

/** The probabilities of all intents: the first one calibrated, the others by their shares of the rest. */
function calibrateShares([first, ...others]: readonly RankedIntent[]): readonly RankedIntent[] {
  if (first === undefined) return [];
  const confidence = calibrateShare(first.confidence);
  const factor = first.confidence < 1 ? (1 - confidence) / (1 - first.confidence) : 0;
  const rest = others.map((other) => ({
    intent: other.intent,
    confidence: Math.min(confidence, other.confidence * factor),
  }));
  return [{ intent: first.intent, confidence }, ...rest];
}

function isSecondWish(first: RankedIntent, second: RankedIntent | undefined): second is RankedIntent {
  if (second === undefined || second.confidence < SECOND_WISH.least) return false;
  return first.confidence + second.confidence >= SECOND_WISH.both;
}
