import type { JsonObject } from '../../lib/json/json.ts';
import { hasAtMostCharacters } from '../../lib/text/characters.ts';

/**
 * The intents of the built-in playbook (decisions, section 2). Escalation is a verdict, never an intent.
 */
export const intents = [
  'refund',
  'order_status',
  'order_change',
  'cancellation',
  'shipping',
  'billing',
  'account',
  'technical_issue',
  'complaint',
  'feedback',
  'subscription',
  'human_agent',
  'spam',
  'general_question',
] as const;

/** One of {@link intents}. */
export type BuiltInIntent = (typeof intents)[number];

/** The name of an intent of the playbook: one of {@link intents}, or a company's own. */
export type Intent = string;

/** The intent in a message's record: `unknown` only when classification failed. */
export type RecordedIntent = Intent;

/** A message from a customer. */
export interface CustomerMessage {
  readonly source: string;
  readonly customerId: string;
  readonly message: string;
  /** The subject line of a mail, at most 256 characters. */
  readonly subject?: string | null | undefined;
  /** The conversation that the message belongs to, 1 to 128 characters. */
  readonly conversationId?: string | null | undefined;
  /** The language that the sender states, such as `de-AT`. */
  readonly locale?: string | null | undefined;
  /** Values of the sender's system, for tools and for the trace. */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  /** True for a reply that a person must see before it is sent. */
  readonly draft?: boolean | undefined;
}

/** Maximum length of each field of a customer message, in characters; none may be empty (decisions, section 2). */
const customerMessageLimits = { source: 64, customerId: 128, message: 32_768 } as const;

/** The concerns, which a person must see whatever else a message says; the most serious first. */
export const concerns = [
  'self_harm',
  'injury',
  'threat',
  'fraud',
  'legal',
  'privacy',
  'discrimination',
  'vulnerable',
  'press',
] as const;

/** One of {@link concerns}. */
export type Concern = (typeof concerns)[number];

/**
 * The use of the reply: with `no_reply` it is empty and nothing must be sent, with `draft` a person sends,
 * changes or discards it.
 */
export const dispositions = ['answered', 'escalated', 'no_reply', 'draft'] as const;

/** One of {@link dispositions}. */
export type Disposition = (typeof dispositions)[number];

/** The intent of a message, with the probability from 0 to 1 that it is right. */
export interface Classification {
  readonly intent: Intent;
  readonly confidence: number;
  /** Further intents of the message; none when absent. Tools of these intents may be called too. */
  readonly otherIntents?: readonly Intent[] | undefined;
  /** True where a language model chose the intent: thresholds of trained classifiers do not judge its confidence. */
  readonly byModel?: boolean | undefined;
  /** The concerns that the classifier found; none when absent. */
  readonly concerns?: readonly Concern[] | undefined;
}

/** A tool call that a plan contains. */
export interface ToolCall {
  readonly toolName: string;
  readonly input: JsonObject;
}

/** The tool calls that a message needs, in order. A plan may be empty. */
export interface Plan {
  readonly toolCalls: readonly ToolCall[];
}

/** The ends of a tool call. `not_found`: its output was of another customer than the message, and was dropped. */
export const toolStatuses = ['success', 'error', 'not_found'] as const;

/** One of {@link toolStatuses}. */
export type ToolStatus = (typeof toolStatuses)[number];

/** The outcome of a tool call after all its attempts. */
export interface ToolOutcome {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly status: ToolStatus;
  /** The output of the tool; null when it failed, or returned data of another customer. */
  readonly output: JsonObject | null;
  /** The number of attempts; 0 when the call never reached the tool. */
  readonly attempts: number;
  /** The reason of a failure, as a text that is safe to show; null when it succeeded. */
  readonly error: string | null;
  /** True when there is no such thing, or none of this customer: an everyday outcome, no fault of the tool. */
  readonly notFound?: boolean | undefined;
  /** True when the call ended because a user has cancelled it. */
  readonly cancelled?: boolean | undefined;
  /** Milliseconds for all attempts and the delays between them. */
  readonly durationMs: number;
}

/** The verifier's decision on a message. `reasons` explains it, whether escalated or not. */
export interface Verdict {
  readonly escalated: boolean;
  readonly reasons: readonly string[];
  /** By default `escalated` or `answered`. It is `escalated` exactly when the message is. */
  readonly disposition?: Disposition | undefined;
  /** The concerns for which the message is escalated; none when absent. */
  readonly concerns?: readonly Concern[] | undefined;
  /** A reply that must not be sent, for the person who takes over; only where the message is escalated. */
  readonly draft?: string | undefined;
}

/** A verdict with all its members. */
export interface CompleteVerdict extends Verdict {
  readonly disposition: Disposition;
  readonly concerns: readonly Concern[];
}

/** A reply that hands the message to a person: the responder found, after the verdict, that it cannot be answered. */
export interface Handover {
  /** The text that tells the customer so. */
  readonly reply: string;
  /** The reasons for a person to take over, in place of the reasons of the verdict. */
  readonly reasons: readonly string[];
}

/** The source of a stage's decision: rules, with a language model, or with rules because the model failed. */
export const decisionSources = ['deterministic', 'llm', 'fallback'] as const;

/** One of {@link decisionSources}. */
export type DecisionSource = (typeof decisionSources)[number];

/** A stage's decision with its explanation for the trace. */
export interface Decision<T> {
  readonly value: T;
  readonly source: DecisionSource;
  /** One sentence for a reader of the trace. */
  readonly summary: string;
  /** Details of the decision: evidence, reasons, tokens used. */
  readonly data: JsonObject;
}

/**
 * The issues of a customer message, each as `field: problem` with the field's public name; empty when it is valid.
 * The limits are those of `POST /messages`, and characters are counted as there: by Unicode code point.
 */
export function customerMessageIssues({ message, customerId, source }: CustomerMessage): string[] {
  const issues = [
    ...textIssues('message', message, customerMessageLimits.message),
    ...textIssues('customer_id', customerId, customerMessageLimits.customerId),
    ...textIssues('source', source, customerMessageLimits.source),
  ];
  if (message !== '' && message.trim() === '') issues.push('message: must not be only white space');
  return issues;
}

/** The issue of the customer of a run or a goal, as above; none when absent. */
export function customerIdIssues(customerId: string | undefined): string[] {
  return customerId === undefined
    ? []
    : textIssues('customer_id', customerId, customerMessageLimits.customerId);
}

function textIssues(field: string, text: string, maxCharacters: number): string[] {
  if (text !== '' && hasAtMostCharacters(text, maxCharacters)) return [];
  return [`${field}: must be a text of 1 to ${maxCharacters} characters`];
}
