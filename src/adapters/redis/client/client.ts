import { createClient } from 'redis';

/** The longest that making a connection may take, in milliseconds. */
export const CONNECT_WITHIN_MS = 2_000;

/** A client for one connection: it keeps no queue, repeats nothing, and leaves waiting and connecting anew to us. */
export function openClient(url: string) {
  return createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    commandOptions: { timeout: 0 },
    socket: { reconnectStrategy: false, connectTimeout: CONNECT_WITHIN_MS },
  });
}
