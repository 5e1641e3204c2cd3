import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { isSafe } from '../middleware/browser-reach.ts';
import { replyError } from './reply.ts';

/** The service whose console is shown. */
export interface Upstream {
  /** Its address as it may be shown: scheme, host, port and path, without a slash at the end. */
  readonly address: string;
  /** Its scheme, host and port. */
  readonly origin: string;
  /** The path that it is mounted under; empty at the root. Percent-encoded. */
  readonly prefix: string;
  /** The API key; undefined for a service without authentication. */
  readonly key: string | undefined;
}

/** Reads the address of a service. Throws an error whose message does not contain it: it may have a password in it. */
export function parseUpstream(text: string, key: string | undefined): Upstream {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Error('must be an http:// or https:// URL');
  }
  if (url.username + url.password !== '') throw new Error('must contain no user or password');
  if (url.search + url.hash !== '') throw new Error('must contain no query or fragment');
  const prefix = url.pathname.replace(/\/+$/, '');
  return { address: url.origin + prefix, origin: url.origin, prefix, key };
}

/** Sends requests to the service with the key, and its responses back. */
export interface Forwarder {
  /** Forwards a request and its response as they arrive. A failure becomes a 502, or closes the response under way. */
  forward(response: ServerResponse): void;
  /** Closes all connections to the service. */
  close(): void;
}

/**
 * Creates a forwarder to one service. It follows no redirects, and keeps at most `maxConnections` connections open;
 * further requests wait. The service must accept a connection within `connectTimeoutMs` milliseconds.
 *
 * It is made of Node's requests and not of `fetch`, on which Hono's `proxy` is built: that adds headers of its own,
 * resolves dots in paths, and decodes bodies.
 */
export function createForwarder(
  upstream: Upstream,
  { maxConnections, connectTimeoutMs }: { maxConnections: number; connectTimeoutMs: number },
): Forwarder {
  const isTls = upstream.origin.startsWith('https:');
  const agentOptions = { keepAlive: true, maxSockets: maxConnections, maxFreeSockets: 8 };
  const agent = isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);

  function open(request: IncomingMessage): ClientRequest {
    const headers = requestHeaders(request.headers, upstream);
    // Node frames no body of DELETE by itself: on the connection it would be a further request.
    const isUnframed = hasBody(request) && headers['content-length'] === undefined;
    const outgoing = (isTls ? httpsRequest : httpRequest)(upstream.origin, {
      agent,
      method: request.method,
      path: upstream.prefix + request.url,
      headers: { ...headers, ...(isUnframed && { 'transfer-encoding': 'chunked' }) },
    });
    limitConnecting(outgoing, isTls ? 'secureConnect' : 'connect', connectTimeoutMs);
    return outgoing;
  }

  function forward(response: ServerResponse, isRepeat = false): void {
    const request = response.req;
    const outgoing = open(request);
    const abort = (): void => {
      if (!response.writableFinished) outgoing.destroy();
    };
    response.once('close', abort);
    let answered = false;
    outgoing.once('response', (incoming) => {
      answered = true;
      sendBack(response, incoming, upstream);
    });
    // No request asks to switch protocols. Without a listener, Node closes the connection and says nothing.
    outgoing.once('upgrade', (_incoming, socket) => {
      answered = true;
      socket.destroy();
      replyError(response, 502, `${upstream.address} switches to another protocol`);
    });
    outgoing.on('error', (error) => {
      response.off('close', abort);
      request.unpipe(outgoing);
      request.resume();
      if (answered || response.destroyed) return;
      // The service closed an idle connection at the moment at which it was used again.
      const isStale = outgoing.reusedSocket && isSafe(request.method) && !hasBody(request);
      if (isStale && !isRepeat) forward(response, true);
      else replyError(response, 502, describeFailure(upstream, error));
    });
    if (hasBody(request)) request.pipe(outgoing);
    else outgoing.end();
  }

  return { forward, close: () => agent.destroy() };
}

/** True when a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
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

/** Sends a response of the service to the browser, as it arrives. */
function sendBack(response: ServerResponse, incoming: IncomingMessage, upstream: Upstream): void {
  const { statusCode = 502, headers } = incoming;
  const base = upstream.address + response.req.url;
  const { address } = upstream;
  const elsewhere = redirectElsewhere(incoming, base, upstream);
  // Node parses any three digits, and throws when it is to send those.
  if (statusCode < 200 || statusCode > 599) {
    incoming.destroy();
    replyError(response, 502, `${address} answers with the status ${statusCode}, which HTTP does not have`);
  } else if (elsewhere !== undefined) {
    incoming.destroy();
    const detail = `${address} redirects to ${elsewhere}; redirects are not followed: give the address of the service itself as --url`;
    replyError(response, 502, detail);
  } else {
    response.writeHead(statusCode, responseHeaders(headers, base, upstream));
    // The beginning of a stream arrives before its first event.
    response.flushHeaders();
    // A body that ends too early ends the response too early as well, so that nobody takes it for complete.
    pipeline(incoming, response, () => undefined);
  }
}

/** Where a redirect leads that leaves the service, as it may be shown; undefined for other responses. */
function redirectElsewhere(
  { statusCode = 502, headers: { location } }: IncomingMessage,
  base: string,
  upstream: Upstream,
): string | undefined {
  const isRedirect = statusCode >= 300 && statusCode < 400 && location !== undefined;
  if (!isRedirect || localPath(location, base, upstream) !== undefined) return undefined;
  const target = URL.parse(location, base);
  return target === null || !/^https?:$/.test(target.protocol) ? 'another place' : target.origin;
}

/**
 * Headers of requests that are passed on: what the API, its documentation pages and HTTP caches read. All others end
 * here, above all credentials of this machine, what is about the way from the browser, and other names for a method or
 * a path.
 */
const forService: readonly string[] = [
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-event-id',
  'pragma',
  'prefer',
  'range',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-request-id',
];

/** Headers of responses that are passed back and say something about the body, the record or the request. */
const aboutResponse: readonly string[] = [
  'accept-ranges',
  'age',
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'idempotency-replayed',
  'last-modified',
  'link',
  'location',
  'preference-applied',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'vary',
  'x-request-id',
  'x-trace-id',
];

/** Headers of responses that are passed back and forbid the browser something. Those that allow something end here. */
const forbidding: readonly string[] = [
  'content-security-policy',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'permissions-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
];

/** The headers that the service gets for a request of the browser, with the key. */
function requestHeaders(sent: IncomingHttpHeaders, { key }: Upstream): OutgoingHttpHeaders {
  return { ...pick(sent, forService), ...(key !== undefined && { 'x-api-key': key }) };
}

/**
 * The headers that the browser gets for a response of the service to the request for `base`. Links to the service lead
 * here.
 */
function responseHeaders(
  received: IncomingHttpHeaders,
  base: string,
  upstream: Upstream,
): OutgoingHttpHeaders {
  const { location, link, etag } = received;
  return {
    // Texts of customers: without a rule, browsers write them to their disk. A tag may be asked for again.
    'cache-control': etag === undefined ? 'no-store' : 'private, no-cache',
    ...pick(received, [...aboutResponse, ...forbidding]),
    ...(location !== undefined && { location: localPath(location, base, upstream) ?? location }),
    ...(typeof link === 'string' && {
      link: link.replaceAll(/<([^>]*)>/g, (whole, target: string) => {
        const local = localPath(target, base, upstream);
        return local === undefined ? whole : `<${local}>`;
      }),
    }),
  };
}

/**
 * The path here of a link to the service, which may be relative to `base`: without the origin and the path that the
 * service is mounted under. Undefined for a link to another place. It is read as browsers read it, who remove tabs,
 * take backslashes for slashes and resolve dots.
 */
function localPath(link: string, base: string, { origin, prefix }: Upstream): string | undefined {
  const target = URL.parse(link, base);
  if (target === null || `${target.protocol}//${target.host}` !== origin) return undefined;
  const path = target.pathname + target.search + target.hash;
  if (!path.startsWith(`${prefix}/`)) return undefined;
  const local = path.slice(prefix.length);
  // Two slashes at the beginning would name another host.
  return local.startsWith('//') ? undefined : local;
}

/**
 * The headers with these names, without those that a Connection header declares to be of one connection (RFC 9110,
 * section 7.6.1). The length is never one of them: without it the body would be read as a further request.
 */
function pick(headers: IncomingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders {
  const ofConnection = headers.connection?.split(',').map((name) => name.trim().toLowerCase()) ?? [];
  const picked = names.filter((name) => name === 'content-length' || !ofConnection.includes(name));
  return Object.fromEntries(
    picked.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed'],
  ['EPIPE', 'the connection was closed'],
  ['ENOTFOUND', 'the host name cannot be resolved'],
  ['EAI_AGAIN', 'the host name cannot be resolved at the moment'],
  ['ETIMEDOUT', 'it does not accept connections in time'],
  ['EHOSTUNREACH', 'there is no way to the host'],
  ['ENETUNREACH', 'there is no way to the network'],
  ['EPROTO', 'it does not speak TLS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
]);

const untrusted = 'its certificate is not trusted; name the file of its authority in NODE_EXTRA_CA_CERTS';

/** Codes of certificates that nobody vouches for. */
const untrustedCodes: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The reason of a failed request to the service, by the code of the error: its message may quote headers. */
function describeFailure({ address }: Upstream, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  const known = untrustedCodes.has(code) ? untrusted : reasons.get(code);
  const other = code.startsWith('HPE_') ? 'its answer is not valid HTTP' : 'the request failed';
  return `${address} cannot be reached: ${known ?? other} (${code})`;
}
