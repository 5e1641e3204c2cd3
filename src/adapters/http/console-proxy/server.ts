import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { hasDotSegment } from '../../shared/dot-segments.ts';
import { createConsoleResponder } from '../console/responder.ts';
import { type ForeignPart, foreignPart, isSafe } from '../middleware/browser-reach.ts';
import { createForwarder, hasBody, type Upstream } from './forward.ts';
import { reply, replyError, replyErrorPage } from './reply.ts';

/** The limits of a console: what one person with many tabs needs. */
const limits = {
  /** The maximum number of connections of browsers; a further one is closed at once. */
  maxConnections: 128,
  /** Milliseconds within which the header of a request must arrive. */
  headersTimeoutMs: 15_000,
  /** Milliseconds within which the service must accept a connection. */
  connectTimeoutMs: 10_000,
} as const;

/** Options of {@link startConsoleProxy}. */
export interface ConsoleProxyOptions {
  readonly upstream: Upstream;
  /** A port of the loopback address; 0 selects a free one. */
  readonly port: number;
  readonly readOnly: boolean;
  /** The folder with the console. Default: the built one. */
  readonly folder?: string | undefined;
  /** Milliseconds within which the service must accept a connection. Default: 10,000. */
  readonly connectTimeoutMs?: number;
}

/** A running console. */
export interface ConsoleProxy {
  readonly port: number;
  /** The address to open, with the token. It works once. */
  readonly url: string;
  /** Closes all connections at once. Resolves when the port is free. */
  close(): Promise<void>;
}

/**
 * Serves the console on the loopback address, for one browser, and passes all other requests to the service, with its
 * API key. Rejects when the port cannot be used.
 */
export async function startConsoleProxy(options: ConsoleProxyOptions): Promise<ConsoleProxy> {
  const { upstream, readOnly, connectTimeoutMs = limits.connectTimeoutMs } = options;
  const { maxConnections, headersTimeoutMs } = limits;
  const server = createServer({ headersTimeout: headersTimeoutMs });
  server.maxConnections = maxConnections;
  const port = await listen(server, options.port);
  // The names by which a browser on this machine reaches the port. It leaves out the port that is the default of http.
  const hosts = ['127.0.0.1', 'localhost'].map((name) => (port === 80 ? name : `${name}:${port}`));
  const session = createSession(port);
  const forwarder = createForwarder(upstream, { maxConnections, connectTimeoutMs });
  const respond = createConsoleResponder({ readOnly, upstream: upstream.address }, options.folder);

  async function handle(response: ServerResponse): Promise<void> {
    const request = response.req;
    const { method = '', url = '' } = request;
    const foreign = foreignRequest(request, hosts);
    if (foreign !== undefined) return replyError(response, 403, foreign);
    if (!url.startsWith('/')) return replyError(response, 400, 'the target of the request must be a path');
    if (!methods.includes(method)) return rejectMethod(response, methods);
    const [path = '', ...rest] = url.split('?');
    const query = rest.join('?');
    const token = path === '/console/' ? new URLSearchParams(query).get('token') : null;
    if (token !== null) return redeem(response, token, query);
    if (!session.isOpenedBy(request.headers.cookie)) {
      return replyErrorPage(response, 403, 'This console is not open in this browser', needsAddress);
    }
    if (path === '/console' || path.startsWith('/console/')) return sendFile(response, path, query);
    if (readOnly && !changesNothing(method, url)) {
      const detail = `the console was started with --read-only: it passes on no ${method} like this`;
      return replyError(response, 403, detail);
    }
    const malformed = malformedRequest(request, path);
    if (malformed !== undefined) return replyError(response, 400, malformed);
    return forwarder.forward(response);
  }

  function redeem(response: ServerResponse, token: string, query: string): void {
    // HEAD does not use the token up.
    if (response.req.method !== 'GET') {
      rejectMethod(response, ['GET']);
      return;
    }
    const cookie = session.redeem(token);
    if (cookie === undefined) {
      replyErrorPage(response, 403, 'This address does not open the console', usedAddress);
      return;
    }
    const further = new URLSearchParams(query);
    further.delete('token');
    const search = further.size === 0 ? '' : `?${further}`;
    const headers = { Location: `/console/${search}`, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' };
    reply(response, 303, headers, null);
  }

  async function sendFile(response: ServerResponse, path: string, query: string): Promise<void> {
    const { method, headers } = response.req;
    if (!isSafe(method)) return rejectMethod(response, ['GET', 'HEAD']);
    if (path === '/console') {
      return reply(response, 308, { Location: `/console/${query && `?${query}`}` }, null);
    }
    const file = await respond({
      name: path.slice('/console/'.length),
      acceptEncoding: headers['accept-encoding']?.toString(),
      ifNoneMatch: headers['if-none-match'],
    });
    if (file === undefined) return replyError(response, 404, 'the console has no file with this name');
    return reply(response, file.status, file.headers, file.body);
  }

  server.on('request', (_request, response) => {
    // Nothing of the error is shown: it could quote headers.
    handle(response).catch(() => replyError(response, 500, 'an unexpected error occurred'));
  });
  return {
    port,
    url: `http://127.0.0.1:${port}/console/?token=${session.token}`,
    async close() {
      forwarder.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const needsAddress =
  'open the address that the command printed when it started, in the browser in which you want to see the console; if it was used already, start the command again';
const usedAddress =
  'it works once, for the first browser that opens it: in that browser, open the address without its token; for another browser, start the command again';

/** The methods that are passed on. */
const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

function rejectMethod(response: ServerResponse, allowed: readonly string[]): void {
  const allow = allowed.join(', ');
  replyError(response, 405, `this path supports ${allow}`, { Allow: allow });
}

/**
 * The reason to refuse a request that is not one of the console's own pages; undefined where it is one. This server has
 * a key, so that it accepts no others.
 */
function foreignRequest(request: IncomingMessage, hosts: readonly string[]): string | undefined {
  const { headersDistinct, method = '' } = request;
  const part = foreignPart(method, (name) => headersDistinct[name]?.join(), {
    isOwnHost: (host = '') => hosts.includes(host),
    isOwnOrigin: (origin, host) => origin === `http://${host}`,
    isAllowedOrigin: () => false,
    ownPagesOnly: true,
  });
  return part && refusals[part];
}

const refusals: Readonly<Record<ForeignPart, string>> = {
  host: 'the Host header is not the address of this console',
  origin: 'the request comes from a page of another origin',
  site: 'the request comes from a page of another site; to open the console, paste its address into the address bar',
  unknown: 'a request that changes something needs the header Origin, or Sec-Fetch-Site: same-origin',
};

/** Requests with POST that change nothing, with their complete path and query. */
const harmlessPosts: readonly RegExp[] = [
  /^\/workflows\/validate$/,
  /^\/workflows\/(?!\.{1,2}\/)[\w.~:@-]+\/simulate$/,
  /^\/agents\/route\?dry_run=true$/,
];

/**
 * True when a request passes with `--read-only`: GET, HEAD, and POSTs that are known to change nothing. An evaluation
 * is not one of them, because it may call tools.
 */
function changesNothing(method: string | undefined, url: string): boolean {
  return isSafe(method) || (method === 'POST' && harmlessPosts.some((pattern) => pattern.test(url)));
}

/** The reason to refuse a request on whose meaning servers do not agree; undefined for all others. */
function malformedRequest(request: IncomingMessage, path: string): string | undefined {
  if (isSafe(request.method) && hasBody(request)) return `a ${request.method} request must have no body`;
  if (/[\\#]/.test(path)) return 'a path must contain no backslash and no #';
  if (hasDotSegment(path)) return 'a path must have no segment . or .., with or without percent-encoding';
  return undefined;
}

/** The one browser that may use the console: the first one that opens the address with the token. */
interface Session {
  /** Opens the session once. It is part of the address that is printed. */
  readonly token: string;
  /** The `Set-Cookie` header for the first one who sends the token; undefined for a wrong token, and from then on. */
  redeem(token: string): string | undefined;
  /** True when a Cookie header has the cookie of this session. */
  isOpenedBy(cookies: string | undefined): boolean;
}

/**
 * Creates a session with random secrets. The name of its cookie has the port, because browsers keep the cookies of a
 * host for all of its ports, and another console may run on another one.
 */
function createSession(port: number): Session {
  const name = `console_${port}`;
  const token = secret();
  const value = secret();
  let isRedeemed = false;
  return {
    token,
    redeem(sent) {
      if (!isEqual(sent, token) || isRedeemed) return undefined;
      isRedeemed = true;
      return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict`;
    },
    isOpenedBy(cookies = '') {
      return cookies.split(';').some((cookie) => {
        const [sentName = '', ...rest] = cookie.split('=');
        return sentName.trim() === name && isEqual(rest.join('=').trim(), value);
      });
    },
  };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in constant time: the digests, which have equal lengths. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port }, () => {
      server.off('error', reject);
      const bound = server.address();
      if (bound === null || typeof bound === 'string') reject(new Error('the listener has no port'));
      else resolve(bound.port);
    });
  });
}
