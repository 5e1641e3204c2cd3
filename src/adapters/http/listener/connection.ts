import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { halfClose } from './half-close.ts';

/** Maximum size of a body whose end is awaited after the response, in bytes, and for how long, in milliseconds. */
const SMALL_BODY_BYTES = 1_024 * 1_024;
const SMALL_BODY_MS = 500;

/** Requests of a connection that are served at a time, and bytes of replies unsent above which no further one is. */
const MAX_SERVED = 4;
const MAX_UNSENT_BYTES = 1_024 * 1_024;

/** A request on a connection, with its response. */
export interface Exchange {
  readonly response: ServerResponse;
  /** True once the request was passed to the application. */
  isServed: boolean;
  /** True once the listener responds instead of the application. */
  isDetached: boolean;
}

/** A client connection and its exchanges. */
export interface Connection {
  readonly socket: Socket;
  /** Requests accepted so far. */
  served: number;
  /** Responses that are not completely sent, those of waiting requests included. */
  pending: number;
  /** Requests that are not passed to the application yet, in order. While there are any, the socket is paused. */
  readonly waiting: Exchange[];
  /** The newest exchange, until its response is sent and its request has completely arrived. */
  newest: Exchange | undefined;
  /** Bytes read when the connection last became idle. */
  bytesReadWhenIdle: number;
  /** True once no more requests are accepted: what still arrives is discarded. */
  closing: boolean;
  /** The text sent after the pending responses, before the connection closes; undefined while it stays open. */
  finalResponse: string | undefined;
  /** True once the connection only waits until its peer closes it. */
  halfClosed: boolean;
}

/**
 * Tracks a connection. Replaces the socket's `destroySoon`, which Node calls after a response with `Connection: close`:
 * closing a socket with unread bytes resets it, and the reset may reach the peer before the response.
 */
export function trackConnection(socket: Socket): Connection {
  const connection: Connection = {
    socket,
    served: 0,
    pending: 0,
    waiting: [],
    newest: undefined,
    bytesReadWhenIdle: 0,
    closing: false,
    finalResponse: undefined,
    halfClosed: false,
  };
  // A lost connection is not an error of the service: the streams of its requests end with it.
  socket.on('error', () => {});
  socket.destroySoon = () => halfClose(connection);
  // Node resumes the socket whenever a body is read or discarded.
  socket.on('resume', () => {
    if (connection.waiting.length > 0) socket.pause();
  });
  return connection;
}

/**
 * Passes waiting requests to `serve`, as many as may be served now. The others wait, with the socket paused, so that a
 * client that reads no replies cannot make the process hold more of them.
 */
export function serveWaiting(connection: Connection, serve: (exchange: Exchange) => void): void {
  const { socket, waiting, halfClosed } = connection;
  if (halfClosed || socket.destroyed) return;
  for (;;) {
    const served = connection.pending - waiting.length;
    const mayServe = served < MAX_SERVED && (served === 0 || socket.writableLength <= MAX_UNSENT_BYTES);
    const exchange = mayServe ? waiting.shift() : undefined;
    if (exchange === undefined) break;
    serve(exchange);
  }
  if (waiting.length > 0) socket.pause();
  else if (socket.isPaused()) socket.resume();
}

/** Counts a request, which waits until {@link serveWaiting}, and its response as pending until it is sent. */
export function trackResponse(
  connection: Connection,
  response: ServerResponse,
  isDraining: () => boolean,
): void {
  const exchange: Exchange = { response, isServed: false, isDetached: false };
  connection.served += 1;
  connection.pending += 1;
  connection.waiting.push(exchange);
  connection.newest = exchange;
  response.on('close', () => {
    if (!exchange.isDetached) responseClosed(connection, exchange, isDraining);
  });
}

/** Makes the newest response the last one: it has `Connection: close`, and no more requests are accepted. */
export function closeAfterNewest(connection: Connection): void {
  connection.closing = true;
  const response = connection.newest?.response;
  if (response?.headersSent === false) response.shouldKeepAlive = false;
}

/**
 * Sets `Connection: close` on a response whose headers are not sent yet, if the connection will close after it: when
 * its request has not completely arrived, and its body is not known to be small. The missing rest of a small body is
 * awaited after the response, so the header cannot announce that the connection closes if it does not arrive.
 */
export function announceClose(response: ServerResponse): void {
  const { req } = response;
  if (!req.complete && !hasSmallBody(req)) response.shouldKeepAlive = false;
}

/** Whether the final response of {@link closeWith} is sent, and whether it replaces one of the application. */
export type Delivery = 'sent' | 'sent_instead' | 'not_sent';

/**
 * Closes the connection after the pending responses, in order, and after `text`, a complete response with `status`. If
 * the body of the newest request is still arriving, `text` replaces its response, unless its headers are already sent.
 */
export function closeWith(connection: Connection, text: string, status: number): Delivery {
  if (connection.finalResponse !== undefined || connection.halfClosed) return 'not_sent';
  connection.closing = true;
  connection.finalResponse = text;
  let delivery: Delivery = 'sent';
  const { newest } = connection;
  if (newest !== undefined && !newest.response.req.complete) {
    if (newest.response.headersSent) {
      connection.finalResponse = '';
      delivery = 'not_sent';
    } else {
      detachResponse(connection, newest, status);
      if (newest.isServed) delivery = 'sent_instead';
    }
  }
  if (connection.pending === 0) sendFinalResponse(connection);
  return delivery;
}

/** The request whose body is still arriving: an error of the parser is about it. Undefined when there is none. */
export function unfinishedRequest({ newest }: Connection): IncomingMessage | undefined {
  return newest === undefined || newest.response.req.complete ? undefined : newest.response.req;
}

/** True when no response is pending and nothing of a next request has arrived. */
export function isIdle(connection: Connection): boolean {
  return connection.pending === 0 && connection.socket.bytesRead === connection.bytesReadWhenIdle;
}

function responseClosed(connection: Connection, exchange: Exchange, isDraining: () => boolean): void {
  connection.pending -= 1;
  if (exchange.response.req.complete) exchangeFinished(connection, exchange, isDraining);
  else awaitRemainingBody(connection, exchange, isDraining);
}

/** Called when the response is sent and the request has completely arrived. */
function exchangeFinished(connection: Connection, exchange: Exchange, isDraining: () => boolean): void {
  if (connection.newest === exchange) connection.newest = undefined;
  if (connection.pending > 0) return;
  connection.bytesReadWhenIdle = connection.socket.bytesRead;
  if (connection.finalResponse !== undefined) sendFinalResponse(connection);
  else if (connection.closing || isDraining()) halfClose(connection);
}

/** Waits for the rest of a small body, so that the connection can stay open. Any other connection closes. */
function awaitRemainingBody(connection: Connection, exchange: Exchange, isDraining: () => boolean): void {
  const { req } = exchange.response;
  const timer = setTimeout(() => halfClose(connection), hasSmallBody(req) ? SMALL_BODY_MS : 0);
  // The application no longer reads the body. Unread, it would stop the client from sending, and from reading.
  req.removeAllListeners('data');
  req.resume();
  req.once('close', () => {
    clearTimeout(timer);
    exchangeFinished(connection, exchange, isDraining);
  });
}

/** False for a body of unknown length. */
function hasSmallBody(request: IncomingMessage): boolean {
  return Number(request.headers['content-length']) <= SMALL_BODY_BYTES;
}

function sendFinalResponse(connection: Connection): void {
  const { socket, finalResponse = '', halfClosed } = connection;
  if (finalResponse !== '' && socket.writable && !halfClosed) socket.write(finalResponse);
  halfClose(connection);
}

/**
 * Detaches a response from the application: what it still writes is discarded. `statusCode` becomes the status that the
 * client receives, so that the application can read it.
 */
function detachResponse(connection: Connection, exchange: Exchange, status: number): void {
  const { response } = exchange;
  exchange.isDetached = true;
  // The end of the connection ends the body for an application that still reads it.
  connection.socket.once('finish', () => connection.socket.destroy());
  connection.pending -= 1;
  connection.newest = undefined;
  // The newest one: if it waits, it is the last one that does.
  if (connection.waiting.at(-1) === exchange) connection.waiting.pop();
  response.statusCode = status;
  response.writeHead = () => response;
  response.flushHeaders = () => {};
  response.write = () => true;
  response.end = () => response;
}
