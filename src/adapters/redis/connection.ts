import { createClient } from '@redis/client';
import { TimeoutError } from '../../lib/async/timeout.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { withReplyTimeout as withTimeout } from '../shared/reply-timeout.ts';
import { StoreError, toStoreError } from './replies.ts';
import { scripts } from './scripts.ts';

/**
 * The state of the store: `disconnected` when there is no connection, or no reply arrives on it; `read_only` when the
 * store replies, but accepts no writes; `available` when it accepts writes.
 */
type ConnectionState = 'disconnected' | 'read_only' | 'available';

/** Options of {@link createConnection}. */
interface ConnectionOptions {
  /** `redis://` or `rediss://`, credentials included. It is never logged. */
  readonly url: string;
  /** Timeout of a command, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'after'>;
  readonly logger: Logger;
  /** Each command becomes a child span of the span that is active; no spans when absent. */
  readonly telemetry?: Pick<Telemetry, 'span'> | undefined;
  /** The use of this connection, a field of its log lines. */
  readonly purpose: string;
  /** Milliseconds between two checks. */
  readonly checkEveryMs: number;
  /** Resolves when the store is available, else rejects. `isNew` is true for the first check on a new connection. */
  readonly check: (client: RedisClient, isNew: boolean) => Promise<void>;
  /** Called each time that the store can be used, after a time in which it could not. Must not throw. */
  readonly onAvailable?: (() => void) | undefined;
}

/** A connection that is re-established after every outage. */
export interface Connection {
  /** The state at the last check, without another round trip. */
  readonly state: ConnectionState;
  /** Starts to connect. Resolves when the state is known, after at most a second. */
  start(): Promise<void>;
  /**
   * Sends the command that `command` calls on the client; `operation` names it in spans. Rejects with `StoreError`
   * after `timeoutMs` milliseconds (by default those of the options), and at once while the state is `disconnected`:
   * commands are never queued during an outage.
   */
  run<T>(operation: string, command: (client: RedisClient) => Promise<T>, timeoutMs?: number): Promise<T>;
  /** Checks the store now instead of at the next interval. Resolves after at most a second; never rejects. */
  checkNow(): Promise<void>;
  /** Closes the connection at once; pending commands reject. */
  close(): void;
}

/** Maximum duration of a check before the state is `disconnected`, in milliseconds. */
const MAX_CHECK_MS = 1_000;

/** Error replies that concern one command only. */
const commandErrors = ['ERR', 'NOSCRIPT', 'WRONGTYPE'];

/**
 * Creates a {@link Connection}. It runs its own checks instead of the client's `pingInterval`: only a write shows that
 * the store accepts writes. A check that gets no reply stays pending: it ends with a late reply, or with the socket
 * timeout of the client, which then reconnects.
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { url, timeoutMs, clock, logger, telemetry, purpose, check, checkEveryMs, onAvailable } = options;
  const checkTimeoutMs = Math.min(timeoutMs, MAX_CHECK_MS);
  const stateKnown = Promise.withResolvers<void>();
  let state: ConnectionState | undefined;
  let checking: Promise<void> | undefined;
  let cancelNextCheck = (): void => undefined;
  let isNew = true;

  const client = createReconnectingClient({
    url,
    socketTimeoutMs: checkEveryMs + 2 * checkTimeoutMs,
    clock,
    onReady() {
      isNew = true;
      void checkNow();
    },
    onDisconnected(reason) {
      cancelNextCheck();
      setState('disconnected', reason);
    },
  });

  function setState(next: ConnectionState, reason?: string): void {
    stateKnown.resolve();
    if (next === state) return;
    state = next;
    if (next === 'available') {
      logger.info('the store is available', { purpose });
      onAvailable?.();
    } else logger.warn('the store is not available', { purpose, state: next, reason });
  }

  async function checkNow(): Promise<void> {
    const { ready } = client;
    if (ready === undefined) return;
    checking ??= checkClient(ready).finally(() => {
      checking = undefined;
    });
    await withReplyTimeout(checking, checkTimeoutMs, clock).catch(() => undefined);
  }

  async function checkClient(checked: RedisClient): Promise<void> {
    cancelNextCheck();
    const pending = check(checked, isNew);
    withReplyTimeout(pending, checkTimeoutMs, clock).catch(({ kind, reason }: StoreError) => {
      if (kind === 'timeout' && client.ready === checked) setState('disconnected', reason);
    });
    try {
      await pending;
      if (client.ready === checked) onSuccessfulCheck();
    } catch (error) {
      if (client.ready === checked) onFailedCheck(toStoreError(error));
    }
    if (client.ready === checked) cancelNextCheck = clock.after(checkEveryMs, () => void checkNow());
  }

  function onSuccessfulCheck(): void {
    isNew = false;
    client.resetDelay();
    setState('available');
  }

  function onFailedCheck({ kind, reason }: StoreError): void {
    // The primary has become a replica: the address may resolve to the new primary now.
    if (reason === 'READONLY') client.reopen(reason);
    else setState(kind === 'reply' ? 'read_only' : 'disconnected', reason);
  }

  async function send<T>(command: (client: RedisClient) => Promise<T>, ms: number): Promise<T> {
    const { ready } = client;
    if (ready === undefined || state === undefined || state === 'disconnected')
      throw new StoreError('disconnected', 'DISCONNECTED');
    try {
      return await withReplyTimeout(command(ready), ms, clock);
    } catch (error) {
      if (concernsAllCommands(toStoreError(error))) void checkNow();
      throw error;
    }
  }

  return {
    get state() {
      return state ?? 'disconnected';
    },
    async start() {
      client.open();
      await withReplyTimeout(stateKnown.promise, MAX_CHECK_MS, clock).catch(() => undefined);
    },
    run(operation, command, ms = timeoutMs) {
      if (telemetry === undefined) return send(command, ms);
      return telemetry.span('store_command', { system: 'redis', operation }, () => send(command, ms));
    },
    checkNow,
    close() {
      cancelNextCheck();
      client.close();
      state = 'disconnected';
    },
  };
}

function concernsAllCommands({ kind, reason }: StoreError): boolean {
  return kind === 'timeout' || (kind === 'reply' && !commandErrors.includes(reason));
}

/** Options of {@link createReconnectingClient}. */
interface ReconnectingClientOptions {
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
interface ReconnectingClient {
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
function createReconnectingClient(options: ReconnectingClientOptions): ReconnectingClient {
  const { clock, onReady, onDisconnected } = options;
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
      connect(createRedisClient(options, reconnectDelayMs));
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

/** Timeout of establishing a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 2_000;

/** A client of node-redis with this service's scripts as commands. */
export type RedisClient = ReturnType<typeof createRedisClient>;

/**
 * Creates a client that reconnects by itself, and rejects every command that cannot be sent now: without the offline
 * queue, nothing is replayed after an outage. Its own command timeout covers only the time before a command is
 * written, so `Connection` limits the time of commands instead.
 */
function createRedisClient(
  { url, socketTimeoutMs }: Pick<ReconnectingClientOptions, 'url' | 'socketTimeoutMs'>,
  reconnectDelayMs: () => number,
) {
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
    scripts,
  });
}

/**
 * The outcome of `pending`, as a `StoreError` where it rejects; rejects with a `timeout` after `ms` milliseconds in
 * which this process could read replies, and a later outcome is ignored.
 */
function withReplyTimeout<T>(pending: Promise<T>, ms: number, clock: Pick<Clock, 'after'>): Promise<T> {
  return withTimeout(pending, ms, clock).catch((error: unknown) => {
    throw error instanceof TimeoutError ? new StoreError('timeout', 'TIMEOUT') : toStoreError(error);
  });
}
