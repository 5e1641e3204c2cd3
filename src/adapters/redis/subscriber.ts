import { createClient } from '@redis/client';

/** Options of {@link createSubscriber}. */
export interface SubscriberOptions {
  /** `redis://` or `rediss://`, credentials included. It is never logged. */
  readonly url: string;
  readonly channel: string;
  /** Called for every message. Must not throw. */
  readonly onMessage: (message: string) => void;
  /** Called each time that messages begin to arrive. Must not throw. */
  readonly onListening: () => void;
}

/** Receives the messages of a channel over a connection of its own, which is established again after every outage. */
export interface Subscriber {
  /** Connects, unless it has before. */
  open(): void;
  /** Closes the connection. */
  close(): void;
}

/** Timeout of establishing a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;

/** Delay before the next attempt to connect, in milliseconds. */
const RECONNECT_DELAY_MS = 500;

/** A connection on which nothing arrives for this many milliseconds is established again. */
const SOCKET_TIMEOUT_MS = 20_000;

/** Creates a {@link Subscriber}. */
export function createSubscriber({ url, channel, onMessage, onListening }: SubscriberOptions): Subscriber {
  let client: ReturnType<typeof connect> | undefined;
  let isClosed = false;

  function connect() {
    const opened = createClient({
      url,
      RESP: 2,
      disableClientInfo: true,
      socket: {
        connectTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: SOCKET_TIMEOUT_MS,
        reconnectStrategy: RECONNECT_DELAY_MS,
      },
    });
    let isSubscribed = false;
    // Errors concern the connection, which is established again.
    opened.on('error', () => undefined);
    opened.on('ready', () => {
      // The client renews its subscriptions before it is ready.
      if (isSubscribed) onListening();
    });
    opened.connect().catch(() => undefined);
    opened.subscribe(channel, onMessage).then(
      () => {
        isSubscribed = true;
        onListening();
      },
      () => undefined,
    );
    return opened;
  }

  return {
    open() {
      if (isClosed) return;
      try {
        client ??= connect();
      } catch {
        // The URL is malformed, as the other connections tell.
      }
    },
    close() {
      isClosed = true;
      client?.destroy();
    },
  };
}
