import { createClient } from '@redis/client';

/** Receives messages over a connection of its own, which is open only while there are subscriptions. */
export interface Subscriber {
  /**
   * Calls `onMessage` for every message of a channel. Resolves when the subscription is active; it is renewed after
   * every outage. Messages may be lost. Rejects when it is closed before.
   */
  subscribe(channel: string, onMessage: (message: string) => void): Promise<void>;
  /** Ends a subscription. */
  unsubscribe(channel: string): void;
  /** Closes the connection; a later subscription opens it again. */
  close(): void;
}

/** Timeout of establishing a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;

/** Delay before the next attempt to connect, in milliseconds. */
const RECONNECT_DELAY_MS = 500;

/** Creates a {@link Subscriber}. `url` is never logged. */
export function createSubscriber(url: string): Subscriber {
  let client: ReturnType<typeof connect> | undefined;

  function connect() {
    const opened = createClient({
      url,
      RESP: 2,
      disableClientInfo: true,
      socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: RECONNECT_DELAY_MS },
    });
    // Errors concern the connection, which is established again; the poll of the waiters covers the outage.
    opened.on('error', () => undefined);
    opened.connect().catch(() => undefined);
    return opened;
  }

  return {
    async subscribe(channel, onMessage) {
      client ??= connect();
      await client.subscribe(channel, onMessage);
    },
    unsubscribe(channel) {
      client?.unsubscribe(channel).catch(() => undefined);
    },
    close() {
      client?.destroy();
      client = undefined;
    },
  };
}
