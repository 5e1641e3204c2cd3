import { createClient } from '@redis/client';
import { rateLimitScripts } from '../rate-limiter.ts';
import { storeScripts } from '../scripts.ts';

/** Timeout of establishing a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;

/** Options of {@link createRedisClient}. */
export interface ClientOptions {
  /** `redis://` or `rediss://`, credentials included. It is never logged. */
  readonly url: string;
  /** A connection on which nothing is sent or received for this many milliseconds is closed and re-established. */
  readonly socketTimeoutMs: number;
  /** Milliseconds to wait before the next attempt to connect. */
  readonly reconnectDelayMs: () => number;
}

/** A client of node-redis with this service's scripts as commands. */
export type RedisClient = ReturnType<typeof createRedisClient>;

/**
 * Creates a client that reconnects by itself, and rejects every command that cannot be sent now: without the offline
 * queue, nothing is replayed after an outage. Its own command timeout covers only the time before a command is
 * written, so `Connection` limits the time of commands instead.
 */
export function createRedisClient({ url, socketTimeoutMs, reconnectDelayMs }: ClientOptions) {
  return createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: socketTimeoutMs,
      reconnectStrategy: reconnectDelayMs,
    },
    scripts: { ...storeScripts, ...rateLimitScripts },
  });
}
