import type { Clock } from '../../../ports/clock.ts';
import { createRedisClient, type RedisClient } from './client.ts';
import { toStoreError } from './errors.ts';

/** Options of {@link createReconnectingClient}. */
export interface ReconnectingClientOptions {
  /** `redis://` or `rediss://`, credentials included. It is never logged. */
  readonly url: string;
  /** A connection on which nothing is sent or received for this many milliseconds is closed and re-established. */
  readonly socketTimeoutMs: number;
  readonly clock: Pick<Clock, 'after'>;
  /** Called for every connection that is established. */
  readonly onReady: () => void;
  /** Called when a connection breaks, or an attempt to connect fails; the reason is one safe word. */
  readonly onDisconnected: (reason: string) => void;
}

/** A client of the store that reconnects after every outage. */
export interface ReconnectingClient {
  /** The client while it is connected, else undefined. */
  readonly ready: RedisClient | undefined;
  /** Starts to connect. */
  open(): void;
  /** Closes the connection and opens a new one after a delay; `reason` is passed to `onDisconnected`. */
  reopen(reason: string): void;
  /** Resets the delay before the next reconnect to the shortest. Without a reset each delay is twice the last. */
  resetDelay(): void;
  /** Closes the connection at once; pending commands reject. */
  close(): void;
}

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;

/** Creates a {@link ReconnectingClient}: node-redis reconnects by itself, except after a reply that it cannot parse. */
export function createReconnectingClient(options: ReconnectingClientOptions): ReconnectingClient {
  const { url, socketTimeoutMs, clock, onReady, onDisconnected } = options;
  let client: RedisClient | undefined;
  let attempts = 0;
  let cancelOpen = (): void => undefined;

  function reconnectDelayMs(): number {
    const delay = FIRST_DELAY_MS * 2 ** attempts;
    attempts++;
    return Math.min(delay, MAX_DELAY_MS);
  }

  function open(): void {
    try {
      connect(createRedisClient({ url, socketTimeoutMs, reconnectDelayMs }));
    } catch (error) {
      // The URL is malformed. The error is not reported, because its text contains the URL and so the password.
      onDisconnected(toStoreError(error).reason);
    }
  }

  function connect(opened: RedisClient): void {
    client = opened;
    opened.on('ready', () => {
      // A client that was destroyed while it connected still opens its socket.
      if (opened === client) onReady();
      else opened.destroy();
    });
    opened.on('error', (error: unknown) => {
      if (opened !== client) return;
      const { reason } = toStoreError(error);
      // After a reply that it cannot parse, the client cannot assign the later ones to their commands.
      if (opened.isReady) reopen(reason);
      else onDisconnected(reason);
    });
    // Settles only when the client is connected or destroyed; failed attempts are reported by 'error'.
    opened.connect().catch(() => undefined);
  }

  function reopen(reason: string): void {
    destroy();
    onDisconnected(reason);
    cancelOpen = clock.after(reconnectDelayMs(), open);
  }

  function destroy(): void {
    const opened = client;
    client = undefined;
    opened?.destroy();
  }

  return {
    get ready() {
      return client?.isReady ? client : undefined;
    },
    open,
    reopen,
    resetDelay() {
      attempts = 0;
    },
    close() {
      cancelOpen();
      destroy();
    },
  };
}
