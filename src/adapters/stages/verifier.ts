import type { Concern, Decision, Disposition, ToolOutcome, Verdict } from '../../domain/message/message.ts';
import type { AutomaticKind, PreparedMessage } from '../../domain/message/prepared.ts';
import type { PlaybookIntent } from '../../domain/playbook/playbook.ts';
import { getOwn, isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import type { VerificationInput } from '../../ports/stages.ts';
import { isFor, missingEntity } from './answers.ts';
import type { PersonReason } from './assessment.ts';
import type { Assessor } from './assessor.ts';

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
  draft_mode: 'the playbook lets no reply be sent before a person has seen it',
  no_auto_reply: 'the playbook lets messages with this intent be answered by a person only',
  auto_reply: 'the message is an automatic reply',
  bounce: 'the message reports a mail that could not be delivered',
  empty: 'the message has no text',
  spam: 'the message is spam',
  small_talk: 'the message is thanks or a greeting',
  question_asked: 'the answer needs something that the message does not name, which the reply asks for',
  not_found: 'the tool found nothing, which the reply says',
  answerable: 'there is something to answer with and nothing speaks against it',
} as const satisfies Record<Concern | AutomaticKind | PersonReason, string> & Record<string, string>;

/** One of {@link reasons}. */
type Reason = keyof typeof reasons;

/** What the verifier decides by. */
export interface VerifierOptions {
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
      threshold: round(neededConfidence(input, options)),
    },
  };
}

const titles = {
  escalated: 'Escalated',
  answered: 'Not escalated',
  no_reply: 'Not escalated and not answered',
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
  if (found.length === 0) {
    if (automatic !== false) return { disposition: 'no_reply', because: [automatic] };
    if (isSpam) return { disposition: 'no_reply', because: ['spam'] };
  }
  const language = assessor.replyLanguage(message);
  const because: Reason[] = [...found];
  if (language === undefined) because.push('language');
  because.push(...person);
  if (classification.intent === 'human_agent' && !because.includes('human_requested'))
    because.push('human_requested');
  const isSmallTalk = kind === 'thanks' || kind === 'greeting';
  // With a concern no tool was called, and there is nothing to doubt.
  if (!isSmallTalk && found.length === 0) because.push(...doubtsOf(input, language, options));
  const withheld = withheldBecause(input, assessor);
  if (withheld !== undefined && isSmallTalk && because.length === 0) {
    return { disposition: 'no_reply', because: ['small_talk', withheld] };
  }
  if (withheld !== undefined) because.push(withheld);
  if (because.length > 0) return { disposition: 'escalated', because };
  return {
    disposition: 'answered',
    because: [isSmallTalk ? 'small_talk' : answerReason(input, assessor)],
  };
}

/** Why the playbook lets no answer be sent to a message by itself. */
function withheldBecause(
  { message, classification }: VerificationInput,
  assessor: Assessor,
): Reason | undefined {
  const { mode, autoReply } = assessor.playbook;
  if (mode === 'draft') return 'draft_mode';
  const wishes = [classification.intent, ...assessor.wishesOf(message, classification)];
  return autoReply === undefined || wishes.every((wish) => autoReply.has(wish)) ? undefined : 'no_auto_reply';
}

function doubtsOf(
  input: VerificationInput,
  language: string | undefined,
  options: VerifierOptions,
): readonly Reason[] {
  const { message, classification } = input;
  const { assessor } = options;
  const wishes = assessor.wishesOf(message, classification);
  const doubts: Reason[] = [];
  if (assessor.confidenceIn(message, classification) < neededConfidence(input, options)) {
    doubts.push('low_confidence');
  }
  const intents = wishes.map(assessor.intentOf);
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

/** The confidence that an answer needs: the most that the operator, the playbook and the kind of message ask for. */
function neededConfidence(
  { message, classification }: VerificationInput,
  { assessor, escalationThreshold }: VerifierOptions,
): number {
  const { leastConfidence } = assessor.assess(message);
  const thresholds = assessor
    .wishesOf(message, classification)
    .map((wish) => assessor.intentOf(wish).threshold ?? leastConfidence(wish));
  return Math.max(escalationThreshold, ...thresholds);
}

function round(confidence: number): number {
  return Math.round(confidence * 10_000) / 10_000;
}

/** True where the playbook has an answer of fixed text, a question to ask, or what the tools brought answers a wish. */
function isCovered(
  intent: PlaybookIntent,
  { message, outcomes }: VerificationInput,
  wishes: number,
  assessor: Assessor,
): boolean {
  if (intent.handover) return false;
  if (missingEntity(intent, message, assessor) !== undefined) return true;
  if (intent.tool === undefined && !intent.articles) return intent.replies.size > 0;
  const own = wishes === 1 ? outcomes : outcomes.filter((outcome) => isFor(outcome, intent, assessor));
  return own.some((outcome) => hasContent(outcome) || outcome.notFound === true);
}

/** True where the playbook has the text of the answer in a language. Without any text an answer lists what was found. */
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

/** True where the answer to each wish can be written: the tools brought what its text names. */
function isWritten(input: VerificationInput, language: string, assessor: Assessor): boolean {
  return assessor.answersTo(input, language).every((answer) => answer !== undefined);
}

function answerReason({ message, classification, outcomes }: VerificationInput, assessor: Assessor): Reason {
  if (outcomes.some(({ notFound }) => notFound === true)) return 'not_found';
  const wishes = assessor.wishesOf(message, classification).map(assessor.intentOf);
  const isAsked = wishes.some((wish) => missingEntity(wish, message, assessor) !== undefined);
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
