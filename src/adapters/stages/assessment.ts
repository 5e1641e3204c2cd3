import { type Concern, concerns } from '../../domain/message/message.ts';
import type { PreparedText } from '../../domain/message/prepared.ts';
import type { IntentClassifier, RankedIntent } from '../../domain/playbook/intent-classifier.ts';
import type { Playbook, PlaybookConcern } from '../../domain/playbook/playbook.ts';
import type { MessageAnalysis } from './analysis/analysis.ts';
import type { Signal } from './analysis/judgement.ts';
import type { Entities } from './entities.ts';

/** The reasons for a person to see a message that raises no concern. */
export type PersonReason =
  | 'human_requested'
  | 'not_resolved'
  | 'upset_customer'
  | 'off_topic'
  | 'needs_person';

/** The statements of a text that leave no choice to a judge. */
interface Floor {
  /** The concerns of which it has an unmistakable phrase. */
  readonly concerns: readonly Concern[];
  /** True where it unmistakably asks for a person. */
  readonly wantsPerson: boolean;
}

/** The findings of the built-in judgement about a message. */
export interface Assessment extends FoundIntents {
  /** `wish` for everything that may need an answer of content. */
  readonly kind: 'wish' | 'thanks' | 'greeting' | 'spam';
  /** The kind of an automatic message, as the preparation found it, where the model does not contradict it. */
  readonly automatic: PreparedText['automatic'];
  /** The most serious first. */
  readonly concerns: readonly Concern[];
  /** Those of the concerns that are sure enough for a reply of their own. */
  readonly sureConcerns: readonly Concern[];
  readonly reasons: readonly PersonReason[];
  /** Stands above every judgement: no language model removes it. */
  readonly floor: Floor;
  /** The doubt about an automatic answer, whatever the intent: it lowers the log odds of the confidence. */
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
  /** The intent of earlier turns of its conversation that it completes: then the intents are those. */
  readonly completion?: Completion | undefined;
}

/** The earlier intent that a message completes. */
export interface Completion {
  readonly intent: string;
  /** The names of what the message names for it. */
  readonly named: readonly string[];
  /** The entities of the message and of the turns before it, the message first. */
  readonly entities: Entities;
}

/** A serious concern that a text may raise. */
interface Suspicion {
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

/** The parts of an assessment. */
interface AssessmentInput {
  readonly analysis: MessageAnalysis;
  /** The finding of the preparation. */
  readonly automatic: PreparedText['automatic'];
  readonly found: FoundIntents;
  readonly thresholds: Assessment['thresholds'];
  readonly playbook: Pick<Playbook, 'concerns'>;
  /** True where the intents are those of the built-in playbook: then what is off its topics is known. */
  readonly isBuiltIn: boolean;
  /** The intent of a greeting that asks for nothing. */
  readonly greetingIntent: string;
}

/** The confidence in an intent from which on a message is an ordinary one of it. */
const SURELY_ORDINARY = 0.9;

/** The number of intents that are told beside the likeliest. */
const ALTERNATIVES = 2;

/** Assesses what was found in a text. */
export function assess(input: AssessmentInput): Assessment {
  const { analysis, found: intents } = input;
  const automatic = automaticKindOf(analysis, input.automatic);
  const isSpam = isSpamText(analysis);
  const { found, sure } = findConcerns(input, automatic !== false || isSpam);
  const kind = kindOf(analysis, found.length > 0);
  const simple = simpleIntentOf(kind, input);
  const { intent } = simple ?? intents;
  return {
    ...intents,
    ...(simple === undefined ? {} : { ...simple, intents: [intent] }),
    alternatives: intents.ranked.filter((one) => one.intent !== intent).slice(0, ALTERNATIVES),
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
    evidence: evidenceOf(analysis, simple === undefined ? intents : undefined, found),
  };
}

function evidenceOf(
  analysis: MessageAnalysis,
  intents: FoundIntents | undefined,
  found: readonly Concern[],
): Assessment['evidence'] {
  const ofIntent = intents?.ranked.find(({ intent }) => intent === intents.intent)?.evidence ?? [];
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

/** The intent of a message that asks for nothing. */
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
  { analysis: { signals, wantsPerson }, found: intents, isBuiltIn }: AssessmentInput,
  kind: Assessment['kind'],
  isRaised: boolean,
): readonly PersonReason[] {
  const found: PersonReason[] = [];
  const isOfPerson = signals.human > limits.human || (kind === 'wish' && intents.intent === 'human_agent');
  if (isOfPerson || wantsPerson !== undefined) found.push('human_requested');
  if (signals.unresolved > limits.unresolved) found.push('not_resolved');
  if (kind !== 'wish') return found;
  if (signals.upset > limits.upset) found.push('upset_customer');
  // A matter that a shop does not answer may well be the business of another company.
  if (isBuiltIn && signals.off_topic > limits.offTopic) found.push('off_topic');
  const isOrdinary = intents.confidence >= SURELY_ORDINARY;
  // A concern is a reason that says more.
  if (found.length === 0 && !isRaised && !isOrdinary && signals.person > limits.person)
    found.push('needs_person');
  return found;
}

// Intents

/** The intents of a message, of those of a playbook. */
interface FoundIntents {
  readonly intent: string;
  /** The probability that the intent is the right one. */
  readonly confidence: number;
  /** All intents of the message, at least one; `intent` is the first. */
  readonly intents: readonly string[];
  /** All intents, the likeliest first. */
  readonly ranked: readonly RankedIntent[];
}

/** The least confidence in a part of a message for it to have an intent of its own. */
const SECOND_INTENT = 0.7;

/** Shorter parts say too little about an intent of their own. */
const LEAST_WORDS = 3;

/** Maximum length of the start of a text that is divided, in characters, and maximum number of parts. */
const MAX_LENGTH = 2_000;
const MAX_PARTS = 8;

/**
 * Finds the intents of a text that was analyzed. `known` are the intents of the playbook: the share of others is that
 * of none of them.
 */
export function findIntents(
  text: string,
  { intents, signals }: Pick<MessageAnalysis, 'intents' | 'signals'>,
  rank: IntentClassifier['rank'],
  known: ReadonlySet<string>,
): FoundIntents {
  const ranked = withStanding(intents, signals, known);
  const [first] = ranked.filter(({ intent }) => intent !== 'spam');
  if (first === undefined) throw new Error('there are no intents');
  const found = intentsOfParts(text, first, rank, known);
  const [main = first] = found;
  return {
    intent: main.intent,
    // An answer to several intents is right only if all are.
    confidence: Math.min(...found.map((one) => one.confidence)),
    intents: found.map(({ intent }) => intent),
    ranked,
  };
}

/** Adds the intents that every playbook has and that the signals find, where the classifier does not know them. */
function withStanding(
  intents: readonly RankedIntent[],
  signals: MessageAnalysis['signals'],
  known: ReadonlySet<string>,
): readonly RankedIntent[] {
  const own = intents.filter(({ intent }) => known.has(intent));
  const has = (name: string): boolean => own.some(({ intent }) => intent === name);
  const standing: RankedIntent[] = [];
  if (!has('human_agent') && signals.human > limits.human) {
    standing.push({ intent: 'human_agent', confidence: signals.human });
  }
  if (!has('feedback') && signals.feedback > limits.feedback) {
    standing.push({ intent: 'feedback', confidence: signals.feedback });
  }
  if (standing.length === 0 && own.length > 0) return own;
  const rest = [...standing, ...own, { intent: 'feedback', confidence: 0 }];
  return rest.toSorted((one, other) => other.confidence - one.confidence);
}

/** The intents of the parts where at least two of them are sure and differ, else the one of the text as a whole. */
function intentsOfParts(
  text: string,
  whole: RankedIntent,
  rank: IntentClassifier['rank'],
  known: ReadonlySet<string>,
): readonly RankedIntent[] {
  const parts = partsOf(text);
  if (parts.length < 2) return [whole];
  const sure = new Map<string, RankedIntent>();
  for (const part of parts) {
    const [first] = rank(part, 1);
    if (first === undefined || first.confidence < SECOND_INTENT) continue;
    if (first.intent === 'spam' || !known.has(first.intent)) continue;
    const before = sure.get(first.intent);
    if (before === undefined || before.confidence < first.confidence) sure.set(first.intent, first);
  }
  if (sure.size < 2) return [whole];
  // The intent of the text as a whole is the main one; the others may be a story.
  const main = [...sure.values()].filter(({ intent }) => intent === whole.intent);
  return [...main, ...[...sure.values()].filter(({ intent }) => intent !== whole.intent)];
}

/**
 * The borders of parts that may each have an intent: the ends of sentences and lines, and the word for `and`.
 */
const borders = /[.!?;\n]+|\s(?:and|und|et|en|oraz)\s/iu;

/** The first parts of a text that are long enough to say something. */
function partsOf(text: string): readonly string[] {
  return text
    .slice(0, MAX_LENGTH)
    .split(borders)
    .filter((part) => part.trim().split(/\s+/).length >= LEAST_WORDS)
    .slice(0, MAX_PARTS);
}

// Limits

/**
 * The probabilities from which on a signal counts: the one place with thresholds of the built-in judgement. They are
 * calibrated on texts that the model was not trained on (docs/judgement.md).
 */
export const limits = {
  /** A concern, by the sensitivity that the playbook states for it. */
  concern: { low: 0.75, normal: 0.55, high: 0.22 },
  /** Self-harm and injuries by themselves: one that is missed waits until somebody looks. */
  urgent: { low: 0.5, normal: 0.3, high: 0.15 },
  /** The divisor of the probability of a concern beside the strongest one, before it is compared. */
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
 * True where a concern counts in a company. `any` is the probability that there is a concern at all, for the likeliest
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

/** The doubt that each signal adds: it lowers the log odds that a text can be answered automatically. */
const doubts = { person: 1.2, off_topic: 1, other_trade: 2.2 } as const;

/**
 * The doubt of a text: it lowers the log odds that the text can be answered automatically. `isShop`: by the
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
