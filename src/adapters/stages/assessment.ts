import { type Concern, concerns } from '../../domain/message/message.ts';
import type { PreparedText } from '../../domain/message/prepared.ts';
import type { RankedIntent } from '../../domain/playbook/intent-classifier.ts';
import type { Playbook } from '../../domain/playbook/playbook.ts';
import type { MessageAnalysis } from './analysis/analysis.ts';
import { doubtOf, isRaised, limits } from './analysis/limits.ts';
import type { Completion } from './conversation/completion.ts';
import type { Wishes } from './wishes.ts';

/** Why a person has to see a message that raises no concern. */
export type PersonReason =
  | 'human_requested'
  | 'not_resolved'
  | 'upset_customer'
  | 'off_topic'
  | 'needs_person';

/** The statements of a text that leave no choice to a judge. */
export interface Floor {
  /** The concerns of which it has an unmistakable phrase. */
  readonly concerns: readonly Concern[];
  /** True where it unmistakably asks for a person. */
  readonly wantsPerson: boolean;
}

/** What a message is, as far as the built-in judgement can tell. */
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
  /** Stands above every judgement: no language model removes it. */
  readonly floor: Floor;
  /** How much speaks against an automatic answer, whatever the intent: it lowers the log odds of the confidence. */
  readonly doubt: number;
  /** The next likely intents. */
  readonly alternatives: readonly RankedIntent[];
  /** The words of the customer that say most for the intent and for each concern. */
  readonly evidence: Readonly<Record<string, readonly string[]>>;
  /** The least confidences for an answer, by intent, that were measured for what decided here. */
  readonly thresholds: ReadonlyMap<string, number>;
  /** The serious concerns that are likely, decided or not, with the words that say so. */
  readonly suspicions: readonly Suspicion[];
  /** The language of the message by a language model; undefined where none judged it. */
  readonly language?: string | undefined;
  /** The wish of earlier turns of its conversation that it completes: then the wishes are those. */
  readonly completion?: Completion | undefined;
}

/** A serious concern that a text may raise. */
export interface Suspicion {
  readonly concern: Concern;
  readonly probability: number;
  readonly words: readonly string[];
}

/** The concerns for which nothing is left untried. */
const seriousConcerns = [
  'self_harm',
  'injury',
  'threat',
  'fraud',
  'legal',
] as const satisfies readonly Concern[];

/** What an assessment is made from. */
export interface AssessmentInput {
  readonly analysis: MessageAnalysis;
  /** What the preparation found. */
  readonly automatic: PreparedText['automatic'];
  readonly wishes: Wishes;
  readonly thresholds: Assessment['thresholds'];
  readonly playbook: Pick<Playbook, 'concerns'>;
  /** True where the intents are those of the built-in playbook: then what is off its topics is known. */
  readonly isBuiltIn: boolean;
  /** The intent of a greeting without a wish. */
  readonly greetingIntent: string;
}

/** The confidence in an intent from which on a message is an ordinary one of it. */
const SURELY_ORDINARY = 0.9;

/** The number of intents that are told beside the likeliest. */
const ALTERNATIVES = 2;

/** Assesses what was found in a text. */
export function assess(input: AssessmentInput): Assessment {
  const { analysis, wishes } = input;
  const automatic = automaticKindOf(analysis, input.automatic);
  const isSpam = isSpamText(analysis);
  const { found, sure } = findConcerns(input, automatic !== false || isSpam);
  const kind = kindOf(analysis, found.length > 0);
  const simple = simpleIntentOf(kind, input);
  const { intent } = simple ?? wishes;
  return {
    ...wishes,
    ...(simple === undefined ? {} : { ...simple, wishes: [intent] }),
    alternatives: wishes.ranked.filter((one) => one.intent !== intent).slice(0, ALTERNATIVES),
    kind,
    automatic,
    concerns: found,
    sureConcerns: sure,
    reasons: isSpam ? [] : personReasons(input, kind, found.length > 0),
    floor: {
      concerns: concerns.filter((concern) => analysis.phrases.has(concern)),
      wantsPerson: analysis.wantsPerson !== undefined,
    },
    doubt: kind === 'wish' ? doubtOf(analysis.signals, input.isBuiltIn) : 0,
    thresholds: input.thresholds,
    suspicions: suspicionsIn(analysis),
    evidence: evidenceOf(analysis, simple === undefined ? wishes : undefined, found),
  };
}

function evidenceOf(
  analysis: MessageAnalysis,
  wishes: Wishes | undefined,
  found: readonly Concern[],
): Assessment['evidence'] {
  const ofIntent = wishes?.ranked.find(({ intent }) => intent === wishes.intent)?.evidence ?? [];
  const entries = found.map((concern) => [concern, analysis.evidenceOf(concern)] as const);
  return Object.fromEntries(ofIntent.length === 0 ? entries : [['intent', ofIntent], ...entries]);
}

function suspicionsIn({ signals, evidenceOf }: MessageAnalysis): readonly Suspicion[] {
  return seriousConcerns
    .filter((concern) => signals[concern] >= limits.secondLook)
    .map((concern) => ({ concern, probability: signals[concern], words: evidenceOf(concern) }));
}

/** The concerns of a text: those with a phrase, and those that are likely enough and have words that say so. */
function findConcerns({ analysis, playbook }: AssessmentInput, isOfMachine: boolean) {
  const { signals, phrases } = analysis;
  const strongest = concerns.reduce((a, b) => (signals[b] > signals[a] ? b : a));
  const found = concerns.filter((concern) => {
    if (phrases.has(concern)) return true;
    const own = signals[concern];
    const any = concern === strongest ? signals.concern : undefined;
    const counts = isOfMachine
      ? Math.max(own, any ?? 0) > limits.concernOfMachine
      : isRaised(concern, { own, any }, playbook.concerns[concern]);
    return counts && analysis.evidenceOf(concern).length > 0;
  });
  const sure = found.filter((concern) => phrases.has(concern) || signals[concern] > limits.sure);
  return { found, sure };
}

function automaticKindOf(
  { signals }: MessageAnalysis,
  prepared: PreparedText['automatic'],
): PreparedText['automatic'] {
  // A report of a mail server is told by its form, whatever the words in it.
  if (prepared === 'empty' || prepared === 'bounce') return prepared;
  if (signals.automatic > limits.automatic) return prepared === false ? 'auto_reply' : prepared;
  return signals.automatic > limits.leastAutomatic ? prepared : false;
}

/** True for a text that reads like spam, unless it unmistakably asks for a person. */
function isSpamText({ signals, wantsPerson }: MessageAnalysis): boolean {
  return signals.spam > limits.spam && wantsPerson === undefined;
}

function kindOf(analysis: MessageAnalysis, isRaised: boolean): Assessment['kind'] {
  const { signals } = analysis;
  if (isSpamText(analysis)) return 'spam';
  if (isRaised) return 'wish';
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
  if (kind === 'spam') return { intent: 'spam', confidence: signals.spam };
  if (kind === 'thanks') return { intent: 'feedback', confidence: signals.thanks };
  if (kind === 'greeting') return { intent: greetingIntent, confidence: signals.greeting };
  return undefined;
}

function personReasons(
  { analysis: { signals, wantsPerson }, wishes, isBuiltIn }: AssessmentInput,
  kind: Assessment['kind'],
  isRaised: boolean,
): readonly PersonReason[] {
  const found: PersonReason[] = [];
  const isOfPerson = signals.human > limits.human || (kind === 'wish' && wishes.intent === 'human_agent');
  if (isOfPerson || wantsPerson !== undefined) found.push('human_requested');
  if (signals.unresolved > limits.unresolved) found.push('not_resolved');
  if (kind !== 'wish') return found;
  if (signals.upset > limits.upset) found.push('upset_customer');
  // What a shop does not answer may well be the business of another company.
  if (isBuiltIn && signals.off_topic > limits.offTopic) found.push('off_topic');
  const isOrdinary = wishes.confidence >= SURELY_ORDINARY;
  // A concern is a reason that says more.
  if (found.length === 0 && !isRaised && !isOrdinary && signals.person > limits.person)
    found.push('needs_person');
  return found;
}
