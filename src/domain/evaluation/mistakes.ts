import type { Intent } from '../message/message.ts';
import { expectsEscalation, isClassified, isCorrect, type JudgedTicket } from './tickets.ts';

/** A decision that a ticket can have an expectation about. */
export type JudgedMember = 'intent' | 'tools' | 'escalated' | 'disposition' | 'concerns';

/** Where a judged ticket differs from its expectations. */
export interface Mistakes {
  /** The decisions that are others than expected; empty where everything is as expected. */
  readonly wrong: readonly JudgedMember[];
  /** A person got it, although it could have been answered. */
  readonly needless: boolean;
}

/**
 * Finds where a judged ticket differs from its expectations. `handedOver` are the intents that always go to a person: a
 * ticket that expects only another intent is expected to be answered.
 */
export function mistakesOf(judged: JudgedTicket, handedOver: ReadonlySet<Intent>): Mistakes {
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

const judgedMembers = [
  'intent',
  'tools',
  'escalated',
  'disposition',
  'concerns',
] as const satisfies readonly JudgedMember[];

/** Whether two lists have the same items. */
export function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const [first, second] = [new Set(a), new Set(b)];
  return first.size === second.size && a.every((item) => second.has(item));
}
