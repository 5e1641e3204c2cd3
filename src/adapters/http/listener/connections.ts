import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Connection, closeAfterNewest, isIdle, trackConnection } from './connection.ts';

/** All open connections of a listener. */
export interface Connections {
  /** True once {@link Connections.drain} was called. */
  readonly draining: boolean;
  /** The connection of a socket; undefined once it is closed. */
  get(socket: Duplex): Connection | undefined;
  /** See `RunningServer.drain`. */
  drain(graceMs: number): Promise<void>;
}

/** Tracks the connections that `server` accepts. */
export function trackConnections(server: Server): Connections {
  const open = new Map<Duplex, Connection>();
  let draining = false;
  let closed: Promise<void> | undefined;

  server.on('connection', (socket: Socket) => {
    open.set(socket, trackConnection(socket));
    socket.once('close', () => open.delete(socket));
  });
  server.on('timeout', (socket: Socket) => {
    const connection = open.get(socket);
    const isWaitingForApplication =
      connection !== undefined && connection.pending > 0 && socket.writableLength === 0;
    if (!isWaitingForApplication) socket.destroy();
  });

  function destroyAll(): void {
    for (const { socket } of open.values()) socket.destroy();
  }

  /** Requests that arrived before the drain are read first: one turn of the event loop reads them. */
  function destroyIdleSoon(): void {
    setImmediate(() =>
      setImmediate(() => {
        for (const connection of open.values()) {
          if (isIdle(connection)) connection.socket.destroy();
        }
      }),
    );
  }

  return {
    get draining() {
      return draining;
    },
    get: (socket) => open.get(socket),
    async drain(graceMs) {
      draining = true;
      closed ??= stopListening(server);
      for (const connection of open.values()) if (connection.pending > 0) closeAfterNewest(connection);
      if (graceMs <= 0) destroyAll();
      else destroyIdleSoon();
      const grace = setTimeout(destroyAll, graceMs);
      await closed;
      clearTimeout(grace);
    },
  };
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
