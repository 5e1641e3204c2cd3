import type { Context } from 'hono';
import type { AppEnv } from '../env.ts';

/**
 * Calls `callback` when the client has closed its connection, unless the returned function is called before. The
 * listener lets clients half-close their connections, and so a closed one shows only at the next write; but nobody
 * closes a connection while it waits for events. Does nothing without a request of Node.
 */
export function onClientGone(c: Context<AppEnv>, callback: () => void): () => void {
  const { incoming, outgoing } = c.env ?? {};
  const socket = incoming?.socket;
  if (outgoing === undefined || socket?.once === undefined) return () => undefined;
  socket.once('end', callback);
  outgoing.once('close', callback);
  return () => {
    socket.off('end', callback);
    outgoing.off('close', callback);
  };
}
