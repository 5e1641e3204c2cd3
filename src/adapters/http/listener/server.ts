import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type Http2Bindings, type HttpBindings, RequestError } from '@hono/node-server';
import type { NewId } from '../../../ports/clock.ts';
import { type Logger, silentLogger } from '../../../ports/logger.ts';
import { createIds, systemClock } from '../../shared/system.ts';
import { createThrottledLog } from '../../shared/throttled-log.ts';
import { batchRequests, batchResponses } from './batching.ts';
import { announceClose, type Connection, createConnection } from './connection.ts';
import {
  badRequest,
  checkHead,
  parserRejection,
  type Rejection,
  rejectionResponse,
  serializeResponse,
} from './rejections.ts';

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
  const { host = '127.0.0.1', logger = silentLogger, newId = createIds(), onListenerError } = options;
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    insecureHTTPParser: false,
    // `checkHead` checks the Host header and the number of headers, and responds in the error shape.
    requireHostHeader: false,
  });
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.stalledReplyTimeoutMs;
  // A client that half-closes its connection after the request still gets the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  const { drain } = serveConnections(server, { ...options, limits, logger, newId });
  const warn = createThrottledLog(logger, systemClock, 'connections over the limit are closed');
  server.on('drop', () => warn({ max_connections: server.maxConnections }));
  const { port, address } = await listen(server, host, options.port);
  if (onListenerError !== undefined) server.on('error', onListenerError);
  return { port, address, drain, close: () => drain(0) };
}

type ResolvedOptions = ServerOptions & Required<Pick<ServerOptions, 'logger' | 'newId'>>;

/**
 * Passes valid requests to the application, and responds to everything else that arrives at `server` in the error
 * shape (specification, section 7). Nothing that follows a rejected request on its connection is served, because the
 * end of that request is no longer certain.
 */
function serveConnections(
  server: Server,
  options: ResolvedOptions & { readonly limits: ServerLimits },
): Pick<RunningServer, 'drain'> {
  const { maxHeadersCount, maxRequestsPerSocket } = options.limits;
  const open = new Map<Duplex, Connection>();
  const serve = createRequestHandler(options);
  const atEndOfTurn = batchRequests((work: () => void) => work());
  let isDraining = false;
  let closed: Promise<void> | undefined;

  function accept(incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean): void {
    const connection = open.get(incoming.socket);
    if (connection === undefined || connection.isClosing) return;
    const rejection = checkHead(incoming, maxHeadersCount);
    if (rejection !== undefined) {
      reject(options, connection, rejection, incoming);
      return;
    }
    if (expectsContinue) outgoing.writeContinue();
    // Node's parser discards what arrives together with a request for an upgrade, so no other request may follow it.
    const isLast =
      isDraining || connection.accepted + 1 >= maxRequestsPerSocket || incoming.headers.upgrade !== undefined;
    connection.accept(outgoing, isLast);
  }

  server.on('connection', (socket: Socket) => {
    open.set(socket, createConnection(socket, serve, atEndOfTurn));
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (incoming, outgoing) => accept(incoming, outgoing, false));
  server.on('checkContinue', (incoming, outgoing) => accept(incoming, outgoing, true));
  server.on('checkExpectation', (incoming: IncomingMessage) => {
    const connection = open.get(incoming.socket);
    if (connection !== undefined) reject(options, connection, expectationFailed, incoming);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const connection = open.get(socket);
    if (connection === undefined || !socket.writable) socket.destroy();
    else reject(options, connection, parserRejection(error.code));
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    const connection = open.get(socket);
    // Node detaches the socket from its parser here: pending responses are no longer sent.
    if (connection === undefined || connection.isPending) socket.destroy();
    else reject(options, connection, tunnelNotAllowed, incoming);
    socket.resume();
  });
  server.on('timeout', (socket: Socket) => {
    const isWaitingForApplication = open.get(socket)?.isPending === true && socket.writableLength === 0;
    if (!isWaitingForApplication) socket.destroy();
  });

  return {
    async drain(graceMs) {
      const destroyAll = (): void => {
        for (const { socket } of open.values()) socket.destroy();
      };
      isDraining = true;
      closed ??= stopListening(server);
      for (const connection of open.values()) {
        if (connection.isPending || connection.unfinished !== undefined) connection.closeAfterNewest();
      }
      if (graceMs <= 0) destroyAll();
      const grace = setTimeout(destroyAll, graceMs);
      // Requests that arrived before the drain are read first: one turn of the event loop reads them.
      setImmediate(() =>
        setImmediate(() => {
          for (const { isIdle, socket } of open.values()) if (isIdle) socket.destroy();
        }),
      );
      await closed;
      clearTimeout(grace);
    },
  };
}

/** Creates the function that passes a request to the application. */
function createRequestHandler(options: ResolvedOptions): (response: ServerResponse) => void {
  const { fetch, logger, newId, onErrorResponse } = options;

  /** Handles requests that the adapter cannot convert, and errors that `fetch` should have handled. */
  function errorHandler(error: unknown): Response {
    const isInvalid = error instanceof RequestError;
    if (!isInvalid) logger.error('the application failed to respond', { error });
    const rejection = isInvalid ? badRequest('the request is not valid') : internalError;
    onErrorResponse?.(rejection.status);
    const { body, headers } = rejectionResponse(rejection, newId());
    return new Response(body, { status: rejection.status, headers });
  }

  const batchedFetch = batchResponses(fetch);
  const listener = getRequestListener(
    async (request, env) => {
      const response = await batchedFetch(request, env);
      if (env.outgoing instanceof ServerResponse) announceClose(env.outgoing);
      return response;
    },
    { hostname: 'localhost', errorHandler },
  );
  return (response) => void listener(response.req, response);
}

const expectationFailed: Rejection = {
  status: 417,
  detail: 'the only supported expectation is 100-continue',
};
const internalError: Rejection = { status: 500, detail: 'an unexpected error occurred' };
const tunnelNotAllowed: Rejection = {
  status: 405,
  detail: 'this server does not support CONNECT',
  headers: { Allow: 'GET, HEAD, POST, DELETE' },
};

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** Responds with an error after the pending responses, and closes the connection. */
function reject(
  { logger, newId, onErrorResponse }: ResolvedOptions,
  connection: Connection,
  rejection: Rejection,
  incoming?: IncomingMessage,
): void {
  const { status, detail } = rejection;
  const sentId = incoming?.headers['x-request-id'];
  const requestId = typeof sentId === 'string' && visibleAscii.test(sentId) ? sentId : newId();
  const { accept } = (incoming ?? connection.unfinished)?.headers ?? {};
  const response = rejectionResponse(rejection, requestId, accept);
  const delivery = connection.closeWith(serializeResponse(status, response, incoming?.method), status);
  if (delivery === 'not_sent') return;
  logger.debug('the listener rejected a request', { status, detail, request_id: requestId });
  if (delivery === 'sent') onErrorResponse?.(status);
}

/**
 * Accepts no more connections; resolves when the last one is closed. Node's own `close` is called last: it also
 * destroys connections whose response is written but not sent, and stops the checks for slow requests.
 */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => {
      server.close();
      resolve();
    });
  });
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
