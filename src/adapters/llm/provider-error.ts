import type { ModelFailure } from '../../ports/language-model.ts';
import type { Sign } from './circuit-breaker.ts';

/** A try that the provider or the way to it spoilt. Holds nothing of the provider's text. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly reason: ModelFailure;
  /** The status of the reply; undefined when none came. */
  readonly status: number | undefined;
  /** The operating system's word for a broken connection, such as `ECONNREFUSED`. */
  readonly systemCode: string | undefined;
  /** Milliseconds that the provider wants to be left alone for; undefined when it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: ModelFailure,
    particulars: { status?: number; systemCode?: string | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    super(reason);
    this.reason = reason;
    this.status = particulars.status;
    this.systemCode = particulars.systemCode;
    this.retryAfterMs = particulars.retryAfterMs;
  }
}

/** What a failure says of the provider. Where one message's content may be the cause, it says that it serves. */
const signs = {
  timeout: 'fails',
  unreachable: 'fails',
  rate_limited: 'fails',
  unauthorized: 'fails',
  not_found: 'fails',
  rejected: 'serves',
  provider_error: 'fails',
  too_large: 'serves',
  bad_reply: 'serves',
  truncated: 'serves',
  refused: 'serves',
  breaker_open: 'nothing',
  busy: 'nothing',
  interrupted: 'nothing',
} as const satisfies Record<ModelFailure, Sign>;

/** See {@link signs}. */
export function signOf(reason: ModelFailure): Sign {
  return signs[reason];
}

/** True when another try at the same call may succeed; with 429 only where the provider says when. */
export function mayRetry(fault: ProviderFault): boolean {
  switch (fault.reason) {
    case 'unreachable':
    case 'provider_error':
      return true;
    case 'rate_limited':
      return fault.retryAfterMs !== undefined;
    default:
      return false;
  }
}

/** The fault behind a reply that is no success. `now` is the wall-clock time, for a `Retry-After` that is a date. */
export function faultOfStatus(status: number, retryAfter: string | null, now: number): ProviderFault {
  const retryAfterMs = readRetryAfter(retryAfter, now);
  return new ProviderFault(reasonOfStatus(status), { status, retryAfterMs });
}

function reasonOfStatus(status: number): ModelFailure {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'provider_error' : 'rejected';
}

/** Milliseconds of a `Retry-After`, which is whole seconds or an HTTP date; undefined for anything else. */
function readRetryAfter(text: string | null, now: number): number | undefined {
  const value = text?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  if (!/^[A-Z][a-z]{2}, [\w: ]{10,30} GMT$/.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** The fault behind a connection that failed, told by the operating system's word alone. */
export function faultOfConnection(error: unknown): ProviderFault {
  return new ProviderFault('unreachable', { systemCode: systemCodeOf(error) });
}

/** The code of an error or of what caused it: `fetch` wraps the one that matters. */
function systemCodeOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth++) {
    if (
      'code' in current &&
      typeof current.code === 'string' &&
      /^[A-Z][A-Z0-9_]{2,48}$/.test(current.code)
    ) {
      return current.code;
    }
    current = 'cause' in current ? current.cause : undefined;
  }
  return undefined;
}
