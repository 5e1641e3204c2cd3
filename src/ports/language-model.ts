import type { JsonObject } from '../lib/json/json.ts';
import type { InputIssue } from './tool.ts';

/** The reasons for which a call of a language model failed. Safe to show. */
export const modelFailures = [
  /** The call did not finish within its timeout. */
  'timeout',
  /** The connection could not be established, or it broke. */
  'unreachable',
  /** The provider limits the rate of calls, and the wait that it asks for exceeds the call's timeout. */
  'rate_limited',
  /** The provider does not accept the key. */
  'unauthorized',
  /** The provider knows no such model or address. */
  'not_found',
  /** The provider does not accept the request. */
  'rejected',
  /** The provider replied with a server error. */
  'provider_error',
  /** The reply exceeds the size limit. */
  'too_large',
  /** The reply does not match the schema, also not after a repair, or it repeats the instructions. */
  'bad_reply',
  /** The reply ended before it was complete. */
  'truncated',
  /** The model or its provider refused to answer. */
  'refused',
  /** The provider failed repeatedly, so the circuit breaker rejects calls for some seconds. */
  'breaker_open',
  /** Too many calls were running or waiting. */
  'busy',
  /** The caller's signal was aborted. */
  'interrupted',
] as const;

/** One of {@link modelFailures}. */
export type ModelFailure = (typeof modelFailures)[number];

/** The tokens that a call used, of all its requests, as the provider counts them; 0 where it does not report them. */
export interface Tokens {
  /** All of the input, the cached part included. */
  readonly input: number;
  /** The part of the input that the provider had in its cache. */
  readonly cachedInput: number;
  readonly output: number;
}

/** A schema that describes the expected reply and validates the actual one. Every zod schema of an object is one. */
export interface ReplySchema<T> {
  /** Validates a reply. Never throws. */
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly InputIssue[] } };
  /** The schema as JSON Schema. All keys are required and no others allowed, because strict providers demand it. */
  toJSONSchema(): object;
}

/** A request to a language model for an object. */
export interface GenerationRequest<T> {
  /** The purpose of the call, such as `classifier`: the name of the call in spans and logs, and of the schema. */
  readonly purpose: string;
  /** The task of the model. Must not contain text from customers, tools or other steps. */
  readonly instructions: string;
  /** The untrusted input of the model. It is sent separately from the instructions and marked as data. */
  readonly data: JsonObject;
  /** The schema of the reply. */
  readonly schema: ReplySchema<T>;
  /** Aborted when the caller no longer needs the reply. */
  readonly signal: AbortSignal;
}

/** The use of a call, whether it succeeded or not. */
export interface ModelUse {
  readonly tokens: Tokens;
  /**
   * The requests that got as far as the provider: retries, the repair of a reply and refused forms of a request
   * included. One that was given up before the provider replied counts too.
   */
  readonly calls: number;
}

/** The outcome of a request: a value that matches the schema, or the reason of the failure. */
export type Generation<T> =
  | ({ readonly status: 'success'; readonly value: T } & ModelUse)
  | ({ readonly status: 'error'; readonly reason: ModelFailure } & ModelUse);

/**
 * Requests an object from a language model. Resolves within a bounded time and never rejects: a failure is part of the
 * outcome, as one of {@link modelFailures} and never as the provider's text.
 */
export type LanguageModel = <T>(request: GenerationRequest<T>) => Promise<Generation<T>>;

/** Receives the fallbacks and the token usage of the language model, for metrics. No member throws. */
export interface LlmObserver {
  /** Called when a stage, or `decomposer`, decided by rules because the model failed; `reason` is safe to show. */
  fallback(stage: string, reason: string): void;
  /**
   * Called with the tokens that a call for a stage used, whether its reply was accepted or not. `cachedInput` is a
   * part of `input`.
   */
  tokens(stage: string, input: number, output: number, cachedInput?: number): void;
}
