import type { Clock } from '../../ports/clock.ts';
import type { ModelFailure } from '../../ports/language-model.ts';

/** Maximum size of a reply of a language model after decompression, in bytes. */
const MAX_REPLY_BYTES = 1_024 * 1_024;

/** The most that is read of an error, in bytes. */
const MAX_ERROR_BYTES = 64 * 1_024;

/**
 * Creates the `fetch` that calls providers. Resolves only for a complete reply of status 200 to 299 and at most
 * `maxReplyBytes`, 1 MiB when absent; else rejects with a {@link ProviderError}, so that no text of a failing
 * provider reaches the SDK's errors. Does not follow redirects, because the key belongs to one address. `headers` are
 * added to each request.
 */
export function createProviderFetch(
  clock: Clock,
  headers: () => Readonly<Record<string, string>>,
  maxReplyBytes = MAX_REPLY_BYTES,
): typeof fetch {
  return async (input, init) => {
    const requestHeaders = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers())) requestHeaders.set(name, value);
    const response = await connect(input, { ...init, headers: requestHeaders, redirect: 'manual' });
    if (!response.ok) {
      const { status, headers: sent } = response;
      const complaint = await readComplaint(response);
      throw errorOfReply({ status, retryAfter: sent.get('retry-after'), complaint }, clock.now());
    }
    return new Response(await readText(response, maxReplyBytes), {
      headers: { 'content-type': 'application/json' },
    });
  };
}

async function connect(input: string | URL | Request, init: RequestInit): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (error) {
    throw errorOfConnection(error);
  }
}

/** The complaint of a reply with an error. Only those that refuse the request itself are read. */
async function readComplaint(response: Response): Promise<Complaint | undefined> {
  try {
    if (response.status !== 400 && response.status !== 422) return undefined;
    return complaintOf(await readText(response, MAX_ERROR_BYTES));
  } catch {
    return undefined;
  } finally {
    await cancelBody(response);
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await readChunk(reader);
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => undefined);
      throw new ProviderError('too_large', { status: response.status });
    }
    text += decoder.decode(value, { stream: true });
  }
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (error) {
    throw errorOfBrokenReply(error);
  }
}

/** Cancels a reply without reading it, which closes its connection. Never rejects. */
export async function cancelBody(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

// Errors

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
interface FailedReply {
  readonly status: number;
  /** Its header `Retry-After`. */
  readonly retryAfter: string | null;
  readonly complaint: Complaint | undefined;
}

/** The error for a failed reply. `now` is the wall-clock time, for a `Retry-After` date. */
function errorOfReply({ status, retryAfter, complaint }: FailedReply, now: number): ProviderError {
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
function errorOfConnection(error: unknown): ProviderError {
  const systemCode = systemCodeOf(error);
  return new ProviderError('unreachable', { systemCode, isReached: brokenConnection.test(systemCode ?? '') });
}

/** The error for a reply that broke off: its request did reach the provider. */
function errorOfBrokenReply(error: unknown): ProviderError {
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

// Complaints of providers

/** The part of a request that a provider does not accept, as far as the service can do without it. */
type Complaint =
  /** The texts of customers or tools: a content filter refused it. */
  | 'content'
  /** The member `max_completion_tokens`, which the server does not know. */
  | 'token_limit'
  /** The JSON schema of the reply. */
  | 'schema';

const contentFilter = /"content_filter"|responsibleaipolicyviolation/;

const unknownMember =
  /unknown|unrecogni[sz]ed|unsupported|unexpected|not (?:supported|permitted|allowed|recogni[sz]ed)|extra_?forbidden|extra (?:inputs|fields)|additional ?propert/;

const schemaWords = /response[_ ]format|json[_ ]schema|\bschema\b|structured[_ ]outputs?|\bgrammar\b/;

/**
 * The complaint of the body of an error reply, or undefined where it has none of these. Nothing of the text itself is
 * returned, because it may repeat what customers wrote.
 */
function complaintOf(body: string): Complaint | undefined {
  const text = body.toLowerCase();
  if (contentFilter.test(text)) return 'content';
  if (text.includes('max_completion_tokens') && unknownMember.test(text)) return 'token_limit';
  return schemaWords.test(text) ? 'schema' : undefined;
}

// Circuit breaker

/** Failures in a row that open the breaker. */
const FAILURE_THRESHOLD = 3;

/** Milliseconds for which it then rejects every call. */
const OPEN_MS = 10_000;

/** The meaning of the result of a call for the provider; `ignored` where it has none. */
type CallOutcome = 'success' | 'failure' | 'ignored';

/** Permission to make one call. */
export interface BreakerPermit {
  /** False for a trial call, and once the breaker has changed its state since the permit was acquired. */
  mayRetry(): boolean;
  /** Returns the permit with the outcome of the call. Further calls have no effect. */
  release(outcome: CallOutcome): void;
}

/**
 * Stops calls to a provider that fails: {@link FAILURE_THRESHOLD} failures in a row open the breaker for
 * {@link OPEN_MS} milliseconds. Then it is half-open: one trial call at a time, until one succeeds and closes it.
 */
interface CircuitBreaker {
  /** True while every call is rejected. */
  isOpen(): boolean;
  /** Acquires the permission to make a call; undefined while the breaker is open. */
  tryAcquire(): BreakerPermit | undefined;
}

/** Creates a closed breaker. */
export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let state: 'closed' | 'open' | 'half_open' = 'closed';
  let openUntil = 0;
  let failures = 0;
  /** Counts state changes, so that the outcome of a call that started before the last one is ignored. */
  let epoch = 0;

  const isOpen = (): boolean => state === 'half_open' || (state === 'open' && clock.monotonic() < openUntil);

  const changeTo = (next: 'closed' | 'open'): void => {
    state = next;
    failures = 0;
    epoch += 1;
    if (next === 'open') openUntil = clock.monotonic() + OPEN_MS;
  };

  const record = (outcome: CallOutcome, isTrial: boolean): void => {
    if (isTrial) {
      // After an ignored trial the next call is the trial: `openUntil` has passed.
      if (outcome === 'ignored') state = 'open';
      else changeTo(outcome === 'success' ? 'closed' : 'open');
    } else if (outcome === 'success') {
      failures = 0;
    } else if (outcome === 'failure') {
      failures += 1;
      if (failures >= FAILURE_THRESHOLD) changeTo('open');
    }
  };

  return {
    isOpen,
    tryAcquire() {
      if (isOpen()) return undefined;
      const isTrial = state === 'open';
      if (isTrial) state = 'half_open';
      const acquiredIn = epoch;
      let released = false;
      return {
        mayRetry: () => !isTrial && acquiredIn === epoch,
        release(outcome) {
          if (released || acquiredIn !== epoch) return;
          released = true;
          record(outcome, isTrial);
        },
      };
    },
  };
}
