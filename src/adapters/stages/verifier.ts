import type { Decision, ToolOutcome, Verdict } from '../../domain/message/message.ts';
import { getOwn, isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import type { VerificationInput } from '../../ports/stages.ts';
import { findConcerns } from './analysis.ts';
import { asksForHuman } from './classifier.ts';
import type { Concern } from './rules/concerns.ts';

/** The reasons for and against an escalation: the stable name of each, and its explanation. */
export const reasons = {
  self_harm: 'the message speaks of self-harm',
  injury: 'the message speaks of an injury or a danger',
  fraud: 'the message speaks of fraud',
  legal_action: 'the message speaks of legal action',
  data_protection: 'the message asks for data protection rights',
  human_requested: 'the customer asks for a person',
  low_confidence: 'the classifier is not sure enough',
  nothing_to_answer_with: 'no tool brought anything to answer with',
  spam: 'the message is spam and needs no answer from a person',
  answerable: 'there is something to answer with and nothing speaks against it',
} as const satisfies Record<Concern, string> & Record<string, string>;

type Reason = keyof typeof reasons;

/**
 * The verifier stage: decides whether a message is escalated (decisions, section 2). It gives all reasons, the most
 * serious first. A message with a confidence below `escalationThreshold`, from 0 to 1, is always escalated.
 */
export function verifyAnswer(input: VerificationInput, escalationThreshold: number): Decision<Verdict> {
  const escalationReasons = reasonsToEscalate(input, escalationThreshold);
  const escalated = escalationReasons.length > 0;
  const found: readonly Reason[] = escalated
    ? escalationReasons
    : [input.classification.intent === 'spam' ? 'spam' : 'answerable'];
  const sentences = found.map((reason) => reasons[reason]);
  return {
    value: { escalated, reasons: found },
    source: 'deterministic',
    summary: `${escalated ? 'Escalated' : 'Not escalated'}: ${sentences.join('; ')}.`,
    data: {
      escalated,
      reasons: found,
      explanations: sentences,
      confidence: input.classification.confidence,
      threshold: escalationThreshold,
    },
  };
}

function reasonsToEscalate(input: VerificationInput, threshold: number): readonly Reason[] {
  const { classification, message, outcomes } = input;
  const found: Reason[] = [...findConcerns(message)];
  if (classification.intent === 'human_agent' || asksForHuman(message)) found.push('human_requested');
  if (classification.confidence < threshold) found.push('low_confidence');
  if (classification.intent !== 'spam' && !outcomes.some(hasContent)) found.push('nothing_to_answer_with');
  return found;
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
