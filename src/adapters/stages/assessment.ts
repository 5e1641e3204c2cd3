import { type Concern, concerns } from '../../domain/message/message.ts';
import type { PreparedText } from '../../domain/message/prepared.ts';
import type { RankedIntent } from '../../domain/playbook/intent-classifier.ts';
import { sigmoid } from '../../lib/learning/train.ts';
import type { MessageAnalysis } from './analysis.ts';
import type { Completion } from './conversation/completion.ts';
import { concernScore, type Sensitivity } from './sensitivity.ts';
import type { Wishes } from './wishes/wishes.ts';

/** Why a person has to see a message that raises no concern. */
export type PersonReason =
  | 'human_requested'
  | 'not_resolved'
  | 'upset_customer'
  | 'off_topic'
  | 'needs_person';

/** What a message is, as far as the rules and the models can tell. */
export interface Assessment extends Wishes {
  /** `wish` for everything that may need an answer of content. */
  readonly kind: 'wish' | 'thanks' | 'greeting' | 'spam';
  /** Whether a machine wrote it: what the preparation found, where the model does not contradict it. */
  readonly automatic: PreparedText['automatic'];
  /** The most serious first. */
  readonly concerns: readonly Concern[];
  /** Those of the concerns that are sure enough for a reply of their own. */
  readonly sureConcerns: readonly Concern[];
  readonly reasons: readonly PersonReason[];
  /** The next likely intents. */
  readonly alternatives: readonly RankedIntent[];
  /** The cue by which the rules chose an intent. */
  readonly cues: readonly string[];
  /** The wish of earlier turns of its conversation that it completes: then the wishes are those. */
  readonly completion?: Completion | undefined;
}

/** What an assessment is made from. */
export interface AssessmentInput {
  readonly analysis: MessageAnalysis;
  /** What the preparation found. */
  readonly automatic: PreparedText['automatic'];
  readonly wishes: Wishes;
  /** The concerns of which the text has a phrase of the playbook. */
  readonly stated: ReadonlySet<Concern>;
  /** How readily the message is taken for one that a person has to see. */
  readonly sensitivity: Sensitivity;
  /** Whether the wishes are those of the built-in model, which knows what customers of a shop want. */
  readonly isBuiltIn: boolean;
  /** The intent of a greeting without a wish. */
  readonly greetingIntent: string;
}

/**
 * The scores from which on a signal counts; 0 is as likely as not. They were chosen on texts that the model was not
 * trained on (docs/judgement.md).
 */
const limits = {
  /** A concern that is named beside the strongest one, and the strongest one itself. */
  named: -0.5,
  strongest: -2.5,
  /** In automatic messages and spam, which often speak of deaths, debts and lawyers. */
  concernOfMachine: 1,
  human: 0.3,
  unresolved: -0.4,
  upset: 0,
  offTopic: 0,
  thanks: 0,
  greeting: 0,
  spam: -1,
  /** The least share of spam among the intents. */
  spamShare: 0.5,
  automatic: -2,
  surelyAutomatic: 2,
} as const;

/** The confidence of a company's own classifier from which on a message is an ordinary one of its intent. */
const SURELY_OWN = 0.9;

/** The number of intents that are told beside the likeliest. */
const ALTERNATIVES = 2;

/** Assesses what was found in a text. */
export function assess(input: AssessmentInput): Assessment {
  const { analysis, wishes, sensitivity } = input;
  const automatic = automaticKindOf(analysis, input.automatic);
  const isSpam = looksLikeSpam(analysis);
  const unmistakable = new Set([...analysis.unmistakable, ...input.stated]);
  const limit = automatic !== false || isSpam ? limits.concernOfMachine : sensitivity.concern;
  const { found, isRaised } = findConcerns(analysis, unmistakable, limit);
  const kind = kindOf(analysis, isRaised);
  const simple = simpleIntentOf(kind, input);
  const { intent } = simple ?? wishes;
  return {
    ...wishes,
    ...(simple === undefined ? {} : { ...simple, wishes: [intent] }),
    alternatives: wishes.ranked.filter((one) => one.intent !== intent).slice(0, ALTERNATIVES),
    kind,
    automatic,
    concerns: found,
    sureConcerns: found.filter(
      (concern) => analysis.signals[concern] > sensitivity.sure || unmistakable.has(concern),
    ),
    reasons: isSpam ? [] : personReasons(input, kind, isRaised && found.length === 0),
    cues: analysis.cues,
  };
}

/** A message in a language of the playbook that the built-in model does not read. */
export interface UnreadInput
  extends Pick<AssessmentInput, 'analysis' | 'automatic' | 'wishes' | 'stated' | 'greetingIntent'> {
  readonly smallTalk: 'thanks' | 'greeting' | undefined;
}

/** The confidence in a message that consists of words of thanks or of a greeting. */
const SMALL_TALK_CONFIDENCE = 0.95;

/** Assesses a message by its phrases alone: the built-in model would only guess. */
export function assessUnread(input: UnreadInput): Assessment {
  const { analysis, automatic, wishes, stated, smallTalk, greetingIntent } = input;
  const found = concerns.filter((concern) => stated.has(concern) || analysis.unmistakable.has(concern));
  const kind = found.length > 0 ? 'wish' : (smallTalk ?? 'wish');
  const simple = { thanks: 'feedback', greeting: greetingIntent, wish: undefined }[kind];
  const intent = simple ?? wishes.intent;
  return {
    ...wishes,
    ...(simple === undefined ? {} : { intent, confidence: SMALL_TALK_CONFIDENCE, wishes: [intent] }),
    alternatives: wishes.ranked.filter((one) => one.intent !== intent).slice(0, ALTERNATIVES),
    ...{ kind, automatic, concerns: found, sureConcerns: found, cues: [] },
    reasons: intent === 'human_agent' ? ['human_requested'] : [],
  };
}

/** Whether a text raises a concern, and which: none is named where it is too unsure which one it is. */
function findConcerns(
  analysis: MessageAnalysis,
  unmistakable: ReadonlySet<Concern>,
  limit: number,
): { readonly found: readonly Concern[]; readonly isRaised: boolean } {
  const { signals } = analysis;
  const strongest = concerns.reduce((a, b) => (signals[b] > signals[a] ? b : a));
  if (unmistakable.size === 0 && concernScore(analysis) <= limit) return { found: [], isRaised: false };
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
  // A report of a mail server is told by its form, whatever the words in it.
  if (prepared === 'empty' || prepared === 'bounce') return prepared;
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

/** The intent of a message that is no wish. */
function simpleIntentOf(
  kind: Assessment['kind'],
  { analysis: { signals }, greetingIntent }: AssessmentInput,
): { readonly intent: string; readonly confidence: number } | undefined {
  if (kind === 'spam') return { intent: 'spam', confidence: Math.max(0.5, sigmoid(signals.spam)) };
  if (kind === 'thanks') return { intent: 'feedback', confidence: sigmoid(signals.thanks) };
  if (kind === 'greeting') return { intent: greetingIntent, confidence: sigmoid(signals.greeting) };
  return undefined;
}

function personReasons(
  { analysis: { signals, intents }, wishes, sensitivity, isBuiltIn }: AssessmentInput,
  kind: Assessment['kind'],
  isRaised: boolean,
): readonly PersonReason[] {
  const found: PersonReason[] = [];
  const asksForPerson = (isBuiltIn ? intents[0]?.intent : wishes.intent) === 'human_agent';
  if (signals.human > limits.human || (kind === 'wish' && asksForPerson)) found.push('human_requested');
  if (signals.unresolved > limits.unresolved) found.push('not_resolved');
  if (kind !== 'wish') return found;
  if (signals.upset > limits.upset) found.push('upset_customer');
  // What a shop does not answer may well be the business of another company.
  if (isBuiltIn && signals.off_topic > limits.offTopic) found.push('off_topic');
  // A company's own classifier that is sure knows more about its messages than the built-in model.
  const isOrdinary = !isBuiltIn && wishes.confidence >= SURELY_OWN;
  if (isRaised || (found.length === 0 && !isOrdinary && signals.person > sensitivity.person)) {
    found.push('needs_person');
  }
  return found;
}
