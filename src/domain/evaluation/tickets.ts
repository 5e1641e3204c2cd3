import { getOwn, isJsonObject, isPlainObject, type JsonObject } from '../../lib/json/json.ts';
import type { Concern, Disposition, Intent, RecordedIntent } from '../message/message.ts';
import { type Sureness, surenesses } from '../playbook/playbook.ts';

/** A message and the expected decisions. */
export interface Ticket {
  readonly message: string;
  /** The intent of the customer; not judged when absent. */
  readonly expectedIntent?: Intent | undefined;
  /** The names of the tools that should be called; not judged when absent. */
  readonly expectedTools?: readonly string[] | undefined;
  /** True where it should be escalated; not judged when neither this nor an expectation below says it. */
  readonly expectedEscalated?: boolean | undefined;
  /** The disposition of the reply; not judged when absent. */
  readonly expectedDisposition?: Disposition | undefined;
  /** The concerns that should be found, none for an empty list; not judged when absent. */
  readonly expectedConcerns?: readonly Concern[] | undefined;
}

/** A ticket and the actual decisions. */
export interface JudgedTicket {
  readonly ticket: Ticket;
  readonly predicted: RecordedIntent;
  readonly confidence: number;
  readonly tools: readonly string[];
  readonly escalated: boolean;
  /** The reasons of its escalation; empty without one. */
  readonly reasons: readonly string[];
  readonly disposition: Disposition;
  readonly concerns: readonly Concern[];
  /** True when only the confidence decides whether it is escalated, so that another threshold may change that. */
  readonly dependsOnThreshold: boolean;
  readonly failed: boolean;
  readonly latencyMs: number;
  /** The decision of each stage and its reason, in a sentence, in their order. */
  readonly evidence: readonly StageEvidence[];
}

/** The decision of a stage, and its reason. */
export interface StageEvidence {
  readonly stage: string;
  readonly summary: string;
  /** The words that it decided by, by what they speak for, such as a concern; absent where it names none. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
  /** The word of a language model about the intent; absent where it did not say how sure it is. */
  readonly model?: {
    /** The intent by the model, also where another one was decided; null where it is not recorded. */
    readonly intent: string | null;
    readonly sure: Sureness;
  };
}

/** The words in the member `evidence` of what a stage recorded with its decision; undefined where there are none. */
export function evidenceWords(data: JsonObject): StageEvidence['words'] {
  const evidence = getOwn(data, 'evidence');
  if (!isPlainObject(evidence)) return undefined;
  const lists = Object.entries(evidence).flatMap(([name, words]): [string, readonly string[]][] => {
    const texts = Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
    return texts.length === 0 ? [] : [[name, texts]];
  });
  return lists.length === 0 ? undefined : Object.fromEntries(lists);
}

/** The member `model` of what a stage recorded with its decision; undefined where it has no known `sure`. */
export function modelEvidence(data: JsonObject): StageEvidence['model'] {
  const model = getOwn(data, 'model');
  if (!isJsonObject(model)) return undefined;
  const intent = getOwn(model, 'intent');
  const said = getOwn(model, 'sure');
  const sure = surenesses.find((one) => one === said);
  return sure && { intent: typeof intent === 'string' ? intent : null, sure };
}

/** True for a ticket that should be escalated: as it states, or as its disposition or concerns imply. */
export function expectsEscalation(ticket: Ticket): boolean | undefined {
  const { expectedEscalated, expectedDisposition, expectedConcerns } = ticket;
  if (expectedEscalated !== undefined) return expectedEscalated;
  if (expectedDisposition !== undefined) return expectedDisposition === 'escalated';
  return expectedConcerns !== undefined && expectedConcerns.length > 0 ? true : undefined;
}

/** A fault of the expectations of a ticket, and the expectation. */
export interface TicketIssue {
  readonly expected: 'intent' | 'escalated' | 'disposition';
  readonly message: string;
}

/**
 * Finds what is wrong with the expectations of a ticket. It must state an intent, a disposition or concerns. Concerns
 * are always escalated, and a ticket is escalated exactly when that is its disposition.
 */
export function findTicketIssue(ticket: Omit<Ticket, 'message'>): TicketIssue | undefined {
  const { expectedIntent, expectedEscalated, expectedDisposition, expectedConcerns } = ticket;
  if (expectedIntent === undefined && expectedDisposition === undefined && expectedConcerns === undefined) {
    return { expected: 'intent', message: 'is required without an expected disposition or concerns' };
  }
  const isEscalated = expectedDisposition === undefined ? undefined : expectedDisposition === 'escalated';
  if (isEscalated !== undefined && expectedEscalated !== undefined && isEscalated !== expectedEscalated) {
    return { expected: 'disposition', message: 'must be escalated exactly when an escalation is expected' };
  }
  if (expectedConcerns === undefined || expectedConcerns.length === 0) return undefined;
  const message = 'must be escalated where concerns are expected';
  if (isEscalated === false) return { expected: 'disposition', message };
  return expectedEscalated === false ? { expected: 'escalated', message } : undefined;
}

/** A judged ticket with an expected intent. */
export interface ClassifiedTicket extends JudgedTicket {
  readonly ticket: Ticket & { readonly expectedIntent: Intent };
}

/** True when a ticket has an expected intent. */
export function isClassified(judged: JudgedTicket): judged is ClassifiedTicket {
  return judged.ticket.expectedIntent !== undefined;
}

/** True when the intent is the expected one. */
export function isCorrect({ ticket, predicted }: ClassifiedTicket): boolean {
  return predicted === ticket.expectedIntent;
}

/**
 * True when it is wrong to handle a ticket without a person: it should be escalated, it is answered although the
 * intent is wrong or it should get no reply, or it gets no reply although it should be answered.
 */
export function isHandledWrongly(judged: JudgedTicket): boolean {
  const { ticket, disposition } = judged;
  const { expectedDisposition } = ticket;
  if (expectsEscalation(ticket) === true) return true;
  const isMisclassified = isClassified(judged) && !isCorrect(judged);
  if (disposition !== 'no_reply') return isMisclassified || expectedDisposition === 'no_reply';
  return expectedDisposition === undefined ? isMisclassified : expectedDisposition !== 'no_reply';
}

const judgedMembers = ['intent', 'tools', 'escalated', 'disposition', 'concerns'] as const;

/** A decision that a ticket can have an expectation about. */
export type JudgedMember = (typeof judgedMembers)[number];

/**
 * The decisions about a ticket that are `wrong`, and whether it was `needless` that a person got it: it could have been
 * answered. `handedOver` are the intents that always go to a person: a ticket that expects only another intent is
 * expected to be answered.
 */
export function mistakesOf(
  judged: JudgedTicket,
  handedOver: ReadonlySet<Intent>,
): { readonly wrong: readonly JudgedMember[]; readonly needless: boolean } {
  const { ticket, tools, escalated, disposition, concerns } = judged;
  const { expectedIntent, expectedTools, expectedDisposition, expectedConcerns } = ticket;
  const isExpected = expectsEscalation(ticket);
  const differs: Readonly<Record<JudgedMember, boolean>> = {
    intent: isClassified(judged) && !isCorrect(judged),
    tools: expectedTools !== undefined && !isSameSet(expectedTools, tools),
    escalated: isExpected !== undefined && isExpected !== escalated,
    disposition: expectedDisposition !== undefined && expectedDisposition !== disposition,
    concerns: expectedConcerns !== undefined && !isSameSet(expectedConcerns, concerns),
  };
  const needsPerson = isExpected ?? (expectedIntent === undefined || handedOver.has(expectedIntent));
  return { wrong: judgedMembers.filter((member) => differs[member]), needless: escalated && !needsPerson };
}

/** True for two lists with the same items. */
export function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const [first, second] = [new Set(a), new Set(b)];
  return first.size === second.size && a.every((item) => second.has(item));
}
