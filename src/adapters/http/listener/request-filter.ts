import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { NewId } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import { batchRequests } from './batch-requests.ts';
import { batchResponses } from './batch-responses.ts';
import {
  announceClose,
  type Connection,
  closeAfterNewest,
  closeWith,
  type Exchange,
  serveWaiting,
  trackResponse,
  unfinishedRequest,
} from './connection.ts';
import type { Connections } from './connections.ts';
import {
  badRequest,
  type ListenerError,
  listenerResponse,
  parserError,
  serializeListenerError,
} from './listener-errors.ts';
import { createRequestRules } from './request-rules.ts';
import type { ServerLimits, ServerOptions } from './server.ts';

/** What the request filter needs from the server's options. */
export interface RequestFilterOptions extends Pick<ServerOptions, 'fetch' | 'onErrorResponse'> {
  readonly logger: Logger;
  readonly newId: NewId;
  readonly limits: Pick<ServerLimits, 'maxHeadersCount' | 'maxRequestsPerSocket'>;
}

const expectationFailed: ListenerError = {
  status: 417,
  detail: 'the only supported expectation is 100-continue',
};
const internalError: ListenerError = { status: 500, detail: 'an unexpected error occurred' };
const tunnelNotAllowed: ListenerError = {
  status: 405,
  detail: 'this server does not support CONNECT',
  headers: { Allow: 'GET, HEAD, POST, DELETE' },
};

/**
 * Passes valid requests to the application, and responds to everything else that arrives at `server` in the error
 * shape (specification, section 7). Nothing that follows a rejected request on its connection is served, because the
 * end of that request is no longer certain.
 */
export function filterRequests(
  server: Server,
  connections: Connections,
  options: RequestFilterOptions,
): void {
  const { limits } = options;
  const check = createRequestRules(limits.maxHeadersCount);
  const serve = createRequestHandler(options);
  const isDraining = (): boolean => connections.draining;

  function accept(incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean): void {
    const connection = connections.get(incoming.socket);
    if (connection === undefined || connection.closing) return;
    const error = check(incoming);
    if (error !== undefined) {
      reject(options, connection, error, incoming);
      return;
    }
    trackResponse(connection, outgoing, isDraining);
    const isLast = connection.served >= limits.maxRequestsPerSocket || requestsUpgrade(incoming);
    if (isLast || connections.draining) closeAfterNewest(connection);
    if (expectsContinue) outgoing.writeContinue();
    outgoing.on('close', () => serveWaiting(connection, serve));
    serveWaiting(connection, serve);
  }

  server.on('request', (incoming, outgoing) => accept(incoming, outgoing, false));
  server.on('checkContinue', (incoming, outgoing) => accept(incoming, outgoing, true));
  server.on('checkExpectation', (incoming: IncomingMessage) => {
    const connection = connections.get(incoming.socket);
    if (connection !== undefined) reject(options, connection, expectationFailed, incoming);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const connection = connections.get(socket);
    if (connection === undefined || !socket.writable) socket.destroy();
    else reject(options, connection, parserError(error.code));
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    const connection = connections.get(socket);
    // Node detaches the socket from its parser here: pending responses are no longer sent.
    if (connection === undefined || connection.pending > 0) socket.destroy();
    else reject(options, connection, tunnelNotAllowed, incoming);
    socket.resume();
  });
}

/** Creates the function that passes a request to the application. */
function createRequestHandler({
  fetch,
  logger,
  newId,
  onErrorResponse,
}: RequestFilterOptions): (exchange: Exchange) => void {
  const batchedFetch = batchResponses(fetch);

  /** Handles requests that the adapter cannot convert, and errors that `fetch` should have handled. */
  function errorHandler(error: unknown): Response {
    if (!(error instanceof RequestError)) logger.error('the application failed to respond', { error });
    const listenerError =
      error instanceof RequestError ? badRequest('the request is not valid') : internalError;
    onErrorResponse?.(listenerError.status);
    const { body, headers } = listenerResponse(listenerError, newId());
    return new Response(body, { status: listenerError.status, headers });
  }

  const listener = getRequestListener(
    async (request, env) => {
      const response = await batchedFetch(request, env);
      if (env.outgoing instanceof ServerResponse) announceClose(env.outgoing);
      return response;
    },
    { hostname: 'localhost', errorHandler },
  );
  return batchRequests((exchange) => {
    if (exchange.isDetached) return;
    exchange.isServed = true;
    void listener(exchange.response.req, exchange.response);
  });
}

/** Responds with an error after the pending responses, and closes the connection. */
function reject(
  { logger, newId, onErrorResponse }: RequestFilterOptions,
  connection: Connection,
  error: ListenerError,
  incoming?: IncomingMessage,
): void {
  const { status, detail } = error;
  const requestId = requestIdOf(incoming) ?? newId();
  const { accept } = (incoming ?? unfinishedRequest(connection))?.headers ?? {};
  const text = serializeListenerError(error, requestId, { method: incoming?.method, accept });
  const delivery = closeWith(connection, text, status);
  if (delivery === 'not_sent') return;
  logger.debug('the listener rejected a request', { status, detail, request_id: requestId });
  if (delivery === 'sent') onErrorResponse?.(status);
}

/** Node's parser discards what arrives together with such a request, so no other request may follow it. */
function requestsUpgrade(incoming: IncomingMessage): boolean {
  return incoming.headers.upgrade !== undefined;
}

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

function requestIdOf(incoming: IncomingMessage | undefined): string | undefined {
  const sent = incoming?.headers['x-request-id'];
  return typeof sent === 'string' && visibleAscii.test(sent) ? sent : undefined;
}
