import type { ModelFailure } from '../../ports/language-model.ts';
import type { CallOutcome } from './circuit-breaker.ts';
import type { Complaint } from './complaint.ts';

interface ProviderErrorDetails {
  /** The status of the reply; absent when there was none. */
  readonly status?: number;
  /** The system's code for a failed connection, such as `ECONNREFUSED`. */
  readonly systemCode?: string | undefined;
  /** Milliseconds that the provider asks to wait before the next request. */
  readonly retryAfterMs?: number | undefined;
  /** The part of the request that the provider does not accept. */
  readonly complaint?: Complaint | undefined;
  /** False where the request did not get as far as the provider; true when absent. */
  readonly isReached?: boolean;
}

/** A request that failed at the provider or on the way to it. Contains none of the provider's text. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly reason: ModelFailure;
  readonly status: number | undefined;
  readonly systemCode: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly complaint: Complaint | undefined;
  readonly isReached: boolean;

  constructor(reason: ModelFailure, details: ProviderErrorDetails = {}) {
    super(reason);
    this.reason = reason;
    this.status = details.status;
    this.systemCode = details.systemCode;
    this.retryAfterMs = details.retryAfterMs;
    this.complaint = details.complaint;
    this.isReached = details.isReached ?? true;
  }
}

/** A reply that may be bad because of the content of one message counts as a success: the provider itself works. */
const outcomes = {
  timeout: 'failure',
  unreachable: 'failure',
  rate_limited: 'failure',
  unauthorized: 'failure',
  not_found: 'failure',
  rejected: 'success',
  provider_error: 'failure',
  too_large: 'success',
  bad_reply: 'success',
  truncated: 'success',
  refused: 'success',
  breaker_open: 'ignored',
  busy: 'ignored',
  interrupted: 'ignored',
} as const satisfies Record<ModelFailure, CallOutcome>;

/** The outcome of a failed call for the circuit breaker. */
export function outcomeOfFailure(reason: ModelFailure): CallOutcome {
  return outcomes[reason];
}

/** True when another try at the same call may succeed; after a 429 only if the provider says when. */
export function isRetryable({ reason, retryAfterMs }: ProviderError): boolean {
  if (reason === 'rate_limited') return retryAfterMs !== undefined;
  return reason === 'unreachable' || reason === 'provider_error';
}

/** A reply whose status is not 200 to 299. */
export interface FailedReply {
  readonly status: number;
  /** Its header `Retry-After`. */
  readonly retryAfter: string | null;
  readonly complaint: Complaint | undefined;
}

/** The error for a failed reply. `now` is the wall-clock time, for a `Retry-After` date. */
export function errorOfReply({ status, retryAfter, complaint }: FailedReply, now: number): ProviderError {
  const retryAfterMs = parseRetryAfter(retryAfter, now);
  return new ProviderError(reasonOfStatus(status), { status, retryAfterMs, complaint });
}

function reasonOfStatus(status: number): ModelFailure {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'provider_error' : 'rejected';
}

/** Milliseconds of a `Retry-After` header: integer seconds or an HTTP date. Undefined for anything else. */
function parseRetryAfter(text: string | null, now: number): number | undefined {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  if (!/^[A-Z][a-z]{2}, [\w: ]{10,30} GMT$/.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Codes of connections that broke after they had been established. */
const brokenConnection = /^(?:ECONNRESET|EPIPE|HPE_\w+|UND_ERR_(?!CONNECT_TIMEOUT)\w+)$/;

/** The error for a failed connection, with the system's code only: messages may contain addresses and headers. */
export function errorOfConnection(error: unknown): ProviderError {
  const systemCode = systemCodeOf(error);
  return new ProviderError('unreachable', { systemCode, isReached: brokenConnection.test(systemCode ?? '') });
}

/** The error for a reply that broke off: its request did reach the provider. */
export function errorOfBrokenReply(error: unknown): ProviderError {
  return new ProviderError('unreachable', { systemCode: systemCodeOf(error) });
}

/** The code of an error or of one of its causes: `fetch` wraps the error of the socket. */
function systemCodeOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (
      'code' in current &&
      typeof current.code === 'string' &&
      /^[A-Z][A-Z0-9_]{2,48}$/.test(current.code)
    ) {
      return current.code;
    }
    current = current.cause;
  }
  return undefined;
}
