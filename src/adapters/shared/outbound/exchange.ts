import type { ClientRequest, Agent as HttpAgent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { quote } from '../../../lib/text/quote.ts';

/** The methods of outgoing requests. */
export const outboundMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** One of {@link outboundMethods}. */
export type OutboundMethod = (typeof outboundMethods)[number];

/** The reasons why a request has no answer. */
export const outboundFailures = [
  /** The request itself is not valid: its URL, a header, its method. */
  'invalid',
  /** The target is not allowed. */
  'refused',
  /** No connection was made: the name is unknown, nobody listens, the certificate is not valid. */
  'unreachable',
  /** The connection ended before the answer was complete. */
  'broken',
  'timeout',
  /** The answer is a redirect. */
  'redirect',
  /** The answer is larger than allowed. */
  'too_large',
  /** The answer has a Content-Encoding. */
  'encoded',
  /** The caller's signal was aborted, or the client was closed. */
  'aborted',
] as const;

/** One of {@link outboundFailures}. */
export type OutboundFailure = (typeof outboundFailures)[number];

const permanentFailures: readonly OutboundFailure[] = [
  'invalid',
  'refused',
  'redirect',
  'too_large',
  'encoded',
];

/**
 * A request without an answer. The message names the host, and is safe to show: it contains no path, query, header or
 * body. `permanent` and `safeToRetry` mean the same as those of a `ToolError`.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly expose = true;
  readonly failure: OutboundFailure;
  /** The same request would fail again. */
  readonly permanent: boolean;
  /** No byte of the request was sent. */
  readonly safeToRetry: boolean;

  constructor(failure: OutboundFailure, message: string, options: { sent: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.failure = failure;
    this.permanent = permanentFailures.includes(failure);
    this.safeToRetry = !options.sent;
  }
}

/** The checked target of a request. */
export interface Target {
  readonly url: URL;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Named in the allow list: its addresses may be private, and it may be asked without TLS. */
  readonly isAllowed: boolean;
}

/** A complete answer, whatever its status but 3xx. */
export interface OutboundResponse {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As UTF-8. */
  readonly body: string;
}

/** Maximum size of the headers of an answer, in bytes. */
const MAX_HEADER_BYTES = 16_384;

/** A checked request. */
interface Exchange {
  readonly target: Target;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly lookup: LookupFunction;
  readonly agent: HttpAgent;
}

/** The progress of a running exchange. */
interface Progress {
  /** A byte of the request may have left. */
  sent: boolean;
  /** The error of an exchange that was stopped from here, whatever error the connection then ends with. */
  stopped: OutboundError | undefined;
}

/** Sends a request and reads the answer. Rejects with an `OutboundError`. */
export async function exchange(options: Exchange): Promise<OutboundResponse> {
  const { target, timeoutMs, signal } = options;
  const progress: Progress = { sent: false, stopped: undefined };
  if (signal?.aborted) throw failure('aborted', target, 'was interrupted', progress);
  const request = openRequest(options);
  const stop = (kind: 'timeout' | 'aborted', problem: string): void => {
    progress.stopped = failure(kind, target, problem, progress);
    request.destroy(progress.stopped);
  };
  const timer = setTimeout(() => stop('timeout', `timed out after ${timeoutMs} ms`), timeoutMs);
  const interrupt = (): void => stop('aborted', 'was interrupted');
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    watchConnection(request, target, progress);
    return await readResponse(await responseTo(request, options.body), options);
  } catch (error) {
    request.destroy();
    throw progress.stopped ?? toOutboundError(error, target, progress);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', interrupt);
  }
}

function openRequest({ target, method, headers, body, lookup, agent }: Exchange): ClientRequest {
  const { url, host, port, isTls } = target;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const send = isTls ? httpsRequest : httpRequest;
  return send({
    host,
    port,
    path: url.pathname + url.search,
    method,
    headers: { ...headers, ...length, 'accept-encoding': 'identity' },
    lookup,
    agent,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}

/** Notes when the first byte of the request may have left: a new connection must be complete before. */
function watchConnection(request: ClientRequest, { isTls }: Target, progress: Progress): void {
  request.once('socket', (socket) => {
    const sent = (): void => {
      progress.sent = true;
    };
    if (request.reusedSocket) sent();
    else socket.once(isTls ? 'secureConnect' : 'connect', sent);
  });
}

/** Resolves with the headers of the answer. */
function responseTo(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection was closed without an answer')));
    request.end(body);
  });
}

async function readResponse(
  response: IncomingMessage,
  { target, method, maxBytes }: Exchange,
): Promise<OutboundResponse> {
  const { statusCode: status = 0, headers } = response;
  const fail = (kind: OutboundFailure, problem: string) =>
    failure(kind, target, `was answered with ${problem}`, { sent: true });
  if (status >= 300 && status < 400) throw fail('redirect', `a redirect (${status}), which is not followed`);
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw fail('encoded', 'a Content-Encoding, which was not asked for');
  }
  const tooLarge = `more than ${maxBytes} bytes`;
  if (Number(headers['content-length'] ?? 0) > maxBytes && method !== 'HEAD') {
    throw fail('too_large', tooLarge);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > maxBytes) throw fail('too_large', tooLarge);
    chunks.push(bytes);
  }
  return { status, headers: plainHeaders(headers), body: Buffer.concat(chunks).toString('utf8') };
}

function failure(
  kind: OutboundFailure,
  { host }: Target,
  problem: string,
  { sent }: { readonly sent: boolean },
  cause?: unknown,
): OutboundError {
  return new OutboundError(kind, `the request to host ${quote(host)} ${problem}`, { sent, cause });
}

/** The error for one of the connection. Its own text may name more than the host, so that only its code is shown. */
function toOutboundError(error: unknown, target: Target, state: { readonly sent: boolean }): OutboundError {
  if (error instanceof OutboundError) return error;
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  if (state.sent) {
    return failure('broken', target, `failed: the connection broke${code}`, state, error);
  }
  return failure('unreachable', target, `failed: no connection could be made${code}`, state, error);
}

/** Headers that belong to the connection and to the framing of a message, which the client itself sets. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const valuePattern = /^[\t\x20-\x7e]*$/;

/** The problem with a header's name, as a predicate; undefined where it may be sent. */
export function headerNameProblem(name: string): string | undefined {
  if (!namePattern.test(name)) return 'is not a valid name of a header';
  const lower = name.toLowerCase();
  return ownHeaders.has(lower) || lower.startsWith('proxy-') ? 'is set by the client itself' : undefined;
}

/** True for a header's value that may be sent: visible ASCII, blanks and tabs. */
export function isHeaderValue(value: string): boolean {
  return valuePattern.test(value);
}

/** The problem with headers; undefined where they may be sent. Names a header, and never a value. */
export function headersProblem(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const problem = headerNameProblem(name);
    if (problem !== undefined) return `the header ${quote(name)} ${problem}`;
    if (!isHeaderValue(value)) return `the header ${quote(name)} must be visible ASCII characters`;
  }
  return undefined;
}

/** The headers of an answer by their names in lower case; repeated ones are joined by commas. */
function plainHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries);
}
