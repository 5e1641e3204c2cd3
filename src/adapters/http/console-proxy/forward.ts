import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { isSafe } from '../request-source.ts';
import { localPath, requestHeaders, responseHeaders } from './headers.ts';
import { hasBody } from './malformed.ts';
import { type Exchange, replyError } from './reply.ts';
import { describeFailure, type Upstream } from './upstream.ts';

/** Sends requests to the service with the key, and its responses back. */
export interface Forwarder {
  /** Sends one on as it arrives, and back likewise. Every failure becomes a response, or closes the one under way. */
  forward(exchange: Exchange): void;
  /** Closes all connections to the service. */
  close(): void;
}

/** Options of {@link createForwarder}. */
export interface ForwarderOptions {
  readonly upstream: Upstream;
  /** The most connections to the service at the same time; further requests wait. */
  readonly maxConnections: number;
  /** Milliseconds within which the service must accept a connection. */
  readonly connectTimeoutMs: number;
}

/** Creates a forwarder to one service. It follows no redirects, and keeps connections open for further requests. */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { upstream, maxConnections, connectTimeoutMs } = options;
  const isTls = upstream.origin.startsWith('https:');
  const agentOptions = { keepAlive: true, maxSockets: maxConnections, maxFreeSockets: 8 };
  const agent = isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const start = isTls ? httpsRequest : httpRequest;

  function open({ request }: Exchange): ClientRequest {
    const headers = requestHeaders(request.headers, upstream);
    // Node frames no body of DELETE by itself: on the connection it would be a further request.
    const isUnframed = hasBody(request) && headers['content-length'] === undefined;
    const outgoing = start(upstream.origin, {
      agent,
      method: request.method,
      path: upstream.prefix + request.url,
      headers: { ...headers, ...(isUnframed && { 'transfer-encoding': 'chunked' }) },
    });
    limitConnecting(outgoing, isTls ? 'secureConnect' : 'connect', connectTimeoutMs);
    return outgoing;
  }

  function forward(exchange: Exchange, isRepeat = false): void {
    const { request, response } = exchange;
    const outgoing = open(exchange);
    const abort = (): void => {
      if (!response.writableFinished) outgoing.destroy();
    };
    response.once('close', abort);
    let answered = false;
    outgoing.once('response', (incoming) => {
      answered = true;
      sendBack(exchange, incoming, upstream);
    });
    // No request asks to switch protocols. Without a listener, Node closes the connection and says nothing.
    outgoing.once('upgrade', (_incoming, socket) => {
      answered = true;
      socket.destroy();
      replyError(exchange, 502, `${upstream.address} switches to another protocol`);
    });
    outgoing.on('error', (error) => {
      response.off('close', abort);
      request.unpipe(outgoing);
      request.resume();
      if (answered || response.destroyed) return;
      // The service closed an idle connection at the moment at which it was used again.
      const isStale = outgoing.reusedSocket && isSafe(request.method) && !hasBody(request);
      if (isStale && !isRepeat) forward(exchange, true);
      else replyError(exchange, 502, describeFailure(upstream, error));
    });
    if (hasBody(request)) request.pipe(outgoing);
    else outgoing.end();
  }

  return { forward, close: () => agent.destroy() };
}

/** Sends a response of the service to the browser, as it arrives. */
function sendBack(exchange: Exchange, incoming: IncomingMessage, upstream: Upstream): void {
  const { request, response } = exchange;
  const { statusCode = 502, headers } = incoming;
  // Node parses any three digits, and throws when it is to send those.
  if (statusCode < 200 || statusCode > 599) {
    incoming.destroy();
    const detail = `${upstream.address} answers with the status ${statusCode}, which HTTP does not have`;
    replyError(exchange, 502, detail);
    return;
  }
  const base = upstream.address + request.url;
  const elsewhere = redirectElsewhere(statusCode, headers.location, base, upstream);
  if (elsewhere !== undefined) {
    incoming.destroy();
    const detail = `${upstream.address} redirects to ${elsewhere}; redirects are not followed: give the address of the service itself as --url`;
    replyError(exchange, 502, detail);
    return;
  }
  response.writeHead(statusCode, responseHeaders(headers, base, upstream));
  // The beginning of a stream arrives before its first event.
  response.flushHeaders();
  // A body that ends too early ends the response too early as well, so that nobody takes it for complete.
  pipeline(incoming, response, () => undefined);
}

/** Where a redirect leads that leaves the service, as it may be shown; undefined for other responses. */
function redirectElsewhere(
  status: number,
  location: string | undefined,
  base: string,
  upstream: Upstream,
): string | undefined {
  const isRedirect = status >= 300 && status < 400 && location !== undefined;
  if (!isRedirect || localPath(location, base, upstream) !== undefined) return undefined;
  const target = URL.parse(location, base);
  return target === null || !/^https?:$/.test(target.protocol) ? 'another place' : target.origin;
}

function limitConnecting(outgoing: ClientRequest, connected: string, milliseconds: number): void {
  outgoing.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      outgoing.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
    }, milliseconds);
    socket.once(connected, () => clearTimeout(timer));
    socket.once('close', () => clearTimeout(timer));
  });
}
