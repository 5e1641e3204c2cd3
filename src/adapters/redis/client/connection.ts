import type { Clock } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Telemetry } from '../../../ports/telemetry.ts';
import { CONNECT_WITHIN_MS, openClient } from './client.ts';
import { StoreFault, toFault } from './errors.ts';
import { within } from './timeout.ts';

/** Sends one command and returns its reply, or rejects with a {@link StoreFault} when `timeoutMs` are over. */
export type Send = (command: readonly string[], timeoutMs?: number) => Promise<unknown>;

/**
 * How the store is: `away` no connection, or one on which nothing answers; `failing` it answers, but cannot be
 * written to; `available` it serves.
 */
export type ConnectionState = 'away' | 'failing' | 'available';

export interface ConnectionOptions {
  /** `redis://` or `rediss://`, credentials included. It is never logged. */
  readonly url: string;
  /** The longest that a command may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'after'>;
  readonly logger: Logger;
  /** Each command that is sent for somebody is a span of theirs; absent, none is. */
  readonly telemetry?: Pick<Telemetry, 'span'> | undefined;
  /** What this connection serves, for the log. */
  readonly purpose: string;
  /** Milliseconds between two checks. */
  readonly checkEveryMs: number;
  /**
   * Finds out whether the store serves; throws where it does not. `fresh` says that it is the first check on a new
   * connection.
   */
  readonly check: (send: Send, fresh: boolean) => Promise<void>;
  /** Called after every check that found the store serving. */
  readonly onServing?: (() => void) | undefined;
}

/** A connection that is made again for ever, and knows at any moment how the store is. */
export interface Connection {
  readonly state: ConnectionState;
  /** Begins to connect. Resolves once the first attempt came to something, within a second either way. */
  start(): Promise<void>;
  /** As {@link Send}; fails at once while the store is away, so that no command waits for it to come back. */
  readonly send: Send;
  /** Checks now rather than when it is time. */
  recheck(): Promise<void>;
  /** Ends the connection, whatever is under way. */
  close(): void;
}

/** The longest that a check may take, in milliseconds, however long commands may. */
const CHECK_WITHIN_MS = 1_000;

/** Milliseconds before the second attempt to connect; every further wait doubles, up to a second. */
const FIRST_WAIT_MS = 50;

/** Checks without an answer, one after the other, after which the connection is made anew. */
const SILENT_CHECKS = 2;

type Client = ReturnType<typeof openClient>;

export function createConnection(options: ConnectionOptions): Connection {
  const { url, timeoutMs, clock, logger, telemetry, purpose, check, checkEveryMs, onServing } = options;
  const checkMs = Math.min(timeoutMs, CHECK_WITHIN_MS);
  let client: Client | undefined;
  let connecting: Client | undefined;
  let state: ConnectionState | undefined;
  let checking: Promise<void> | undefined;
  let cancelTimer = (): void => undefined;
  let failedAttempts = 0;
  let silentChecks = 0;
  let fresh = false;
  let closed = false;

  function enter(next: ConnectionState, reason: string): void {
    if (next === state || closed) return;
    if (next === 'available') logger.info('the store is available', { purpose });
    else logger.warn('the store is not available', { purpose, state: next, reason });
    state = next;
  }

  async function connect(): Promise<void> {
    let next: Client | undefined;
    try {
      next = openClient(url);
      connecting = next;
      listen(next);
      await within(next.connect(), CONNECT_WITHIN_MS, clock);
    } catch (error) {
      next?.destroy();
      enter('away', toFault(error).reason);
      reconnectLater();
      return;
    }
    connecting = undefined;
    if (closed) return next.destroy();
    client = next;
    fresh = true;
    silentChecks = 0;
    await recheck();
  }

  function listen(next: Client): void {
    next.on('error', (error: unknown) => {
      if (next === client) drop(next, toFault(error).reason);
    });
  }

  function drop(current: Client, reason: string): void {
    client = undefined;
    cancelTimer();
    current.destroy();
    enter('away', reason);
    reconnectLater();
  }

  function reconnectLater(): void {
    if (closed) return;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failedAttempts, 10), 1_000);
    failedAttempts++;
    cancelTimer = clock.after(wait, () => void connect());
  }

  async function checkOn(current: Client): Promise<void> {
    cancelTimer();
    try {
      await check((command) => sendOn(current, command, checkMs), fresh);
      fresh = false;
      failedAttempts = 0;
      silentChecks = 0;
      if (current !== client) return;
      enter('available', '');
      onServing?.();
    } catch (error) {
      if (current === client) failed(current, toFault(error));
    }
    if (current !== client || closed) return;
    cancelTimer = clock.after(silentChecks > 0 ? 0 : checkEveryMs, () => void recheck());
  }

  function failed(current: Client, { kind, reason }: StoreFault): void {
    silentChecks = kind === 'timeout' ? silentChecks + 1 : 0;
    // What was the primary has become a replica: the address may lead to the new primary by now.
    const demoted = reason === 'READONLY';
    if (silentChecks >= SILENT_CHECKS || demoted) drop(current, reason);
    else enter(kind === 'reply' ? 'failing' : 'away', reason);
  }

  function recheck(): Promise<void> {
    if (client === undefined) return Promise.resolve();
    checking ??= checkOn(client).finally(() => {
      checking = undefined;
    });
    return checking;
  }

  function sendOn(current: Client, command: readonly string[], ms: number): Promise<unknown> {
    return within(current.sendCommand([...command]), ms, clock);
  }

  async function send(command: readonly string[], ms: number): Promise<unknown> {
    if (client === undefined || state === undefined || state === 'away')
      throw new StoreFault('away', 'DISCONNECTED');
    try {
      return await sendOn(client, command, ms);
    } catch (error) {
      if (concernsAll(toFault(error))) void recheck();
      throw error;
    }
  }

  return {
    get state() {
      return state ?? 'away';
    },
    async start() {
      await within(connect(), CHECK_WITHIN_MS, clock).catch(() => undefined);
    },
    send(command, ms = timeoutMs) {
      if (telemetry === undefined) return send(command, ms);
      const operation = command[0] ?? '';
      return telemetry.span('store_command', { operation }, () => send(command, ms));
    },
    recheck,
    close() {
      closed = true;
      cancelTimer();
      const open = client ?? connecting;
      client = undefined;
      connecting = undefined;
      state = 'away';
      open?.destroy();
    },
  };
}

/** Error replies that are about one command alone. */
const harmless = ['ERR', 'NOSCRIPT', 'WRONGTYPE'];

/** True for faults that may concern every command: the store is to be asked at once how it is. */
function concernsAll({ kind, reason }: StoreFault): boolean {
  return kind === 'timeout' || (kind === 'reply' && !harmless.includes(reason));
}
