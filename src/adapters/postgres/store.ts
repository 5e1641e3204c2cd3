import { Client, type ClientConfig } from 'pg';
import type { Clock } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { Store, Stored, Table, TableShape } from '../../ports/storage/store.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { createSharedRateLimiter, type SharedRateLimiterOptions } from '../shared/shared-rate-limiter.ts';
import { createWatch, payloadOf } from '../shared/store-watch.ts';
import { createConnection } from './connection.ts';
import {
  isConflict,
  isTransient,
  PostgresStartError,
  QueryError,
  toQueryError,
  toUnavailable,
} from './errors.ts';
import { createLayout, decodeText, encodeText } from './layout.ts';
import { migrate } from './migrations.ts';
import { createPostgresWindowCounter } from './rate-limiter.ts';
import {
  commitStatement,
  countStatement,
  eventsStatement,
  moveStatement,
  rangeStatement,
  readStatement,
  removeExpiredStatement,
  type Statement,
  takeStatement,
} from './statements.ts';

/** Options of {@link createPostgresStore}. */
export interface PostgresStoreOptions {
  /** `postgres://` or `postgresql://`, credentials included; never logged. The `PG…` variables fill what it lacks. */
  readonly url: string;
  /** Where the tables are; made at the first start. Of the form `[a-z_][a-z0-9_]{0,62}`. */
  readonly schema: string;
  /** The number of connections that run statements. One more checks the server and receives notices. */
  readonly poolSize: number;
  /** Timeout of each member of the store, in milliseconds. */
  readonly timeoutMs: number;
  readonly tables: readonly TableShape[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Each statement becomes a child span of the span that is active; no spans when absent. */
  readonly telemetry?: Pick<Telemetry, 'span'> | undefined;
  /** Milliseconds between two checks of the server; 1,000 when absent. */
  readonly checkEveryMs?: number | undefined;
}

/** A store in PostgreSQL. */
export interface PostgresStore {
  readonly store: Store;
  /** The state of the server at its last check, without another round trip. */
  readonly probe: HealthProbe;
  /**
   * Starts to connect, and migrates the schema as soon as the server is there. Resolves within a second, whether it is
   * or not. Rejects with {@link PostgresStartError} where by then the server is known to be of no use: the schema is
   * newer than this program, or the server is older than PostgreSQL 15.
   */
  start(): Promise<void>;
  /** Creates a limiter that counts for all processes together. */
  rateLimiter(options: SharedRateLimiterOptions): RateLimiter;
  /** Closes all connections, once the statements that run have ended. */
  close(): Promise<void>;
}

/** The number of times that a statement is sent which the server ends because of others. */
const MAX_ATTEMPTS = 5;

/**
 * Creates a store of rows in a schema of PostgreSQL, for one process or many. Nothing connects before `start`. Throws
 * {@link PostgresStartError} for a malformed `url` or `schema`.
 */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { schema, clock, logger, checkEveryMs = 1_000 } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new PostgresStartError('DATABASE_SCHEMA: must be of the form [a-z_][a-z0-9_]{0,62}');
  const layout = createLayout(schema, options.tables);
  const onAvailable: (() => void)[] = [];

  const watching = createWatch({
    clock,
    isAvailable: () => connection.state === 'available',
    listen: () => connection.listen(),
    async send(payload) {
      await connection.run('notify', { text: 'SELECT pg_notify($1, $2)', values: [layout.channel, payload] });
    },
  });
  const connection = createConnection({
    config: parseConnection(options.url),
    poolSize: options.poolSize,
    timeoutMs: options.timeoutMs,
    telemetry: options.telemetry,
    clock,
    logger,
    checkEveryMs,
    channel: layout.schema,
    async prepare(client) {
      const ran = await migrate(client, layout);
      if (ran > 0) logger.info('the schema of the store was migrated', { schema, migrations: ran });
    },
    onAvailable() {
      for (const callback of onAvailable) callback();
    },
    onListening: () => watching.renew(),
    onNotice: (payload) => watching.receive(payload),
  });

  function assertAvailable(): void {
    if (connection.state === 'available') return;
    const kind = connection.state === 'read_only' ? 'reply' : 'disconnected';
    throw toUnavailable(new QueryError(kind, 'UNAVAILABLE'));
  }

  /**
   * The rows of a statement; none where there is none, because nothing can fit. With `mayConflict` also for a conflict.
   */
  async function run(
    operation: string,
    statement: Statement | undefined,
    mayConflict = false,
  ): Promise<readonly (readonly unknown[])[]> {
    assertAvailable();
    if (statement === undefined) return [];
    for (let attempt = 1; ; attempt++) {
      try {
        return await connection.run(operation, statement);
      } catch (error) {
        const queryError = toQueryError(error);
        if (mayConflict && isConflict(queryError)) return [];
        if (!isTransient(queryError) || attempt === MAX_ATTEMPTS) throw toUnavailable(queryError);
      }
    }
  }

  async function readRows<R extends object>(
    table: Table<R>,
    operation: string,
    statement: Statement | undefined,
  ) {
    const rows = await run(operation, statement);
    return rows.map((columns) => toStored(table, columns));
  }

  async function readNumber(operation: string, statement: Statement | undefined): Promise<number> {
    const [row] = await run(operation, statement);
    return Number(row?.[0] ?? 0);
  }

  const now = (): number => connection.now();

  const store: Store = {
    assertAvailable,
    now,
    async read(table, ids, withBody?: boolean) {
      const found = await run(
        'read',
        ids.length === 0 ? undefined : readStatement(layout, table.name, { ids, withBody, now: now() }),
      );
      const byId = new Map(found.map((columns) => [columns[0], columns]));
      return ids.map((id) => {
        const columns = byId.get(encodeText(id));
        return columns && toStored(table, columns);
      });
    },
    async commit(changes, notices = []) {
      assertAvailable();
      if (changes.length === 0 && notices.length === 0) return [];
      const { places, ...statement } = commitStatement(layout, changes, notices.map(payloadOf), now());
      const [row] = await run('commit', statement, true);
      if (row === undefined) return undefined;
      watching.sent(notices);
      const versions = Array.isArray(row[0]) ? row[0].map(Number) : [];
      return places.map((place) => versions[place] ?? 0);
    },
    range: async (table, request) =>
      readRows(table, 'range', rangeStatement(layout, table.name, request, now())),
    count: async (table, selection) =>
      readNumber('count', countStatement(layout, table.name, selection, now())),
    take: async (table, request) =>
      readRows(table, 'take', takeStatement(layout, table.name, request, now())),
    move: async (table, selection, index, to) =>
      readNumber('move', moveStatement(layout, table.name, { selection, index, to, now: now() })),
    async events(table, id, after, limit) {
      const rows = await run('events', eventsStatement(layout, table.name, { id, after, limit, now: now() }));
      return rows.map(([event]) => String(event));
    },
    watch: watching.watch,
    removeExpired: async (table, limit) =>
      readNumber('remove_expired', removeExpiredStatement(layout, table.name, limit, now())),
    onAvailable(callback) {
      onAvailable.push(callback);
    },
  };

  async function close(): Promise<void> {
    watching.close();
    await connection.close();
  }

  return {
    store,
    probe: async () => (connection.state === 'available' ? 'ok' : 'error'),
    async start() {
      try {
        await connection.start();
      } catch (error) {
        await close();
        throw error;
      }
    },
    rateLimiter(limits) {
      const counter = createPostgresWindowCounter(limits, layout, connection, clock);
      return createSharedRateLimiter(limits, counter, { clock, logger });
    },
    close,
  };
}

/** The settings of the client for a URL. Throws {@link PostgresStartError}, which does not contain it. */
function parseConnection(url: string): ClientConfig {
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw new PostgresStartError('DATABASE_URL: must begin with postgres:// or postgresql://');
  const config = {
    connectionString: url,
    fallback_application_name: 'orchestration',
    keepAlive: true,
  };
  try {
    // The client parses the URL, and reads the files that it names.
    new Client(config);
  } catch (error) {
    const isFile = error instanceof Error && 'syscall' in error;
    throw new PostgresStartError(
      isFile ? 'DATABASE_URL: a file that it names cannot be read' : 'DATABASE_URL: is malformed',
    );
  }
  return config;
}

function toStored<R extends object>(
  _: Table<R>,
  [id, version, position, json, body]: readonly unknown[],
): Stored<R> {
  return {
    id: decodeText(String(id)),
    version: Number(version),
    position: Number(position),
    row: JSON.parse(String(json)),
    ...(typeof body === 'string' ? { body } : {}),
  };
}
