import { createServer, type Server } from 'node:http';
import { createConsoleResponder } from '../console/responder.ts';
import { isSafe } from '../request-source.ts';
import { changesNothing, foreignRequest, methods, ownHosts } from './access.ts';
import { createForwarder } from './forward.ts';
import { malformedRequest } from './malformed.ts';
import { type Exchange, reply, replyError, replyErrorPage } from './reply.ts';
import { createSession } from './session.ts';
import type { Upstream } from './upstream.ts';

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
  const { maxConnections } = limits;
  const server = createServer({ headersTimeout: limits.headersTimeoutMs });
  server.maxConnections = maxConnections;
  const port = await listen(server, options.port);
  const hosts = ownHosts(port);
  const session = createSession(port);
  const forwarder = createForwarder({ upstream, maxConnections, connectTimeoutMs });
  const respond = createConsoleResponder({ readOnly, upstream: upstream.address }, options.folder);

  async function handle(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    const { method = '', url = '' } = request;
    const foreign = foreignRequest(request, hosts);
    if (foreign !== undefined) return replyError(exchange, 403, foreign);
    if (!url.startsWith('/')) return replyError(exchange, 400, 'the target of the request must be a path');
    if (!methods.includes(method)) return rejectMethod(exchange, methods);
    const [path = '', query = ''] = splitOnce(url, '?');
    const token = path === '/console/' ? new URLSearchParams(query).get('token') : null;
    if (token !== null) return redeem(exchange, token, query);
    if (!session.isOpenedBy(request.headers.cookie)) {
      return replyErrorPage(exchange, 403, 'This console is not open in this browser', needsAddress);
    }
    if (path === '/console' || path.startsWith('/console/')) return sendFile(exchange, path, query);
    if (readOnly && !changesNothing(method, url)) {
      return replyError(
        exchange,
        403,
        `the console was started with --read-only: it passes on no ${method} like this`,
      );
    }
    const malformed = malformedRequest(request);
    if (malformed !== undefined) return replyError(exchange, 400, malformed);
    return forwarder.forward(exchange);
  }

  function redeem(exchange: Exchange, token: string, query: string): void {
    if (exchange.request.method !== 'GET') {
      rejectMethod(exchange, ['GET']);
      return;
    }
    const cookie = session.redeem(token);
    if (cookie === undefined) {
      replyErrorPage(exchange, 403, 'This address does not open the console', usedAddress);
      return;
    }
    const further = new URLSearchParams(query);
    further.delete('token');
    const search = further.size === 0 ? '' : `?${further}`;
    const headers = { Location: `/console/${search}`, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' };
    reply(exchange, 303, headers, null);
  }

  async function sendFile(exchange: Exchange, path: string, query: string): Promise<void> {
    const { method, headers } = exchange.request;
    if (!isSafe(method)) return rejectMethod(exchange, ['GET', 'HEAD']);
    if (path === '/console') {
      return reply(exchange, 308, { Location: `/console/${query && `?${query}`}` }, null);
    }
    const response = await respond({
      name: path.slice('/console/'.length),
      acceptEncoding: headers['accept-encoding']?.toString(),
      ifNoneMatch: headers['if-none-match'],
    });
    if (response === undefined) return replyError(exchange, 404, 'the console has no file with this name');
    reply(exchange, response.status, response.headers, response.body);
  }

  server.on('request', (request, response) => {
    const exchange = { request, response };
    // Nothing of the error is shown: it could quote headers.
    handle(exchange).catch(() => replyError(exchange, 500, 'an unexpected error occurred'));
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

function rejectMethod(exchange: Exchange, allowed: readonly string[]): void {
  const allow = allowed.join(', ');
  replyError(exchange, 405, `this path supports ${allow}`, { Allow: allow });
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
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
