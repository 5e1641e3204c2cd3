import type { JsonObject } from '../lib/json/json.ts';
import type { InputIssue } from './tool.ts';

/** Why a call of a language model failed. Safe to show. */
export const modelFailures = [
  /** The time for the call was over. */
  'timeout',
  /** No connection, or one that broke. */
  'unreachable',
  /** The provider wants fewer calls, and its wait does not fit the call's time. */
  'rate_limited',
  /** The provider does not accept the key. */
  'unauthorized',
  /** The provider knows no such model or address. */
  'not_found',
  /** The provider does not accept the request. */
  'rejected',
  /** The provider failed. */
  'provider_error',
  /** The reply is larger than any sensible one. */
  'too_large',
  /** The reply is not what was asked for. */
  'bad_reply',
  /** The reply ended before it was whole. */
  'truncated',
  /** The model or its provider refused to answer. */
  'refused',
  /** The provider failed often enough of late that it is left alone for a while. */
  'breaker_open',
  /** Too many calls were under way. */
  'busy',
  /** The caller no longer wanted the answer. */
  'interrupted',
] as const;

export type ModelFailure = (typeof modelFailures)[number];

/** What a call cost, as the provider counts it; 0 where it does not say. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** A schema that describes the reply wanted and checks the reply that came. Every zod schema of an object is one. */
export interface ReplySchema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly InputIssue[] } };
  /** The schema as JSON Schema: every key required and none besides, or strict providers refuse it. */
  toJSONSchema(): object;
}

/** A question to a language model. */
export interface GenerationRequest<T> {
  /** Who asks, such as `classifier`: names the call in spans and log lines, and the schema to the provider. */
  readonly purpose: string;
  /** What the model is to do. Nothing that a customer, a tool or another step wrote may be in it. */
  readonly instructions: string;
  /** What it is to do it with, whoever wrote it: it reaches the model set apart, as data that gives no orders. */
  readonly data: JsonObject;
  readonly schema: ReplySchema<T>;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/** What came of asking: a value that its schema accepts, or why there is none. */
export type Generation<T> =
  | { readonly status: 'success'; readonly value: T; readonly tokens: Tokens }
  | { readonly status: 'error'; readonly reason: ModelFailure; readonly tokens: Tokens };

/**
 * Asks a language model for an object. Answers within a bounded time and never rejects: whatever goes wrong is in
 * the outcome, as a word of ours and never as the provider's text.
 */
export type LanguageModel = <T>(request: GenerationRequest<T>) => Promise<Generation<T>>;

/** Told how the language model fares, so that fallbacks and cost can be counted. No member throws. */
export interface LlmObserver {
  /** A stage, or `decomposer`, decided by rules because the model failed; `reason` is a safe word. */
  fallback(stage: string, reason: string): void;
  /** A call on behalf of a stage cost this many tokens, whether its reply was of use or not. */
  tokens(stage: string, input: number, output: number): void;
}
