import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { quote } from '../../../lib/text/quote.ts';
import { OutboundError, type OutboundFailure } from './error.ts';
import type { Target } from './guard.ts';
import { plainHeaders } from './headers.ts';

/** A checked request. */
export interface Exchange {
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

/** What is known of a running exchange. */
interface Progress {
  /** A byte of the request may have left. */
  sent: boolean;
  /** Why it was stopped from here, whatever error the connection then ends with. */
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

/** What an error of the connection means. Its own text may name more than the host, so that only its code is shown. */
function toOutboundError(error: unknown, target: Target, state: { readonly sent: boolean }): OutboundError {
  if (error instanceof OutboundError) return error;
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  if (state.sent) {
    return failure('broken', target, `failed: the connection broke${code}`, state, error);
  }
  return failure('unreachable', target, `failed: no connection could be made${code}`, state, error);
}
