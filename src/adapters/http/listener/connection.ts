import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds for which a closed connection is still read, so that its peer gets the last reply whole. */
const LINGER_MS = 2_000;
/** Bytes that are thrown away meanwhile; then the peer is left to wait. */
const LINGER_BYTES = 32 * 1_024 * 1_024;
const LINGER_CHECK_MS = 50;
/** The most bytes of a request that are waited for after its reply, and for how long. */
const SMALL_REST_BYTES = 1_024 * 1_024;
const SMALL_REST_MS = 500;

/** One client connection and what is under way on it. */
export interface Connection {
  readonly socket: Socket;
  /** Called with `this` as the reply when a reply is out, or its connection lost. */
  readonly onResponseClosed: (this: ServerResponse) => void;
  /** Requests taken so far. */
  served: number;
  /** Replies that are owed or not yet wholly handed over. */
  pending: number;
  /** The newest reply, kept until it is out and its request has wholly arrived. */
  newest: ServerResponse | undefined;
  /** Bytes read when the connection last fell idle. */
  bytesReadWhenIdle: number;
  /** True once no further request is taken: what still arrives is thrown away. */
  closing: boolean;
  /** What is said after the pending replies, before the connection ends; undefined while it goes on. */
  finalResponse: string | undefined;
  /** True once the connection only waits for its peer to close. */
  halfClosed: boolean;
}

/**
 * Begins to watch a connection. Whoever ends it softly, Node itself after a reply with `Connection: close`
 * included, makes it linger: a socket closed with bytes unread is reset, and a reset may overtake the reply.
 */
export function watchConnection(socket: Socket, isDraining: () => boolean): Connection {
  const connection: Connection = {
    socket,
    onResponseClosed() {
      responseClosed(connection, this, isDraining);
    },
    served: 0,
    pending: 0,
    newest: undefined,
    bytesReadWhenIdle: 0,
    closing: false,
    finalResponse: undefined,
    halfClosed: false,
  };
  socket.on('error', ignore);
  socket.destroySoon = () => halfClose(connection);
  return connection;
}

function ignore(): void {
  // A lost connection is no fault of the service: whoever still works for it is told by its own streams.
}

/** Counts a request whose reply is owed. */
export function trackResponse(connection: Connection, reply: ServerResponse): void {
  connection.served += 1;
  connection.pending += 1;
  connection.newest = reply;
  reply.on('close', connection.onResponseClosed);
}

/** Makes the newest reply the last one: it says `Connection: close`, and no further request is taken. */
export function closeAfterNewest(connection: Connection): void {
  connection.closing = true;
  if (connection.newest?.headersSent === false) connection.newest.shouldKeepAlive = false;
}

/**
 * Ends the connection after the replies that are owed, in order, and after `farewell`, a whole reply or nothing.
 * A request whose body is still arriving is given up: `farewell` takes the place of its reply, unless that has
 * begun. Returns whether `farewell` will be said.
 */
export function closeWith(connection: Connection, farewell: string): boolean {
  if (connection.finalResponse !== undefined || connection.halfClosed) return false;
  connection.closing = true;
  connection.finalResponse = farewell;
  const { newest } = connection;
  if (newest !== undefined && !newest.req.complete) {
    if (newest.headersSent) connection.finalResponse = '';
    else takeOverResponse(connection, newest);
  }
  const isSaid = connection.finalResponse !== '';
  if (connection.pending === 0) sendFinalResponse(connection);
  return isSaid;
}

/** True when nothing is owed and nothing of a next request has arrived. */
export function isIdle(connection: Connection): boolean {
  return connection.pending === 0 && connection.socket.bytesRead === connection.bytesReadWhenIdle;
}

function responseClosed(connection: Connection, reply: ServerResponse, isDraining: () => boolean): void {
  connection.pending -= 1;
  if (reply.req.complete) requestDone(connection, reply, isDraining);
  else awaitRemainingBody(connection, reply, isDraining);
}

/** A request and its reply are through: what now, when nothing else is under way? */
function requestDone(connection: Connection, reply: ServerResponse, isDraining: () => boolean): void {
  if (connection.newest === reply) connection.newest = undefined;
  if (connection.pending > 0) return;
  connection.bytesReadWhenIdle = connection.socket.bytesRead;
  if (connection.finalResponse !== undefined) sendFinalResponse(connection);
  else if (connection.closing || isDraining()) halfClose(connection);
}

/**
 * The reply was out before the request had wholly arrived. A small rest is waited for, so that the connection can
 * go on; a large one, or one that doesn't come, ends it.
 */
function awaitRemainingBody(connection: Connection, reply: ServerResponse, isDraining: () => boolean): void {
  const { req } = reply;
  const isSmall = Number(req.headers['content-length']) <= SMALL_REST_BYTES;
  const timer = setTimeout(() => halfClose(connection), isSmall ? SMALL_REST_MS : 0);
  // Nobody reads it any more, and what nobody reads would stop the client from sending on, and reading.
  req.removeAllListeners('data');
  req.resume();
  req.once('close', () => {
    clearTimeout(timer);
    requestDone(connection, reply, isDraining);
  });
}

function sendFinalResponse(connection: Connection): void {
  const { socket, finalResponse: farewell } = connection;
  const isSaid = farewell !== undefined && farewell !== '' && socket.writable && !connection.halfClosed;
  if (isSaid) socket.write(farewell);
  halfClose(connection);
}

/** Takes a reply away from the application: what it still writes to it goes nowhere. */
function takeOverResponse(connection: Connection, reply: ServerResponse): void {
  reply.off('close', connection.onResponseClosed);
  // Whoever still waits for the body must not get it now: the end of the connection tells so.
  connection.socket.once('finish', () => connection.socket.destroy());
  connection.pending -= 1;
  connection.newest = undefined;
  reply.writeHead = () => reply;
  reply.flushHeaders = ignore;
  reply.write = () => true;
  reply.end = () => reply;
}

/** Says to the peer that no more will come, and waits a bounded time for the peer to have taken it and to close. */
function halfClose(connection: Connection): void {
  const { socket } = connection;
  connection.closing = true;
  if (connection.halfClosed || socket.destroyed) return;
  connection.halfClosed = true;
  const start = socket.bytesRead;
  let checksLeft = LINGER_MS / LINGER_CHECK_MS;
  const timer = setInterval(() => {
    checksLeft -= 1;
    if (checksLeft <= 0) socket.destroy();
    else if (socket.bytesRead - start > LINGER_BYTES) socket.pause();
  }, LINGER_CHECK_MS);
  socket.once('close', () => clearInterval(timer));
  socket.end();
}
