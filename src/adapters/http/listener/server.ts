import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Http2Bindings, HttpBindings } from '@hono/node-server';
import type { NewId } from '../../../ports/clock.ts';
import { type Logger, silentLogger } from '../../../ports/logger.ts';
import { createIds, systemClock } from '../../shared/system.ts';
import { createThrottledLog } from '../../shared/throttled-log.ts';
import { trackConnections } from './connections.ts';
import { filterRequests } from './request-filter.ts';

/** Limits that protect the service from slow and misbehaving clients (decisions, section 1). */
export const defaultServerLimits = {
  /** Milliseconds within which the complete header of a request must arrive; else 408. */
  headersTimeoutMs: 15_000,
  /** Milliseconds within which the complete request must arrive; else 408. Not less than the header's. */
  requestTimeoutMs: 30_000,
  /** Milliseconds between two checks of the two limits above. */
  connectionsCheckingIntervalMs: 1_000,
  /** Milliseconds for which a connection may stay idle between two requests. */
  keepAliveTimeoutMs: 65_000,
  /** Milliseconds for which a client may read nothing of a response before its connection is closed. */
  stalledReplyTimeoutMs: 60_000,
  /** The maximum size of the request line and the header together, in bytes; else 431. */
  maxHeaderBytes: 16_384,
  /** The maximum number of headers of a request; else 431. */
  maxHeadersCount: 100,
  /** The maximum number of open connections; a further one is closed at once. */
  maxConnections: 10_000,
  /** Requests after which a connection is closed with `Connection: close`. */
  maxRequestsPerSocket: 10_000,
} as const;

/** The limits of the listener, described at {@link defaultServerLimits}. */
export type ServerLimits = { readonly [Name in keyof typeof defaultServerLimits]: number };

/** Options of the listener. `fetch` and `port` are required. */
export interface ServerOptions {
  /** The application. Responds to every request, and never throws or rejects. */
  readonly fetch: (request: Request, env: HttpBindings | Http2Bindings) => Response | Promise<Response>;
  /** The name or address to listen on. Default: 127.0.0.1, which only this machine can reach. */
  readonly host?: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly limits?: Partial<ServerLimits>;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** Creates the X-Request-Id of responses to requests that the application never sees. Default: UUIDs of version 7. */
  readonly newId?: NewId;
  /**
   * Called with the status of every error response to a request that the application never sees, for the metrics. A
   * request that the application was processing, such as one whose body timed out, is not reported here: the
   * application reads the status from `outgoing.statusCode`. Must not throw.
   */
  readonly onErrorResponse?: (status: number) => void;
  /** Called when the listener fails after it has started. Must not throw. Default: the error ends the process. */
  readonly onListenerError?: (error: Error) => void;
}

/** A listener that accepts connections. */
export interface RunningServer {
  readonly port: number;
  /** The address that the listener is bound to. */
  readonly address: string;
  /**
   * Stops accepting connections, closes idle ones, lets requests in flight finish with `Connection: close`, and
   * destroys the remaining connections after `graceMs` milliseconds. Resolves when all connections are closed; never
   * rejects. May be called again, also with a shorter grace period.
   */
  drain(graceMs: number): Promise<void>;
  /** Stops accepting connections and destroys all open ones. Resolves when all are closed; never rejects. */
  close(): Promise<void>;
}

/** Starts a listener. Rejects when it cannot listen on the address. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const limits: ServerLimits = { ...defaultServerLimits, ...options.limits };
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    insecureHTTPParser: false,
    // The request filter checks the Host header and the number of headers, and responds in the error shape.
    requireHostHeader: false,
  });
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.stalledReplyTimeoutMs;
  // A client that half-closes its connection after the request still gets the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = trackConnections(server);
  const { host = '127.0.0.1', logger = silentLogger, newId = createIds() } = options;
  filterRequests(server, connections, { ...options, limits, logger, newId });
  logDroppedConnections(server, logger);
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
 * Maximum number of connections that wait to be accepted; the operating system has a limit of its own. With Node's
 * default of 511, clients of a larger burst have to retransmit their connection requests.
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

/** Warns about connections over the limit, at most once a minute. */
function logDroppedConnections(server: Server, logger: Logger): void {
  const warn = createThrottledLog(logger, systemClock, 'connections over the limit are closed');
  server.on('drop', () => warn({ max_connections: server.maxConnections }));
}
