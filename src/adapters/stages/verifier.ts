import type { Concern, Decision, Disposition, ToolOutcome, Verdict } from '../../domain/message/message.ts';
import type { AutomaticKind, PreparedMessage } from '../../domain/message/prepared.ts';
import type { PlaybookIntent } from '../../domain/playbook/playbook.ts';
import { getOwn, isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import type { VerificationInput } from '../../ports/stages.ts';
import { type PersonReason, roundProbability, withDoubt } from './assessment.ts';
import { type Assessor, isFor, missingEntity } from './assessor.ts';
import { countUnsuccessful, isRepeated } from './conversation.ts';

/** The basis of the verifier's decisions. */
interface VerifierOptions {
  readonly assessor: Assessor;
  /** Messages with a lower confidence, from 0 to 1, are escalated; an intent of the playbook may ask for more. */
  readonly escalationThreshold: number;
}

/** The verifier stage: decides what happens with a message (decisions, section 2). It gives all reasons. */
export function verifyAnswer(input: VerificationInput, options: VerifierOptions): Decision<Verdict> {
  const found = options.assessor.concernsOf(input.message, input.classification);
  const { disposition, because } = decide(input, found, options);
  const escalated = disposition === 'escalated';
  const sentences = because.map((reason) => reasons[reason]);
  return {
    value: { escalated, reasons: because, disposition, concerns: escalated ? found : [] },
    source: 'deterministic',
    summary: `${titles[disposition]}: ${sentences.join('; ')}.`,
    data: {
      escalated,
      disposition,
      reasons: because,
      concerns: [...found],
      explanations: sentences,
      confidence: input.classification.confidence,
      answerable: roundProbability(answerableConfidence(input, options.assessor)),
      threshold: roundProbability(neededConfidence(input, options)),
      ...conversationData(because),
    },
  };
}

/** The part of the conversation that decided. */
function conversationData(because: readonly Reason[]): JsonObject {
  const found = because.filter((reason) => conversationReasons.has(reason));
  return found.length === 0 ? {} : { conversation: found.map((reason) => reasons[reason]).join('; ') };
}

const conversationReasons: ReadonlySet<Reason> = new Set(['person_holds', 'repeated_wish', 'third_turn']);

const titles = {
  escalated: 'Escalated',
  answered: 'Not escalated',
  no_reply: 'Not escalated and not answered',
  draft: 'Not sent before a person has seen it',
} as const satisfies Record<Disposition, string>;

/** A disposition and the reasons for it. */
interface Judged {
  readonly disposition: Disposition;
  readonly because: readonly Reason[];
}

function decide(input: VerificationInput, found: readonly Concern[], options: VerifierOptions): Judged {
  const { message, classification } = input;
  const { assessor } = options;
  const { kind, reasons: person, automatic, intent } = assessor.assess(message);
  // A language model may find spam that the rules do not; then its intent differs from theirs.
  const isSpam = kind === 'spam' || (classification.intent === 'spam' && intent !== 'spam');
  // A message that nobody will see has to be as sure as an answer.
  const isSure =
    classification.byModel !== true || classification.confidence >= neededConfidence(input, options);
  if (found.length === 0) {
    if (automatic !== false) return { disposition: 'no_reply', because: [automatic] };
    if (isSpam && isSure) return { disposition: 'no_reply', because: ['spam'] };
  }
  const language = assessor.replyLanguage(message);
  const because: Reason[] = [...found];
  if (isLanguageOpen(message, language, assessor)) because.push('language');
  because.push(...person);
  if (classification.intent === 'human_agent' && !because.includes('human_requested'))
    because.push('human_requested');
  if (message.history?.isHeld === true) {
    return { disposition: 'escalated', because: [...because, 'person_holds'] };
  }
  const isSmallTalk = kind === 'thanks' || kind === 'greeting';
  // With a concern no tool was called, and there is nothing to doubt.
  if (!isSmallTalk && found.length === 0) {
    because.push(...doubtsOf(input, language, options).filter((doubt) => !because.includes(doubt)));
  }
  if (!isSmallTalk && found.length === 0 && repeatsIntent(input, language, assessor))
    because.push('repeated_wish');
  const withheld = withheldBecause(input, assessor);
  const answer = isSmallTalk ? 'small_talk' : answerReason(input, assessor);
  if (because.length === 0 && isThirdTurn(input, answer, assessor)) because.push('third_turn');
  if (because.length > 0) return { disposition: 'escalated', because: [...because, ...(withheld ?? [])] };
  if (isSmallTalk && withheld?.every((reason) => reason !== 'draft_requested')) {
    return { disposition: 'no_reply', because: ['small_talk', ...withheld] };
  }
  if (withheld === undefined) return { disposition: 'answered', because: [answer] };
  if (!assessor.hasInbox) return { disposition: 'escalated', because: withheld };
  return { disposition: 'draft', because: [answer, ...withheld] };
}

/** True where nobody can answer in the language of a message, or where it is not clear which one that is. */
function isLanguageOpen(message: PreparedMessage, language: string | undefined, assessor: Assessor): boolean {
  if (language === undefined) return assessor.modelLanguage(message) === undefined;
  const { language: byModel } = assessor.assess(message);
  return assessor.playbook.company.anyLanguage && byModel !== undefined && byModel !== language;
}

/** True where the same intent came up before in the conversation. */
function repeatsIntent(input: VerificationInput, language: string | undefined, assessor: Assessor): boolean {
  const { message, classification } = input;
  const turns = assessor.turnsOf(message);
  if (turns.length === 0) return false;
  const answers = language === undefined ? [] : assessor.answersTo(input, language);
  const compared = {
    text: message.prepared.text,
    intent: assessor.intentOf(classification.intent),
    entities: assessor.entitiesOf(message),
    answers: answers.flatMap((answer) => answer ?? []),
  };
  return isRepeated(compared, turns, assessor.entitiesIn);
}

/** True where two turns without an answer came before, and this one would be the third. */
function isThirdTurn({ message }: VerificationInput, answer: Reason, assessor: Assessor): boolean {
  if (answer !== 'question_asked' && answer !== 'not_found') return false;
  return countUnsuccessful(assessor.turnsOf(message)) >= 2;
}

/** The reasons to send no answer before a person has seen it; undefined where there are none. */
function withheldBecause(
  { message, classification }: VerificationInput,
  assessor: Assessor,
): readonly Reason[] | undefined {
  const { mode, autoReply } = assessor.playbook;
  const intents = [classification.intent, ...assessor.intentsOf(message, classification)];
  const because: Reason[] = [];
  if (mode === 'draft') because.push('draft_mode');
  else if (autoReply !== undefined && !intents.every((one) => autoReply.has(one)))
    because.push('no_auto_reply');
  if (message.draft === true) because.push('draft_requested');
  return because.length === 0 ? undefined : because;
}

function doubtsOf(
  input: VerificationInput,
  language: string | undefined,
  options: VerifierOptions,
): readonly Reason[] {
  const { message, classification } = input;
  const { assessor } = options;
  const intents = assessor.intentsOf(message, classification).map(assessor.intentOf);
  const doubts: Reason[] = [];
  const needed = neededConfidence(input, options);
  if (classification.confidence < needed) doubts.push('low_confidence');
  else if (answerableConfidence(input, assessor) < needed) doubts.push('needs_person');
  if (!intents.every((intent) => isCovered(intent, input, intents.length, assessor))) {
    doubts.push('nothing_to_answer_with');
  } else if (language !== undefined) {
    if (!intents.every((intent) => speaks(intent, language, message, assessor))) doubts.push('language');
    else if (doubts.length === 0 && !isWritten(input, language, assessor)) {
      doubts.push('nothing_to_answer_with');
    }
  }
  return doubts;
}

/** The confidence that an answer needs: the most that the operator, the playbook and the classifier ask for. */
function neededConfidence(
  { message, classification }: VerificationInput,
  { assessor, escalationThreshold }: VerifierOptions,
): number {
  // The intent of an earlier turn was sure enough to ask for what this message names.
  if (assessor.assess(message).completion !== undefined) return escalationThreshold;
  const thresholds = assessor
    .intentsOf(message, classification)
    .map((one) => assessor.leastConfidence(message, one, classification.byModel));
  return Math.max(escalationThreshold, ...thresholds);
}

/**
 * The probability that a message can be answered automatically: the confidence in its intent, less what else speaks
 * against it. Knowing the intent is not knowing that it can be answered.
 */
function answerableConfidence({ message, classification }: VerificationInput, assessor: Assessor): number {
  const { doubt, completion } = assessor.assess(message);
  if (completion !== undefined || classification.byModel === true) return classification.confidence;
  return withDoubt(classification.confidence, doubt);
}

/**
 * True where the playbook has an answer of fixed text, a question to ask, or what the tools brought answers an intent.
 */
function isCovered(
  intent: PlaybookIntent,
  { message, outcomes }: VerificationInput,
  count: number,
  assessor: Assessor,
): boolean {
  if (intent.handover) return false;
  if (missingEntity(intent, message, assessor) !== undefined) return true;
  if (intent.tools.length === 0 && !intent.articles) return intent.replies.size > 0;
  const own = count === 1 ? outcomes : outcomes.filter((outcome) => isFor(outcome, intent, assessor));
  return own.some((outcome) => hasContent(outcome) || outcome.notFound === true);
}

/**
 * True where the playbook has the text of the answer in a language. Without any text an answer lists what was found.
 */
function speaks(
  intent: PlaybookIntent,
  language: string,
  message: PreparedMessage,
  assessor: Assessor,
): boolean {
  const missing = missingEntity(intent, message, assessor);
  if (missing !== undefined) return missing.question.has(language);
  return intent.replies.size === 0 || intent.replies.has(language);
}

/** True where the answer to each intent can be written: the tools brought what its text names. */
function isWritten(input: VerificationInput, language: string, assessor: Assessor): boolean {
  return assessor.answersTo(input, language).every((answer) => answer !== undefined);
}

function answerReason({ message, classification, outcomes }: VerificationInput, assessor: Assessor): Reason {
  if (outcomes.some(({ notFound }) => notFound === true)) return 'not_found';
  const intents = assessor.intentsOf(message, classification).map(assessor.intentOf);
  const isAsked = intents.some((one) => missingEntity(one, message, assessor) !== undefined);
  return isAsked ? 'question_asked' : 'answerable';
}

/** True for a successful call whose output has content: a search that found no article has none. */
export function hasContent(outcome: ToolOutcome): boolean {
  if (outcome.status !== 'success' || outcome.output === null) return false;
  return outputHasContent(outcome.output);
}

function outputHasContent(output: JsonObject): boolean {
  return Object.keys(output).some((key) => {
    const value = getOwn(output, key);
    if (Array.isArray(value)) return value.length > 0;
    if (isJsonObject(value)) return Object.keys(value).length > 0;
    return value !== undefined && value !== null && value !== '';
  });
}

// Reasons

/** The reasons for and against an escalation: the stable name of each, and its explanation. */
export const reasons = {
  self_harm: 'the message speaks of self-harm',
  injury: 'the message speaks of an injury or a danger',
  threat: 'the message is or reports a threat',
  fraud: 'the message speaks of fraud',
  legal: 'the message speaks of legal action',
  privacy: 'the message is about the protection of personal data',
  discrimination: 'the message speaks of discrimination or harassment',
  vulnerable: 'the message comes from or is about somebody in need of care',
  press: 'the message comes from the press, an authority or a possible partner',
  language: 'there are no replies in the language of the message',
  human_requested: 'the customer asks for a person',
  not_resolved: 'an earlier answer did not help',
  upset_customer: 'the customer is upset',
  off_topic: 'the message is about nothing that the playbook answers',
  needs_person: 'the message reads like one that a person has to see',
  low_confidence: 'it is not sure enough what the customer wants',
  nothing_to_answer_with: 'no tool or article brought an answer to everything that the customer wants',
  reply_missing:
    'the language model wrote no reply that may be sent, and the rules have none from the same sources',
  left_open: 'the language model could not answer everything from what the tools and articles brought',
  reply_does_not_fit: 'the check of the finished reply found that it does not fit the message',
  person_holds: 'a person holds the conversation',
  repeated_wish: 'the customer repeats a wish that came up before',
  third_turn: 'two turns before brought no answer, and this one would bring none either',
  draft_requested: 'the caller wants a person to see the reply before it is sent',
  draft_mode: 'the playbook lets no reply be sent before a person has seen it',
  no_auto_reply: 'the playbook lets messages with this intent be answered by a person only',
  auto_reply: 'the message is an automatic reply',
  bounce: 'the message reports a mail that did not arrive',
  empty: 'the message has no text',
  spam: 'the message is spam',
  small_talk: 'the message is thanks or a greeting',
  question_asked: 'the answer needs something that the message does not name, which the reply asks for',
  not_found: 'the tool found nothing, which the reply says',
  answerable: 'there is something to answer with and nothing speaks against it',
} as const satisfies Record<Concern | AutomaticKind | PersonReason, string> & Record<string, string>;

/** One of {@link reasons}. */
type Reason = keyof typeof reasons;
