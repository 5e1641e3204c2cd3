import { type Classification, type Concern, concerns, type Intent } from '../../domain/message/message.ts';
import type { PreparedMessage, PreparedText } from '../../domain/message/prepared.ts';
import { sigmoid } from '../../lib/learning/train.ts';
import { analyzeMessage, type MessageAnalysis } from './analysis.ts';
import type { RankedIntent } from './judgement/judge.ts';

/** Why a person has to see a message that raises no concern. */
export type PersonReason =
  | 'human_requested'
  | 'not_resolved'
  | 'upset_customer'
  | 'off_topic'
  | 'needs_person';

/** What a message is, as far as the rules and the model can tell. */
export interface Assessment {
  /** `wish` for everything that may need an answer of content. */
  readonly kind: 'wish' | 'thanks' | 'greeting' | 'spam';
  /** Whether a machine wrote it: what the preparation found, where the model does not contradict it. */
  readonly automatic: PreparedText['automatic'];
  readonly intent: Intent;
  /** The probability that the intent is the right one. */
  readonly confidence: number;
  /** All wishes of the message, one or two; the intent is the first. */
  readonly wishes: readonly Intent[];
  /** The probability that the wish is one of the two likeliest intents. */
  readonly bothConfidence: number;
  /** The confidence from which on the intent is sure enough for the branch of the message. */
  readonly leastConfidence: number;
  /** The next likely intents. */
  readonly alternatives: readonly RankedIntent[];
  /** The most serious first. */
  readonly concerns: readonly Concern[];
  /** Those of the concerns that are sure enough for a reply of their own. */
  readonly sureConcerns: readonly Concern[];
  readonly reasons: readonly PersonReason[];
  /** The cue by which the rules chose an intent. */
  readonly cues: readonly string[];
}

/**
 * The scores from which on a signal counts; 0 is as likely as not. They were chosen on texts that the model was not
 * trained on (docs/judgement.md).
 */
const limits = {
  concern: -1.4,
  /** A concern that is named beside the strongest one, and the strongest one itself. */
  named: -0.5,
  strongest: -2.5,
  /** A concern that is sure enough for its own reply. */
  sure: -0.8,
  /** In automatic messages and spam, which often speak of deaths, debts and lawyers. */
  concernOfMachine: 1,
  human: 0.3,
  unresolved: -0.4,
  upset: 0,
  offTopic: 0,
  person: 0.2,
  thanks: 0,
  greeting: 0,
  spam: -1,
  /** The least share of spam among the intents. */
  spamShare: 0.5,
  automatic: -2,
  surelyAutomatic: 2,
} as const;

/** How much the likelihood that a person is needed adds to that of a concern. */
const PERSON_SHARE = 0.5;

/**
 * The confidence that an answer needs: that of a message to a shop, and what is added for one that is written to a
 * company of another branch, which the built-in playbook does not know.
 */
const LEAST_CONFIDENCE = 0.45;
const OTHER_BRANCH_CONFIDENCE = 0.55;

const CALIBRATION = { offset: 0.4, slope: 1.02 } as const;

/** The least probability of a second wish, and of both wishes together. */
const SECOND_WISH = { least: 0.22, both: 0.75 } as const;

const assessments = new WeakMap<PreparedMessage, Assessment>();

/** Assesses a message, once for all stages. */
export function assessMessage(message: PreparedMessage): Assessment {
  let assessment = assessments.get(message);
  if (assessment === undefined) {
    assessment = assess(analyzeMessage(message), message.prepared.automatic);
    assessments.set(message, assessment);
  }
  return assessment;
}

/** The wishes of a message under a classification, which a language model may have made: then its intent is the wish. */
export function wishesOf(message: PreparedMessage, { intent }: Classification): readonly Intent[] {
  const assessment = assessMessage(message);
  if (assessment.kind === 'thanks' || assessment.kind === 'greeting') return [];
  return assessment.intent === intent ? assessment.wishes : [intent];
}

/** The probability that all wishes of a message are right. */
export function confidenceIn(message: PreparedMessage, { intent, confidence }: Classification): number {
  const assessment = assessMessage(message);
  return assessment.intent === intent && assessment.wishes.length > 1
    ? Math.max(confidence, assessment.bothConfidence)
    : confidence;
}

/** Assesses what was found in a text, which the preparation may have found to be an automatic one. */
function assess(analysis: MessageAnalysis, prepared: PreparedText['automatic']): Assessment {
  const { signals, cues } = analysis;
  const automatic = automaticKindOf(analysis, prepared);
  const isSpam = looksLikeSpam(analysis);
  const { found, isRaised } = concernsOf(analysis, automatic !== false || isSpam);
  const kind = kindOf(analysis, isRaised);
  const candidates = analysis.intents.filter((one) => one.intent !== 'spam');
  const { intent, confidence } = classificationOf(analysis, kind);
  return {
    kind,
    automatic,
    intent,
    confidence,
    wishes: kind === 'wish' ? likelyWishes(candidates) : [intent],
    bothConfidence: calibrate(candidates.slice(0, 2).reduce((sum, one) => sum + one.confidence, 0)),
    leastConfidence:
      LEAST_CONFIDENCE + OTHER_BRANCH_CONFIDENCE * sigmoid(2 * (analysis.signals.other_branch + 1)),
    alternatives: analysis.intents.filter((one) => one.intent !== intent).slice(0, 2),
    concerns: found,
    sureConcerns: found.filter(
      (concern) => signals[concern] > limits.sure || analysis.unmistakable.has(concern),
    ),
    reasons: isSpam ? [] : personReasons(analysis, kind, isRaised && found.length === 0),
    cues,
  };
}

/** Whether a text raises a concern, and which: none is named where it is too unsure which one it is. */
function concernsOf(
  { signals, unmistakable }: MessageAnalysis,
  isMachine: boolean,
): { readonly found: readonly Concern[]; readonly isRaised: boolean } {
  const score = signals.concern + PERSON_SHARE * signals.person;
  const strongest = concerns.reduce((a, b) => (signals[b] > signals[a] ? b : a));
  const limit = isMachine ? limits.concernOfMachine : limits.concern;
  if (unmistakable.size === 0 && Math.max(score, signals[strongest]) < limit) {
    return { found: [], isRaised: false };
  }
  const found = concerns.filter((concern) => {
    const least = concern === strongest ? limits.strongest : limits.named;
    return unmistakable.has(concern) || signals[concern] > least;
  });
  return { found, isRaised: true };
}

function looksLikeSpam({ signals, intents }: MessageAnalysis): boolean {
  const [first] = intents;
  const isFirst = first?.intent === 'spam' && first.confidence > limits.spamShare;
  return isFirst || signals.spam > limits.spam;
}

function automaticKindOf(
  { signals }: MessageAnalysis,
  prepared: PreparedText['automatic'],
): PreparedText['automatic'] {
  if (prepared === 'empty') return prepared;
  if (signals.automatic > limits.surelyAutomatic) return prepared === false ? 'auto_reply' : prepared;
  return signals.automatic > limits.automatic ? prepared : false;
}

function kindOf(analysis: MessageAnalysis, isRaised: boolean): Assessment['kind'] {
  if (looksLikeSpam(analysis)) return 'spam';
  if (isRaised) return 'wish';
  const { signals } = analysis;
  const [kind, limit] =
    signals.thanks > signals.greeting
      ? (['thanks', limits.thanks] as const)
      : (['greeting', limits.greeting] as const);
  return signals[kind] > limit ? kind : 'wish';
}

/** True where the customer refuses something that may well be this intent, and the rules find nothing else for it. */
function isRefused({ refuses, ruleIntent }: MessageAnalysis, intent: Intent): boolean {
  return refuses && ruleIntent !== intent && (intent === 'cancellation' || intent === 'refund');
}

function classificationOf(analysis: MessageAnalysis, kind: Assessment['kind']): RankedIntent {
  const { intents, signals } = analysis;
  if (kind === 'spam') return { intent: 'spam', confidence: Math.max(0.5, sigmoid(signals.spam)) };
  if (kind === 'thanks') return { intent: 'feedback', confidence: sigmoid(signals.thanks) };
  if (kind === 'greeting') return { intent: 'general_question', confidence: sigmoid(signals.greeting) };
  // What is not spam by its signal is a wish, however much its words resemble spam.
  const first = intents.find((one) => one.intent !== 'spam');
  if (first === undefined) throw new Error('there are no intents');
  const confidence = calibrate(first.confidence);
  return {
    intent: first.intent,
    confidence: isRefused(analysis, first.intent) ? confidence / 2 : confidence,
  };
}

/**
 * The probability that the intent is right, from the model's own. The two numbers were fitted on texts of authors that
 * the model was not trained on; see docs/judgement.md.
 */
function calibrate(share: number): number {
  const within = Math.min(Math.max(share, 1e-6), 1 - 1e-6);
  return sigmoid(CALIBRATION.offset + CALIBRATION.slope * Math.log(within / (1 - within)));
}

function likelyWishes(intents: readonly RankedIntent[]): readonly Intent[] {
  const [first, second] = intents;
  if (first === undefined || second === undefined) throw new Error('there are no intents');
  const isSecond =
    second.confidence >= SECOND_WISH.least && first.confidence + second.confidence >= SECOND_WISH.both;
  return isSecond ? [first.intent, second.intent] : [first.intent];
}

function personReasons(
  { signals, intents }: MessageAnalysis,
  kind: Assessment['kind'],
  isRaised: boolean,
): readonly PersonReason[] {
  const found: PersonReason[] = [];
  const wantsPerson = kind === 'wish' && intents[0]?.intent === 'human_agent';
  if (signals.human > limits.human || wantsPerson) found.push('human_requested');
  if (signals.unresolved > limits.unresolved) found.push('not_resolved');
  if (kind !== 'wish') return found;
  if (signals.upset > limits.upset) found.push('upset_customer');
  if (signals.off_topic > limits.offTopic) found.push('off_topic');
  if (isRaised || (found.length === 0 && signals.person > limits.person)) found.push('needs_person');
  return found;
}
