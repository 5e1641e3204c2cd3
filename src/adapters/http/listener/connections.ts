import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Connection, closeAfterNewest, isIdle, watchConnection } from './connection.ts';

/** All open connections of a listener. */
export interface Connections {
  /** True once {@link Connections.drain} was called. */
  readonly draining: boolean;
  /** The connection of a socket; undefined once it is closed. */
  get(socket: Duplex): Connection | undefined;
  /** See `RunningServer.drain`. */
  drain(graceMs: number): Promise<void>;
}

/** Begins to watch the connections that `server` accepts. */
export function watchConnections(server: Server): Connections {
  const open = new Map<Duplex, Connection>();
  let draining = false;
  let closed: Promise<void> | undefined;

  server.on('connection', (socket: Socket) => {
    open.set(
      socket,
      watchConnection(socket, () => draining),
    );
    socket.once('close', () => open.delete(socket));
  });
  server.on('timeout', (socket: Socket) => {
    const connection = open.get(socket);
    const isWaitingForUs = connection !== undefined && connection.pending > 0 && socket.writableLength === 0;
    if (!isWaitingForUs) socket.destroy();
  });

  function cutAll(): void {
    for (const { socket } of open.values()) socket.destroy();
  }

  /** Requests that had arrived before the drain began are read first: one turn of the event loop reads them. */
  function endIdleSoon(): void {
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
      if (graceMs <= 0) cutAll();
      else endIdleSoon();
      const grace = setTimeout(cutAll, graceMs);
      await closed;
      clearTimeout(grace);
    },
  };
}

/**
 * Refuses new connections; resolves when the last one is gone. Node's own `close` would also destroy connections
 * whose reply is written but not yet sent, and would stop to look for slow requests: it comes last.
 */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => {
      server.close();
      resolve();
    });
  });
}
