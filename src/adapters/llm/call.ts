import type { ModelFailure, Tokens } from '../../ports/language-model.ts';
import type { LogFields } from '../../ports/logger.ts';
import type { BreakerPermit } from './provider.ts';

/** The state of one call, which may make several requests. */
export interface Call {
  /** The monotonic time, in milliseconds, by which it must end. */
  readonly deadline: number;
  /** Undefined until it is acquired from the breaker. */
  permit: BreakerPermit | undefined;
  /** Requests started so far. */
  requests: number;
  /** Those of them that got as far as the provider, or may have. */
  reached: number;
  /** The tokens of all replies so far. */
  tokens: Tokens;
  /** The name of the model of the last reply, as the provider says it. Untrusted. */
  replyModel: string | undefined;
  /** The last reply's reason to end, as the provider says it. Untrusted. */
  finishReason: string | undefined;
  /** Fields of the last failed request that may be logged. */
  lastFailure: LogFields;
}

/** The outcome of a call without what it cost. */
export type Outcome<T> =
  | { readonly status: 'success'; readonly value: T }
  | { readonly status: 'error'; readonly reason: ModelFailure };

/** A call without requests. */
export function startCall(deadline: number): Call {
  return {
    deadline,
    permit: undefined,
    requests: 0,
    reached: 0,
    tokens: { input: 0, cachedInput: 0, output: 0 },
    replyModel: undefined,
    finishReason: undefined,
    lastFailure: {},
  };
}

/** The outcome of a failed call. */
export function failed(reason: ModelFailure): Outcome<never> {
  return { status: 'error', reason };
}
