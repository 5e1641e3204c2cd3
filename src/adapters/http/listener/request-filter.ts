import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, type Http2Bindings, type HttpBindings, RequestError } from '@hono/node-server';
import type { Logger } from '../../../ports/logger.ts';
import { batchRequests } from './batch-requests.ts';
import { batchResponses } from './batch-responses.ts';
import { type Connection, closeWith, closeAfterNewest, trackResponse } from './connection.ts';
import type { Connections } from './connections.ts';
import {
  badRequest,
  parserError,
  type ListenerError,
  listenerErrorBody,
  listenerErrorHeaders,
  serializeListenerError,
} from './listener-errors.ts';
import { createRequestRules } from './request-rules.ts';

/** What the gate opens to, and whom it tells. */
export interface RequestFilterOptions {
  /** The application: answers every request, and never throws. */
  readonly fetch: (request: Request, env: HttpBindings | Http2Bindings) => Response | Promise<Response>;
  readonly logger: Logger;
  /** Makes the X-Request-Id of replies that the application never sees. */
  readonly newId: () => string;
  /** Told the status of every reply that the listener gives by itself, for the metrics. Must not throw. */
  readonly onRefusal?: (status: number) => void;
}

/** What the gate counts. */
export interface RequestFilterLimits {
  readonly maxHeadersCount: number;
  readonly maxRequestsPerSocket: number;
}

const expectationFailed: ListenerError = {
  status: 417,
  detail: 'the only expectation that is met is 100-continue',
};
const failed: ListenerError = { status: 500, detail: 'an unexpected error occurred' };
const noTunnel: ListenerError = {
  status: 405,
  detail: 'this server opens no tunnels',
  headers: { Allow: 'GET, HEAD, POST, DELETE' },
};

/**
 * Lets well-formed requests through to the application, and answers everything else that arrives at `server` in
 * the shape of all errors (specification, section 7). Nothing that follows a refused request on its connection
 * is served: where the one ends and the next begins is no longer certain.
 */
export function filterRequests(
  server: Server,
  connections: Connections,
  limits: RequestFilterLimits,
  options: RequestFilterOptions,
): void {
  const { logger, newId } = options;
  const refusalOf = createRequestRules(limits.maxHeadersCount);
  const listener = getRequestListener(batchResponses(options.fetch), {
    hostname: 'localhost',
    errorHandler: lastResort,
  });
  const serve = batchRequests((incoming: IncomingMessage, outgoing: ServerResponse) => {
    void listener(incoming, outgoing);
  });

  function refuse(connection: Connection, refusal: ListenerError, incoming?: IncomingMessage): void {
    const requestId = requestIdOf(incoming) ?? newId();
    if (!closeWith(connection, serializeListenerError(refusal, requestId, incoming?.method))) return;
    const { status, detail } = refusal;
    logger.debug('the listener refused a request', { status, detail, request_id: requestId });
    options.onRefusal?.(status);
  }

  function admit(incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: boolean): void {
    const connection = connections.get(incoming.socket);
    if (connection === undefined || connection.closing) return;
    const refusal = refusalOf(incoming);
    if (refusal !== undefined) {
      refuse(connection, refusal, incoming);
      return;
    }
    trackResponse(connection, outgoing);
    const isLast = connection.served >= limits.maxRequestsPerSocket || asksForUpgrade(incoming);
    if (isLast || connections.draining) closeAfterNewest(connection);
    if (awaitsContinue) outgoing.writeContinue();
    serve(incoming, outgoing);
  }

  /** What the adapter could not hand to the application, and what the application threw against its promise. */
  function lastResort(error: unknown): Response {
    if (!(error instanceof RequestError)) logger.error('the application gave no reply', { error });
    const refusal = error instanceof RequestError ? badRequest('the request is not valid') : failed;
    options.onRefusal?.(refusal.status);
    const headers = listenerErrorHeaders(refusal, newId());
    return new Response(listenerErrorBody(refusal), { status: refusal.status, headers });
  }

  server.on('request', (incoming, outgoing) => admit(incoming, outgoing, false));
  server.on('checkContinue', (incoming, outgoing) => admit(incoming, outgoing, true));
  server.on('checkExpectation', (incoming: IncomingMessage) => {
    const connection = connections.get(incoming.socket);
    if (connection !== undefined) refuse(connection, expectationFailed, incoming);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const connection = connections.get(socket);
    if (connection === undefined || !socket.writable) socket.destroy();
    else refuse(connection, parserError(error.code));
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    const connection = connections.get(socket);
    // Node lets go of the socket here: replies that are still owed to earlier requests can't be relied on.
    if (connection === undefined || connection.pending > 0) socket.destroy();
    else refuse(connection, noTunnel, incoming);
    socket.resume();
  });
}

/** Node's parser drops what came in one piece with such a request, so that no other may follow it. */
function asksForUpgrade(incoming: IncomingMessage): boolean {
  return incoming.headers.upgrade !== undefined;
}

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

function requestIdOf(incoming: IncomingMessage | undefined): string | undefined {
  const sent = incoming?.headers['x-request-id'];
  return typeof sent === 'string' && visibleAscii.test(sent) ? sent : undefined;
}
