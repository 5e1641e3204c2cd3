import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, type Http2Bindings, type HttpBindings, RequestError } from '@hono/node-server';
import type { Logger } from '../../../ports/logger.ts';
import { gatherRequests } from './batch-requests.ts';
import { gatherReplies } from './batch-responses.ts';
import { type Connection, endWith, endWithNewest, oweReply } from './connection.ts';
import type { Connections } from './connections.ts';
import {
  badRequest,
  parserRefusal,
  type Refusal,
  refusalBody,
  refusalHeaders,
  refusalMessage,
} from './listener-errors.ts';
import { createRequestRules } from './request-rules.ts';

/** What the gate opens to, and whom it tells. */
export interface GateOptions {
  /** The application: answers every request, and never throws. */
  readonly fetch: (request: Request, env: HttpBindings | Http2Bindings) => Response | Promise<Response>;
  readonly logger: Logger;
  /** Makes the X-Request-Id of replies that the application never sees. */
  readonly newId: () => string;
  /** Told the status of every reply that the listener gives by itself, for the metrics. Must not throw. */
  readonly onRefusal?: (status: number) => void;
}

/** What the gate counts. */
export interface GateLimits {
  readonly maxHeadersCount: number;
  readonly maxRequestsPerSocket: number;
}

const expectationFailed: Refusal = {
  status: 417,
  detail: 'the only expectation that is met is 100-continue',
};
const failed: Refusal = { status: 500, detail: 'an unexpected error occurred' };
const noTunnel: Refusal = {
  status: 405,
  detail: 'this server opens no tunnels',
  headers: { Allow: 'GET, HEAD, POST, DELETE' },
};

/**
 * Lets well-formed requests through to the application, and answers everything else that arrives at `server` in
 * the shape of all errors (specification, section 7). Nothing that follows a refused request on its connection
 * is served: where the one ends and the next begins is no longer certain.
 */
export function openGate(
  server: Server,
  connections: Connections,
  limits: GateLimits,
  options: GateOptions,
): void {
  const { logger, newId } = options;
  const refusalOf = createRequestRules(limits.maxHeadersCount);
  const listener = getRequestListener(gatherReplies(options.fetch), {
    hostname: 'localhost',
    errorHandler: lastResort,
  });
  const serve = gatherRequests((incoming: IncomingMessage, outgoing: ServerResponse) => {
    void listener(incoming, outgoing);
  });

  function refuse(connection: Connection, refusal: Refusal, incoming?: IncomingMessage): void {
    const requestId = requestIdOf(incoming) ?? newId();
    if (!endWith(connection, refusalMessage(refusal, requestId, incoming?.method))) return;
    const { status, detail } = refusal;
    logger.debug('the listener refused a request', { status, detail, request_id: requestId });
    options.onRefusal?.(status);
  }

  function admit(incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: boolean): void {
    const connection = connections.of(incoming.socket);
    if (connection === undefined || connection.closing) return;
    const refusal = refusalOf(incoming);
    if (refusal !== undefined) {
      refuse(connection, refusal, incoming);
      return;
    }
    oweReply(connection, outgoing);
    const isLast = connection.served >= limits.maxRequestsPerSocket || asksForUpgrade(incoming);
    if (isLast || connections.draining) endWithNewest(connection);
    if (awaitsContinue) outgoing.writeContinue();
    serve(incoming, outgoing);
  }

  /** What the adapter could not hand to the application, and what the application threw against its promise. */
  function lastResort(error: unknown): Response {
    if (!(error instanceof RequestError)) logger.error('the application gave no reply', { error });
    const refusal = error instanceof RequestError ? badRequest('the request is not valid') : failed;
    options.onRefusal?.(refusal.status);
    const headers = refusalHeaders(refusal, newId());
    return new Response(refusalBody(refusal), { status: refusal.status, headers });
  }

  server.on('request', (incoming, outgoing) => admit(incoming, outgoing, false));
  server.on('checkContinue', (incoming, outgoing) => admit(incoming, outgoing, true));
  server.on('checkExpectation', (incoming: IncomingMessage) => {
    const connection = connections.of(incoming.socket);
    if (connection !== undefined) refuse(connection, expectationFailed, incoming);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const connection = connections.of(socket);
    if (connection === undefined || !socket.writable) socket.destroy();
    else refuse(connection, parserRefusal(error.code));
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    const connection = connections.of(socket);
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
