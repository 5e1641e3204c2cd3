import { createClient } from '@redis/client';
import { createNodeRedisClient } from 'bullmq';
import { sleep } from '../../lib/async/sleep.ts';
import type { Clock } from '../../ports/clock.ts';

/** An error is reported with one safe word: see `reasonOf`. */
export type OnError = (error: unknown) => void;

/** Options of {@link openConnections}. */
export interface ConnectionOptions {
  /** `redis://` or `rediss://`, credentials included. It is never logged. */
  readonly url: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly onError: OnError;
  /** Called for every connection of the client of the commands that is established. */
  readonly onReady: (client: CommandClient) => void;
}

/** A client of node-redis whose commands reject at once while it is not connected. */
export type CommandClient = ReturnType<typeof createCommandClient>;

/** A client in the form that BullMQ takes. */
type BullmqClient = ReturnType<typeof createNodeRedisClient>;

/** The connections of a queue. They are established again after every outage, until they are closed. */
export interface Connections {
  readonly commands: CommandClient;
  /** The same client for BullMQ. */
  readonly queue: BullmqClient;
  /** Opens the two connections of a worker: BullMQ duplicates the returned client for its blocking reads. */
  openWorker(): BullmqClient;
  /** Closes all connections at once; pending commands reject. */
  close(): void;
}

/** Timeout of establishing a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;

/** Milliseconds between two pings, so that a connection without other traffic is not taken for a dead one. */
const PING_INTERVAL_MS = 2_000;

/** A connection on which nothing is sent or received for this many milliseconds is closed and re-established. */
const SOCKET_TIMEOUT_MS = 5_000;

/** The same for blocking reads, longer than the longest of them, which takes 10 seconds. */
const BLOCKING_SOCKET_TIMEOUT_MS = 15_000;

/** Milliseconds that a failed command of a worker takes at least. */
const FAILURE_DELAY_MS = 500;

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 500;

/** Opens the connection of the commands. */
export function openConnections({ url, clock, onError, onReady }: ConnectionOptions): Connections {
  const opened: Pick<CommandClient, 'destroy'>[] = [];
  const closed = new AbortController();

  /** Listeners on both: without one, an `error` event ends the process, and BullMQ removes its own when it closes. */
  function open(client: CommandClient | ReturnType<typeof createWorkerClient>): BullmqClient {
    opened.push(client);
    client.on('error', onError);
    // A client that was destroyed while it connected still opens its socket.
    client.on('ready', () => closed.signal.aborted && client.destroy());
    const adapter = createNodeRedisClient(client);
    adapter.on('error', () => undefined);
    return adapter;
  }

  /**
   * The worker repeats a command that failed at once: each failure takes a while, or a Redis that refuses is flooded.
   */
  function slowDown(client: BullmqClient): Pick<BullmqClient, 'runCommand'> {
    const runCommand = client.runCommand.bind(client);
    return {
      async runCommand(...args) {
        try {
          return await runCommand(...args);
        } catch (error) {
          await sleep(clock, FAILURE_DELAY_MS, closed.signal);
          throw error;
        }
      },
    };
  }

  const commands = createCommandClient(url);
  commands.on('ready', () => closed.signal.aborted || onReady(commands));
  const queue = open(commands);
  return {
    commands,
    queue,
    openWorker() {
      const blocking = open(createWorkerClient(url, BLOCKING_SOCKET_TIMEOUT_MS));
      const worker = open(createWorkerClient(url, SOCKET_TIMEOUT_MS, PING_INTERVAL_MS));
      return Object.assign(worker, { duplicate: () => blocking }, slowDown(worker));
    },
    close() {
      closed.abort();
      for (const client of opened) client.destroy();
    },
  };
}

/** Throws a `TypeError` for a URL that the client cannot use. The client's own error contains the password. */
export function checkUrl(url: string): void {
  try {
    if (url === '') throw new TypeError('no URL');
    createCommandClient(url).destroy();
  } catch {
    throw new TypeError('url: must be a redis:// or rediss:// URL');
  }
}

const common = { RESP: 2, disableClientInfo: true, commandOptions: { timeout: 0 } } as const;

function socketOptions(socketTimeout: number) {
  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout,
    reconnectStrategy: (retries: number) => Math.min(FIRST_DELAY_MS * 2 ** retries, MAX_DELAY_MS),
  };
}

function createCommandClient(url: string) {
  return createClient({
    ...common,
    ...{ url, disableOfflineQueue: true, pingInterval: PING_INTERVAL_MS },
    socket: socketOptions(SOCKET_TIMEOUT_MS),
  });
}

/**
 * A client whose commands wait while it is not connected: the worker of BullMQ would repeat those that reject at once
 * without a pause.
 */
function createWorkerClient(url: string, socketTimeoutMs: number, pingInterval = 0) {
  return createClient({ ...common, url, pingInterval, socket: socketOptions(socketTimeoutMs) });
}
