import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that are served at a time, and bytes of replies unsent above which no further one is. */
const MAX_SERVED = 4;
const MAX_UNSENT_BYTES = 1_024 * 1_024;

/** Milliseconds for which a half-closed connection is still read, so that its peer receives the complete response. */
const HALF_CLOSED_MS = 2_000;
/** Bytes that are read and discarded in that time; then the connection is no longer read. */
const HALF_CLOSED_BYTES = 32 * 1_024 * 1_024;
const HALF_CLOSED_CHECK_MS = 50;

/** Maximum size in bytes of an unread body whose rest may arrive after the response, without closing the connection. */
const SMALL_BODY_BYTES = 1_024 * 1_024;

/** The outcome of {@link Connection.closeWith}; `sent_instead` of a response of the application. */
export type Delivery = 'sent' | 'sent_instead' | 'not_sent';

/** A client connection, with the requests that arrive on it. */
export interface Connection {
  readonly socket: Socket;
  /** Requests accepted so far. */
  readonly accepted: number;
  /** True while responses are not completely sent, those of waiting requests included. */
  readonly isPending: boolean;
  /** True when no response is pending and nothing of a next request has arrived. */
  readonly isIdle: boolean;
  /** True once no more requests are accepted: what still arrives is discarded. */
  readonly isClosing: boolean;
  /** The request whose body is still arriving: an error of the parser is about it. */
  readonly unfinished: IncomingMessage | undefined;
  /** Serves a request, once few enough of those before it are under way. The last one closes the connection. */
  accept(response: ServerResponse, isLast: boolean): void;
  /** Makes the newest response the last one: it has `Connection: close`, and no more requests are accepted. */
  closeAfterNewest(): void;
  /**
   * Closes the connection after the pending responses, in order, and after `text`, a complete response with `status`.
   * If the body of the newest request is still arriving, `text` replaces its response, unless its headers are already
   * sent.
   */
  closeWith(text: string, status: number): Delivery;
}

/**
 * Tracks a connection, and passes its requests to `serve` at the end of the event loop's turn. Those that may not be
 * served yet wait, with the socket paused, so that a client that reads no replies cannot make the process hold more of
 * them.
 */
export function createConnection(
  socket: Socket,
  serve: (response: ServerResponse) => void,
  atEndOfTurn: (work: () => void) => void,
): Connection {
  /** Requests that are not served yet, in order. */
  const waiting: ServerResponse[] = [];
  const unsent = new Set<ServerResponse>();
  let newest: ServerResponse | undefined;
  let accepted = 0;
  let bytesReadWhenIdle = 0;
  let isClosing = false;
  let isHalfClosed = false;
  let finalResponse: string | undefined;

  // A lost connection is not an error of the service: the streams of its requests end with it.
  socket.on('error', () => {});
  // Node calls it after a response with `Connection: close`. Closing a socket with unread bytes resets it, and the
  // reset may reach the peer before the response.
  socket.destroySoon = startHalfClose;
  // Node resumes the socket whenever a body is read or discarded.
  socket.on('resume', () => {
    if (waiting.length > 0) socket.pause();
  });

  function startHalfClose(): void {
    isClosing = true;
    if (isHalfClosed || socket.destroyed) return;
    isHalfClosed = true;
    halfClose(socket);
  }

  function serveWaiting(): void {
    if (isHalfClosed || socket.destroyed) return;
    for (;;) {
      const served = unsent.size - waiting.length;
      const mayServe = served < MAX_SERVED && (served === 0 || socket.writableLength <= MAX_UNSENT_BYTES);
      const response = mayServe ? waiting.shift() : undefined;
      if (response === undefined) break;
      serve(response);
    }
    if (waiting.length > 0) socket.pause();
    else if (socket.isPaused()) socket.resume();
  }

  function responseClosed(response: ServerResponse): void {
    const { req } = response;
    unsent.delete(response);
    if (req.complete) exchangeFinished();
    else {
      // The application no longer reads the body. Unread, it would stop the client from sending, and from reading.
      req.removeAllListeners('data');
      req.resume();
      req.once('close', exchangeFinished);
    }
    serveWaiting();
  }

  /** A response is sent, and its request has completely arrived. */
  function exchangeFinished(): void {
    if (unsent.size > 0) return;
    bytesReadWhenIdle = socket.bytesRead;
    if (finalResponse !== undefined) sendFinalResponse();
    else if (isClosing) startHalfClose();
  }

  function sendFinalResponse(): void {
    if (finalResponse && socket.writable && !isHalfClosed) socket.write(finalResponse);
    startHalfClose();
  }

  function closeAfterNewest(): void {
    isClosing = true;
    if (newest?.headersSent === false) newest.shouldKeepAlive = false;
  }

  return {
    socket,
    get accepted() {
      return accepted;
    },
    get isPending() {
      return unsent.size > 0;
    },
    get isIdle() {
      return unsent.size === 0 && socket.bytesRead === bytesReadWhenIdle;
    },
    get isClosing() {
      return isClosing;
    },
    get unfinished() {
      return newest?.req.complete === false ? newest.req : undefined;
    },
    accept(response, isLast) {
      newest = response;
      accepted += 1;
      unsent.add(response);
      waiting.push(response);
      if (isLast) closeAfterNewest();
      response.on('close', () => responseClosed(response));
      // A request whose body the parser rejects in the same turn is never served.
      atEndOfTurn(serveWaiting);
    },
    closeAfterNewest,
    closeWith(text, status) {
      if (finalResponse !== undefined || isHalfClosed) return 'not_sent';
      isClosing = true;
      finalResponse = text;
      let delivery: Delivery = 'sent';
      if (newest?.req.complete === false && newest.headersSent) {
        finalResponse = '';
        delivery = 'not_sent';
      } else if (newest?.req.complete === false) {
        // The newest one: if it waits, it is the last one that does.
        if (waiting.at(-1) === newest) waiting.pop();
        else delivery = 'sent_instead';
        unsent.delete(newest);
        detach(newest, status);
        // The end of the connection ends the body for an application that still reads it.
        socket.once('finish', () => socket.destroy());
      }
      if (unsent.size === 0) sendFinalResponse();
      return delivery;
    },
  };
}

/** Sends no more, and waits a limited time until the peer has received everything and closes the connection. */
function halfClose(socket: Socket): void {
  const start = socket.bytesRead;
  let remainingChecks = HALF_CLOSED_MS / HALF_CLOSED_CHECK_MS;
  const timer = setInterval(() => {
    remainingChecks -= 1;
    if (remainingChecks <= 0) socket.destroy();
    else if (socket.bytesRead - start > HALF_CLOSED_BYTES) socket.pause();
  }, HALF_CLOSED_CHECK_MS);
  socket.once('close', () => clearInterval(timer));
  socket.end();
}

/**
 * Detaches a response from the application: what it still writes is discarded. `statusCode` becomes the status that the
 * client receives, so that the application can read it.
 */
function detach(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.writeHead = () => response;
  response.flushHeaders = () => {};
  response.write = () => true;
  response.end = () => response;
}

/**
 * Sets `Connection: close` on a response whose headers are not sent yet, if the rest of its request is not awaited. The
 * adapter of Node's server awaits it for half a second, except of GET and HEAD; a large one is not awaited.
 */
export function announceClose(response: ServerResponse): void {
  const { complete, method, headers } = response.req;
  // A body of unknown length is none that is small.
  const isAwaited =
    method !== 'GET' && method !== 'HEAD' && Number(headers['content-length']) <= SMALL_BODY_BYTES;
  if (!complete && !isAwaited) response.shouldKeepAlive = false;
}
