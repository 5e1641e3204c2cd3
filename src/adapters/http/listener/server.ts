import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Http2Bindings, HttpBindings } from '@hono/node-server';
import type { NewId } from '../../../ports/clock.ts';
import { type Logger, silentLogger } from '../../../ports/logger.ts';
import { createIds } from '../../shared/system.ts';
import { watchConnections } from './connections.ts';
import { filterRequests } from './request-filter.ts';

/** The bounds that the listener keeps against slow, greedy and broken clients (decisions, section 1). */
export const defaultServerLimits = {
  /** Milliseconds within which the whole header of a request must have arrived: else 408. */
  headersTimeoutMs: 15_000,
  /** Milliseconds within which the whole request must have arrived: else 408. Not less than the header's. */
  requestTimeoutMs: 30_000,
  /** Milliseconds between two looks at the two limits above. */
  connectionsCheckingIntervalMs: 1_000,
  /** Milliseconds that a connection may stay idle between two requests. */
  keepAliveTimeoutMs: 65_000,
  /** Milliseconds for which a client may take nothing of a reply before its connection is cut. */
  stalledReplyTimeoutMs: 60_000,
  /** Bytes that the request line and the header may have together: else 431. */
  maxHeaderBytes: 16_384,
  /** Headers that a request may have: else 431. */
  maxHeadersCount: 100,
  /** Connections open at the same time; a further one is closed at once. */
  maxConnections: 10_000,
  /** Requests after which a connection is closed with `Connection: close`. */
  maxRequestsPerSocket: 10_000,
} as const;

/** The bounds that the listener keeps; each is told at {@link defaultServerLimits}. */
export type ServerLimits = { readonly [Name in keyof typeof defaultServerLimits]: number };

/** What a listener is started with: an application's `fetch`, a port, and whatever is wanted beside what is the default. */
export interface ServerOptions {
  /** The application: answers every request, and never throws. */
  readonly fetch: (request: Request, env: HttpBindings | Http2Bindings) => Response | Promise<Response>;
  /** The name or address to listen on; 127.0.0.1, which is for this machine alone, when absent. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly limits?: Partial<ServerLimits>;
  /** Absent, nothing is logged. */
  readonly logger?: Logger;
  /** Makes the X-Request-Id of replies that the application never sees; UUIDs of version 7 when absent. */
  readonly newId?: NewId;
  /** Told the status of every reply that the listener gives by itself, for the metrics. Must not throw. */
  readonly onErrorResponse?: (status: number) => void;
  /** Told when the listener breaks after it has begun to listen. Must not throw. Absent, that ends the process. */
  readonly onListenerError?: (error: Error) => void;
}

/** A listener that accepts connections. */
export interface RunningServer {
  readonly port: number;
  /** The address that it is bound to. */
  readonly address: string;
  /**
   * Refuses new connections at once, ends idle ones, lets requests in flight finish with `Connection: close`,
   * and cuts what is left after `graceMs`. Resolves when no connection is left; never rejects. May be called
   * again, with less grace too.
   */
  drain(graceMs: number): Promise<void>;
  /** Refuses new connections and cuts all others. Resolves when none is left; never rejects. */
  close(): Promise<void>;
}

/** Starts to listen. Rejects when the address cannot be listened on. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const limits: ServerLimits = { ...defaultServerLimits, ...options.limits };
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    insecureHTTPParser: false,
    // The gate answers a missing Host, and too many headers, in the shape of all errors.
    requireHostHeader: false,
  });
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.stalledReplyTimeoutMs;
  // Clients that say early that they will send no more still get their reply.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = watchConnections(server);
  const { host = '127.0.0.1', logger = silentLogger, newId = createIds() } = options;
  filterRequests(server, connections, limits, { ...options, logger, newId });
  logSurplus(server, logger);
  const { port, address } = await listen(server, host, options.port);
  if (options.onListenerError !== undefined) server.on('error', options.onListenerError);
  return {
    port,
    address,
    drain: (graceMs) => connections.drain(graceMs),
    close: () => connections.drain(0),
  };
}

/**
 * Connections that may wait to be accepted; the system caps it. With Node's own 511, clients of a larger burst try
 * again only after a second.
 */
const BACKLOG = 4_096;

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject);
      const bound = server.address();
      if (bound === null || typeof bound === 'string') reject(new Error('the listener has no port'));
      else resolve(bound);
    });
  });
}

/** Tells of connections over the cap, once for each time that the cap is reached. */
function logSurplus(server: Server, logger: Logger): void {
  const QUIET_MS = 60_000;
  let toldAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    const now = performance.now();
    if (now - toldAt < QUIET_MS) return;
    toldAt = now;
    logger.warn('connections over the cap are refused', { max_connections: server.maxConnections });
  });
}
