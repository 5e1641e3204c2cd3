import type { JsonObject } from '../../lib/json/json.ts';

/** What a customer may want, as the classifier names it (decisions, section 2). Escalation is never an intent. */
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
export type Intent = (typeof intents)[number];

/** What a message's record says of its intent: `unknown` only where classification failed. */
export type RecordedIntent = Intent | 'unknown';

/** What a customer sent. */
export interface CustomerMessage {
  readonly source: string;
  readonly customerId: string;
  readonly message: string;
}

/** What the customer wants, and how sure the classifier is, from 0 to 1. */
export interface Classification {
  readonly intent: Intent;
  readonly confidence: number;
}

/** A use of a tool that a plan asks for. */
export interface ToolCall {
  readonly toolName: string;
  readonly input: JsonObject;
}

/** The tool calls that a message needs, in order; none is a plan too. */
export interface Plan {
  readonly toolCalls: readonly ToolCall[];
}

/** What became of a tool call, all attempts together. */
export interface ToolOutcome {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly status: 'success' | 'error';
  /** What the tool returned; null when it failed. */
  readonly output: JsonObject | null;
  /** Attempts made; 0 when the call never reached the tool. */
  readonly attempts: number;
  /** Why it failed, in words that are safe to show; null when it did not. */
  readonly error: string | null;
  /** Milliseconds over all attempts and the waiting between them. */
  readonly durationMs: number;
}

/** The verifier's decision over a message. `reasons` says why, whichever way it went. */
export interface Verdict {
  readonly escalated: boolean;
  readonly reasons: readonly string[];
}

/** How a stage came to its decision: by rules, by a language model, or by rules because the model failed. */
export const decisionSources = ['deterministic', 'llm', 'fallback'] as const;

/** One of {@link decisionSources}. */
export type DecisionSource = (typeof decisionSources)[number];

/** A stage's decision with its account of itself, as the trace will tell it. */
export interface Decision<T> {
  readonly value: T;
  readonly source: DecisionSource;
  /** One sentence for a person who reads the trace. */
  readonly summary: string;
  /** The decision's particulars as plain JSON: cues, reasons, tokens used. */
  readonly data: JsonObject;
}
