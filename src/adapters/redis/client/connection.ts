import type { Clock } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Telemetry } from '../../../ports/telemetry.ts';
import { createRedisClient, type RedisClient } from './client.ts';
import { StoreError, toStoreError } from './errors.ts';
import { withReplyTimeout } from './timeout.ts';

/**
 * The state of the store: `disconnected` there is no connection, or no reply comes over it; `read_only` the store
 * replies, but takes no writes; `available` it serves.
 */
export type ConnectionState = 'disconnected' | 'read_only' | 'available';

export interface ConnectionOptions {
  /** `redis://` or `rediss://`, credentials included. It is never logged. */
  readonly url: string;
  /** The longest that a command may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'after'>;
  readonly logger: Logger;
  /** Each command becomes a child span of the span that is active; no spans when absent. */
  readonly telemetry?: Pick<Telemetry, 'span'> | undefined;
  /** What this connection is for; a field of its log lines. */
  readonly purpose: string;
  /** Milliseconds between two checks. */
  readonly checkEveryMs: number;
  /** Resolves when the store serves, else rejects. `isNew` is true for the first check on a new connection. */
  readonly check: (client: RedisClient, isNew: boolean) => Promise<void>;
  /** Called after every check that succeeded. Must not throw. */
  readonly onAvailable?: (() => void) | undefined;
}

/** A connection that is re-established after every outage. Its state is known without asking the store. */
export interface Connection {
  readonly state: ConnectionState;
  /** Starts to connect. Resolves when the state is known, after at most a second. */
  start(): Promise<void>;
  /**
   * Sends the command that `command` calls on the client; `operation` names it in spans. Rejects with `StoreError`
   * after `timeoutMs` milliseconds (by default those of the options), and at once while the state is `disconnected`:
   * no command is queued until the store is back.
   */
  run<T>(operation: string, command: (client: RedisClient) => Promise<T>, timeoutMs?: number): Promise<T>;
  /** Checks the store now instead of at the next interval. Resolves after at most a second; never rejects. */
  checkNow(): Promise<void>;
  /** Closes the connection at once; pending commands reject. */
  close(): void;
}

/** The longest that a check may take before the state is `disconnected`, in milliseconds. */
const MAX_CHECK_MS = 1_000;

const FIRST_RECONNECT_DELAY_MS = 50;
const MAX_RECONNECT_DELAY_MS = 1_000;

/** Error replies that concern one command only. */
const commandErrors = ['ERR', 'NOSCRIPT', 'WRONGTYPE'];

/**
 * Creates a {@link Connection}. The checks are ours, not the client's `pingInterval`: only a write shows that the store
 * takes writes. A check that gets no reply stays pending: it ends with a late reply, or with the socket timeout of the
 * client, which then reconnects.
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { url, timeoutMs, clock, logger, telemetry, purpose, check, checkEveryMs, onAvailable } = options;
  const checkTimeoutMs = Math.min(timeoutMs, MAX_CHECK_MS);
  const stateKnown = Promise.withResolvers<void>();
  let client: RedisClient | undefined;
  let state: ConnectionState | undefined;
  let checking: Promise<void> | undefined;
  let cancelTimer = (): void => undefined;
  let failedAttempts = 0;
  let isNew = true;

  function setState(next: ConnectionState, reason?: string): void {
    stateKnown.resolve();
    if (next === state) return;
    state = next;
    if (next === 'available') logger.info('the store is available', { purpose });
    else logger.warn('the store is not available', { purpose, state: next, reason });
  }

  function reconnectDelayMs(): number {
    const delay = FIRST_RECONNECT_DELAY_MS * 2 ** failedAttempts;
    failedAttempts++;
    return Math.min(delay, MAX_RECONNECT_DELAY_MS);
  }

  function open(): void {
    try {
      const socketTimeoutMs = checkEveryMs + 2 * checkTimeoutMs;
      connect(createRedisClient({ url, socketTimeoutMs, reconnectDelayMs }));
    } catch (error) {
      // The URL is malformed. The error is not passed on, because it quotes the URL and with it the password.
      setState('disconnected', toStoreError(error).reason);
    }
  }

  function connect(opened: RedisClient): void {
    client = opened;
    opened.on('ready', () => {
      // A client that was destroyed while it connected still opens its socket.
      if (opened !== client) return opened.destroy();
      isNew = true;
      void checkNow();
    });
    opened.on('error', (error: unknown) => {
      if (opened === client) onClientError(opened, toStoreError(error).reason);
    });
    // Settles only when the client is connected or destroyed; failed attempts are reported by 'error'.
    opened.connect().catch(() => undefined);
  }

  function onClientError(current: RedisClient, reason: string): void {
    cancelTimer();
    // The client does not reconnect after a reply that it cannot parse, and can assign no later reply to its command.
    if (current.isReady) reopen(current, reason);
    else setState('disconnected', reason);
  }

  function reopen(current: RedisClient, reason: string): void {
    cancelTimer();
    client = undefined;
    current.destroy();
    setState('disconnected', reason);
    cancelTimer = clock.after(reconnectDelayMs(), open);
  }

  async function checkClient(current: RedisClient): Promise<void> {
    cancelTimer();
    const pending = check(current, isNew);
    withReplyTimeout(pending, checkTimeoutMs, clock).catch(({ kind, reason }: StoreError) => {
      if (kind === 'timeout' && current === client) setState('disconnected', reason);
    });
    try {
      await pending;
      if (current !== client) return;
      isNew = false;
      failedAttempts = 0;
      setState('available');
      onAvailable?.();
    } catch (error) {
      if (current === client && current.isReady) onFailedCheck(current, toStoreError(error));
    }
    if (current === client && current.isReady) cancelTimer = clock.after(checkEveryMs, () => void checkNow());
  }

  function onFailedCheck(current: RedisClient, { kind, reason }: StoreError): void {
    // The primary has become a replica: the address may lead to the new primary now.
    if (reason === 'READONLY') reopen(current, reason);
    else setState(kind === 'reply' ? 'read_only' : 'disconnected', reason);
  }

  async function checkNow(): Promise<void> {
    if (client === undefined || !client.isReady) return;
    checking ??= checkClient(client).finally(() => {
      checking = undefined;
    });
    await withReplyTimeout(checking, checkTimeoutMs, clock).catch(() => undefined);
  }

  async function send<T>(command: (client: RedisClient) => Promise<T>, ms: number): Promise<T> {
    if (client === undefined || state === undefined || state === 'disconnected')
      throw new StoreError('disconnected', 'DISCONNECTED');
    try {
      return await withReplyTimeout(command(client), ms, clock);
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
      open();
      await withReplyTimeout(stateKnown.promise, MAX_CHECK_MS, clock).catch(() => undefined);
    },
    run(operation, command, ms = timeoutMs) {
      if (telemetry === undefined) return send(command, ms);
      return telemetry.span('store_command', { operation }, () => send(command, ms));
    },
    checkNow,
    close() {
      cancelTimer();
      const open = client;
      client = undefined;
      state = 'disconnected';
      open?.destroy();
    },
  };
}

function concernsAllCommands({ kind, reason }: StoreError): boolean {
  return kind === 'timeout' || (kind === 'reply' && !commandErrors.includes(reason));
}
