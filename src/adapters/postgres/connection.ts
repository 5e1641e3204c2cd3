import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import { onAbort } from '../../lib/async/on-abort.ts';
import { sleep } from '../../lib/async/sleep.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { withReplyTimeout } from '../shared/reply-timeout.ts';
import { createServerTime } from '../shared/server-time.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import {
  concernsConnection,
  isConflict,
  isTransient,
  PostgresStartError,
  QueryError,
  READ_ONLY,
  toQueryError,
} from './errors.ts';
import type { Statement } from './statements.ts';

/**
 * The state of the server: `disconnected` when there is no connection, or no reply arrives on it; `read_only` when it
 * replies, but accepts no writes; `available` when it accepts writes.
 */
type ConnectionState = 'disconnected' | 'read_only' | 'available';

/** Options of {@link createConnection}. */
export interface ConnectionOptions {
  /** The address with its credentials. It is never logged. */
  readonly config: ClientConfig;
  /** The number of connections that run statements. One more checks the server and receives notices. */
  readonly poolSize: number;
  /** Timeout of a statement, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Each statement becomes a child span of the span that is active; no spans when absent. */
  readonly telemetry?: Pick<Telemetry, 'span'> | undefined;
  /** The channel of notices, as SQL names it. */
  readonly channel: string;
  /** Milliseconds between two checks. */
  readonly checkEveryMs: number;
  /** Prepares the schema, on each new connection that checks the server. */
  readonly prepare: (client: Client) => Promise<void>;
  /** Called each time that the server can be used, after a time in which it could not. Must not throw. */
  readonly onAvailable: () => void;
  /** Called each time that notices begin to arrive. Must not throw. */
  readonly onListening: () => void;
  /** Called for each notice. Must not throw. */
  readonly onNotice: (payload: string) => void;
}

/** Connections to a server that are made again after every outage. */
export interface Connection {
  /** The state at the last check, without another round trip. */
  readonly state: ConnectionState;
  /** The time of the server, in milliseconds since the epoch; that of this process before the first check. */
  now(): number;
  /**
   * Starts to connect. Resolves when the state is known, after at most a second; rejects with `PostgresStartError`
   * where the server can be reached by then, and cannot be used.
   */
  start(): Promise<void>;
  /**
   * Runs a statement and resolves to its rows; `operation` names it in spans. Rejects with `QueryError` within the
   * timeout, and at once unless the state is `available`.
   */
  run(operation: string, statement: Statement, timeoutMs?: number): Promise<readonly (readonly unknown[])[]>;
  /** Receives notices from now on. */
  listen(): void;
  /** Rejects statements from now on, and closes all connections once those that run have ended. */
  close(): Promise<void>;
}

/** Maximum duration of a check before the state is `disconnected`, in milliseconds. */
const MAX_CHECK_MS = 1_000;

/** Maximum duration of preparing the schema: another program may migrate it, which this one waits for. */
const MAX_PREPARE_MS = 600_000;

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;

/** A connection of the pool that is idle for this many milliseconds is closed. */
const IDLE_MS = 60_000;

const check = `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms,
  pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS is_read_only`;

/**
 * Creates a {@link Connection}. A connection of its own checks the server, so that a busy pool says nothing about the
 * server. When it breaks, the state stays until another one cannot be made.
 */
export function createConnection(options: ConnectionOptions): Connection {
  const { config, poolSize, timeoutMs, clock, logger, telemetry, checkEveryMs } = options;
  const checkTimeoutMs = Math.min(timeoutMs, MAX_CHECK_MS);
  const stateKnown = Promise.withResolvers<void>();
  const closing = new AbortController();
  const warnOfRefusal = createThrottledLog(logger, clock, 'the store has refused a statement');
  let state: ConnectionState | undefined;
  let pool = createPool();
  let isListeningWanted = false;
  let startError: PostgresStartError | undefined;
  const time = createServerTime(clock);
  let wake = (): void => undefined;
  let running: Promise<void> | undefined;

  function createPool(): Pool {
    const created = new Pool({
      ...config,
      max: poolSize,
      idleTimeoutMillis: IDLE_MS,
      connectionTimeoutMillis: timeoutMs,
    });
    // A broken connection is told by the statement that runs on it. An idle one that breaks is removed by the pool.
    created.on('connect', (client) => client.on('error', () => undefined));
    created.on('error', () => undefined);
    return created;
  }

  function setState(next: ConnectionState, reason?: string): void {
    stateKnown.resolve();
    if (next === state) return;
    const purpose = 'records';
    state = next;
    if (next === 'available') {
      logger.info('the store is available', { purpose });
      options.onAvailable();
      return;
    }
    logger.warn('the store is not available', { purpose, state: next, reason });
    // Its connections may wait for a server that is gone, even when another one has taken its place.
    void pool.end();
    pool = createPool();
  }

  /** Checks the server over and over; rejects when it cannot be used, and when this is closed. */
  async function watchServer(onSuccess: () => void): Promise<never> {
    const client = new Client(config);
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => undefined);
    client.on('error', lost.reject);
    client.on('end', () => lost.reject(new QueryError('disconnected', 'DISCONNECTED')));
    client.on('notification', ({ payload = '' }) => options.onNotice(payload));
    const within = <T>(pending: Promise<T>, ms = checkTimeoutMs): Promise<T> =>
      withReplyTimeout(Promise.race([pending, lost.promise]), ms, clock);
    const unsubscribe = onAbort(closing.signal, () => lost.reject(new QueryError('disconnected', 'CLOSED')));
    let isListening = false;
    try {
      await within(client.connect());
      await within(checkServer(client));
      await within(options.prepare(client), MAX_PREPARE_MS);
      for (;;) {
        await within(checkServer(client));
        const beginsToListen: boolean = isListeningWanted && !isListening;
        if (beginsToListen) await within(client.query(`LISTEN ${options.channel}`));
        isListening ||= beginsToListen;
        onSuccess();
        if (beginsToListen) options.onListening();
        await Promise.race([lost.promise, untilNextCheck()]);
      }
    } finally {
      unsubscribe();
      client.connection.stream.destroy();
    }
  }

  async function checkServer(client: Client): Promise<void> {
    const sentAt = clock.monotonic();
    const { rows } = await client.query<{ ms: number; is_read_only: boolean }>(check);
    const [reply] = rows;
    if (reply === undefined || reply.is_read_only) throw new QueryError('reply', READ_ONLY);
    time.observe(reply.ms, sentAt, clock.monotonic());
  }

  async function untilNextCheck(): Promise<void> {
    const waiting = new AbortController();
    wake = () => waiting.abort();
    await sleep(clock, checkEveryMs, waiting.signal);
  }

  async function keepConnected(): Promise<void> {
    let delayMs = FIRST_DELAY_MS;
    let mayBeThere = false;
    while (!closing.signal.aborted) {
      try {
        await watchServer(() => {
          delayMs = FIRST_DELAY_MS;
          mayBeThere = true;
          setState('available');
        });
      } catch (error) {
        if (closing.signal.aborted) return;
        const isLost = !(error instanceof PostgresStartError) && toQueryError(error).reason !== READ_ONLY;
        const triesAtOnce = mayBeThere && isLost && toQueryError(error).kind !== 'timeout';
        mayBeThere = false;
        if (triesAtOnce) continue;
        onFailure(error);
      }
      await sleep(clock, delayMs, closing.signal);
      delayMs = Math.min(2 * delayMs, MAX_DELAY_MS);
    }
  }

  function onFailure(error: unknown): void {
    if (error instanceof PostgresStartError) {
      if (startError?.message !== error.message) logger.error(error.message);
      startError = error;
      setState('disconnected', 'SCHEMA');
      return;
    }
    startError = undefined;
    const { reason } = toQueryError(error);
    setState(reason === READ_ONLY ? 'read_only' : 'disconnected', reason);
  }

  async function run(
    operation: string,
    statement: Statement,
    withinMs = timeoutMs,
  ): Promise<readonly (readonly unknown[])[]> {
    if (state !== 'available')
      throw new QueryError(state === 'read_only' ? 'reply' : 'disconnected', 'UNAVAILABLE');
    try {
      return await send(statement, withinMs);
    } catch (error) {
      const queryError = toQueryError(error);
      if (concernsConnection(queryError)) wake();
      else if (!isConflict(queryError) && !isTransient(queryError))
        warnOfRefusal({ operation, reason: queryError.reason }, operation);
      throw queryError;
    }
  }

  /** Gives up its connection, rather than to give it back, where it may be in the middle of a reply. */
  async function send(
    { text, values }: Statement,
    withinMs: number,
  ): Promise<readonly (readonly unknown[])[]> {
    let isOver = false;
    let release: ((isBroken: boolean) => void) | undefined;
    const pending = (async () => {
      const client: PoolClient = await pool.connect();
      release = (isBroken) => {
        release = undefined;
        client.release(isBroken);
      };
      if (isOver) {
        release(false);
        return [];
      }
      const { rows } = await client.query<unknown[]>({ text, values: [...values], rowMode: 'array' });
      release?.(false);
      return rows;
    })();
    try {
      return await withReplyTimeout(pending, withinMs, clock);
    } catch (error) {
      isOver = true;
      release?.(concernsConnection(toQueryError(error)));
      throw error;
    }
  }

  return {
    get state() {
      return state ?? 'disconnected';
    },
    now: time.now,
    async start() {
      running = keepConnected();
      await withReplyTimeout(stateKnown.promise, MAX_CHECK_MS, clock).catch(() => undefined);
      if (startError !== undefined) throw startError;
    },
    run(operation, statement, withinMs) {
      if (telemetry === undefined) return run(operation, statement, withinMs);
      const attributes = { system: 'postgresql', operation };
      return telemetry.span('store_command', attributes, () => run(operation, statement, withinMs));
    },
    listen() {
      isListeningWanted = true;
      wake();
    },
    async close() {
      if (closing.signal.aborted) return;
      state = 'disconnected';
      closing.abort();
      await Promise.all([running, pool.end()]);
    },
  };
}
