import type { Connection } from './connection.ts';

/** Milliseconds for which a half-closed connection is still read, so that its peer receives the complete response. */
const HALF_CLOSED_MS = 2_000;
/** Bytes that are read and discarded in that time; then the connection is no longer read. */
const HALF_CLOSED_BYTES = 32 * 1_024 * 1_024;
const HALF_CLOSED_CHECK_MS = 50;

/** Sends no more, and waits a limited time until the peer has received everything and closes the connection. */
export function halfClose(connection: Connection): void {
  const { socket } = connection;
  connection.closing = true;
  if (connection.halfClosed || socket.destroyed) return;
  connection.halfClosed = true;
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
