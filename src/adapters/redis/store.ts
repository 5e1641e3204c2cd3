import type { Clock } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { Store, Stored, Table, TableShape } from '../../ports/storage/store.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { createServerTime } from '../shared/server-time.ts';
import { createSharedRateLimiter, type SharedRateLimiterOptions } from '../shared/shared-rate-limiter.ts';
import { createWatch, payloadOf } from '../shared/store-watch.ts';
import { type Connection, createConnection, type RedisClient } from './connection.ts';
import { createFencedWrites } from './fenced-writes.ts';
import { createRedisWindowCounter } from './rate-limiter.ts';
import { asArray, asNumber, asString, StoreError, toUnavailable } from './replies.ts';
import {
  decodeId,
  encodeCommit,
  encodeId,
  encodeRange,
  encodeSelection,
  type FindRequest,
  nameOf,
} from './requests.ts';
import { createSubscriber } from './subscriber.ts';
import { createOldKeys, hasUnmigrated } from './version-06/keys.ts';

/** Options of {@link createRedisStore}. */
export interface RedisStoreOptions {
  /** `redis://` or `rediss://`, credentials included; never logged. */
  readonly url: string;
  /** Prefix of all keys. */
  readonly prefix: string;
  /** Timeout of each member of the store, in milliseconds. */
  readonly timeoutMs: number;
  readonly tables: readonly TableShape[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Each command becomes a child span of the span that is active; no spans when absent. */
  readonly telemetry?: Pick<Telemetry, 'span'> | undefined;
  /** Milliseconds between two checks of the server; 1,000 when absent. */
  readonly checkEveryMs?: number | undefined;
  /** True where records of version 0.6 that were not carried over do not matter; false when absent. */
  readonly allowsOldRecords?: boolean | undefined;
}

/** A store in Redis or Valkey, for one process or many. */
export interface RedisStore {
  readonly store: Store;
  /** The state of the server at its last check, without another round trip. */
  readonly probe: HealthProbe;
  /**
   * Starts to connect. Resolves within a second, whether the server is there or not. Rejects with {@link
   * RedisStartError} where by then the server is known to have records of version 0.6 that were not carried over. Where
   * that is known later the store logs it, and stays unavailable until they are.
   */
  start(): Promise<void>;
  /** Creates a limiter that counts for all processes together, over a connection of its own. Call it before `start`. */
  rateLimiter(options: SharedRateLimiterOptions): RateLimiter;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/** Rows that one script looks at; others are served between two of them. */
const LOOK_AT = 10_000;

/**
 * Creates a store of rows in Redis: a connection for them, one for notices while somebody listens, and one for each
 * limiter. Nothing connects before `start`.
 */
export function createRedisStore(options: RedisStoreOptions): RedisStore {
  const { url, prefix, timeoutMs, clock, logger, telemetry, checkEveryMs = 1_000 } = options;
  const shapes = new Map(options.tables.map((table) => [table.name, table]));
  const texts = new Map(options.tables.map(({ name, texts }) => [name, new Set(Object.keys(texts))]));
  const counter = [`${prefix}number`];
  const onAvailable: (() => void)[] = [];
  const time = createServerTime(clock);
  /** The greatest version that this process knows. A server that has lost its last writes must not give it again. */
  let newest = 0;

  const oldKeys = createOldKeys(prefix);
  let startError: RedisStartError | undefined;

  /** The next check asks again, so that the store is available as soon as they are carried over. */
  async function refuseOldRecords(client: RedisClient): Promise<void> {
    if (!(await hasUnmigrated(client, oldKeys))) {
      startError = undefined;
      return;
    }
    if (startError === undefined) {
      startError = new RedisStartError(oldRecordsText(prefix));
      logger.error(startError.message);
    }
    throw new StoreError('disconnected', 'OLD_RECORDS');
  }

  const shared = { url, timeoutMs, clock, logger, telemetry, checkEveryMs };
  const connection = createConnection({
    ...shared,
    purpose: 'records',
    async check(client, isNew) {
      if (isNew && options.allowsOldRecords !== true) await refuseOldRecords(client);
      const sentAt = clock.monotonic();
      const serverMs = await client.checkStore(counter, [String(newest)]);
      const receivedAt = clock.monotonic();
      time.observe(serverMs, sentAt, receivedAt);
      writes.observeTime(serverMs, receivedAt);
    },
    onAvailable() {
      for (const callback of onAvailable) callback();
    },
  });
  const writes = createFencedWrites(connection, clock, timeoutMs);
  const limiters: Connection[] = [];

  const channel = `${prefix}notices`;
  const watching = createWatch({
    clock,
    isAvailable: () => connection.state === 'available',
    listen: () => subscriber.open(),
    async send(payload) {
      await connection.run('notify', (client) => client.publish(channel, payload));
    },
  });
  const subscriber = createSubscriber({
    url,
    channel,
    onMessage: watching.receive,
    onListening: watching.renew,
  });

  /** The first values of all scripts after the deadline. */
  const common = (): readonly [string, string] => [String(time.now()), prefix];

  function shapeOf({ name }: TableShape): TableShape {
    const shape = shapes.get(name);
    if (shape === undefined) throw new Error(`${JSON.stringify(name)} is not a table of this store`);
    return shape;
  }

  /** Rejects with `unavailable` instead of a `StoreError`. */
  async function serve<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (connection.state === 'disconnected') throw new StoreError('disconnected', 'DISCONNECTED');
      return await work();
    } catch (error) {
      throw toUnavailable(error);
    }
  }

  const read = <T>(operation: string, command: (client: RedisClient) => Promise<T>): Promise<T> =>
    connection.run(operation, command);

  /** Reads a row by a command in the place of a script, which takes Redis longer. */
  async function readOne<R extends object>(table: Table<R>, id: string, withBody: boolean) {
    const key = `${prefix}rows:${table.name}:row:${nameOf(id)}`;
    const fields = withBody ? ['j', 'v', 'p', 'x', 'b'] : ['j', 'v', 'p', 'x'];
    const reply = asArray(await read('read', (client) => client.hmGet(key, fields)));
    const [json, version, position, expiresAt, body] = reply;
    if (reply.length !== fields.length) throw new StoreError('reply', 'UNEXPECTED');
    if (json === null || (expiresAt !== null && asNumber(expiresAt) <= time.now())) return undefined;
    return toStored(table, [encodeId(id), json, version, position, body]);
  }

  /** Calls `onPage` for each reply, until all rows were looked at or as many were found as the request wants. */
  async function find(
    operation: string,
    name: string,
    request: FindRequest,
    withBody: boolean,
    onPage: (rows: readonly unknown[], total: number) => number,
  ): Promise<void> {
    let rest: FindRequest = request;
    while (rest.l > 0) {
      const values = ['0', ...common(), name, withBody ? '1' : '0', JSON.stringify(rest)];
      const [rows, total, skip, place] = await read(operation, (client) => client.findRows(counter, values));
      const found = onPage(asArray(rows), asNumber(total));
      if (place === null || place === undefined) return;
      const [value, id] = asArray(place);
      rest = { ...rest, a: [asString(value), asString(id)], s: asNumber(skip), l: rest.l - found };
    }
  }

  const store: Store = {
    assertAvailable() {
      if (connection.state === 'available') return;
      const kind = connection.state === 'read_only' ? 'reply' : 'disconnected';
      throw toUnavailable(new StoreError(kind, 'UNAVAILABLE'));
    },
    now: time.now,
    read: (table, ids, withBody = false) =>
      serve(async () => {
        const [first, ...others] = ids;
        if (first === undefined) return [];
        const { name } = shapeOf(table);
        if (others.length === 0) return [await readOne(table, first, withBody)];
        const values = ['0', ...common(), name, withBody ? '1' : '0', ...ids.map(encodeId)];
        const rows = await read('read', (client) => client.readRows(counter, values));
        const byId = new Map(toRows(rows).map((row) => [row[0], row]));
        return ids.map((id) => {
          const row = byId.get(encodeId(id));
          return row && toStored(table, row);
        });
      }),
    commit: (changes, notices = []) =>
      serve(async () => {
        if (changes.length === 0 && notices.length === 0) return [];
        const values = encodeCommit(changes, notices.map(payloadOf), texts);
        const versions = await writes.run('commit', (client, deadline) =>
          client.commitRows(counter, [deadline, ...common(), ...values]),
        );
        if (versions === undefined) return undefined;
        if (versions.length !== changes.length) throw new StoreError('reply', 'UNEXPECTED');
        for (const version of versions) newest = Math.max(newest, version);
        watching.sent(notices);
        return versions;
      }),
    range: (table, request) =>
      serve(async () => {
        const encoded = encodeRange(shapeOf(table), request);
        const stored: Stored<RowOf<typeof table>>[] = [];
        if (encoded === undefined) return stored;
        const bounded = { ...encoded, w: LOOK_AT };
        await find('range', table.name, bounded, request.withBody ?? false, (flat) => {
          const rows = toRows(flat).map((row) => toStored(table, row));
          stored.push(...rows);
          return rows.length;
        });
        return stored;
      }),
    count: (table, selection) =>
      serve(async () => {
        const encoded = encodeSelection(shapeOf(table), selection);
        let count = 0;
        if (encoded === undefined) return count;
        await find('count', table.name, { ...encoded, c: true, w: LOOK_AT }, false, (_, total) => {
          count += total;
          return 0;
        });
        return count;
      }),
    take: (table, { index, until, to, limit, ...selection }) =>
      serve(async () => {
        const request = encodeRange(shapeOf(table), { ...selection, order: index, limit });
        if (request === undefined) return [];
        const due = { ...request, f: [...request.f, { n: index, r: [['-inf', String(until)] as const] }] };
        const values = [table.name, index, String(to), JSON.stringify(due)];
        const rows = await writes.run('take', (client, deadline) =>
          client.takeRows(counter, [deadline, ...common(), ...values]),
        );
        return toRows(rows).map((row) => toStored(table, row));
      }),
    move: (table, selection, index, to) =>
      serve(async () => {
        const request = encodeSelection(shapeOf(table), selection);
        if (request === undefined) return 0;
        const values = [table.name, index, String(to), JSON.stringify(request)];
        return writes.run('move', (client, deadline) =>
          client.moveRows(counter, [deadline, ...common(), ...values]),
        );
      }),
    events: (table, id, after, limit) =>
      serve(async () => {
        if (limit <= 0) return [];
        const base = `${prefix}rows:${shapeOf(table).name}:`;
        const name = nameOf(id);
        // The second one is sent in the same turn, so that both take one round trip.
        const [expiresAt, events] = await Promise.all([
          read('events', (client) => client.hGet(`${base}row:${name}`, 'x')),
          read('events', (client) => client.lRange(`${base}events:${name}`, after, after + limit - 1)),
        ]);
        const isGone = expiresAt !== null && asNumber(expiresAt) <= time.now();
        return isGone ? [] : asArray(events).map(asString);
      }),
    watch: watching.watch,
    removeExpired: (table, limit) =>
      serve(() => {
        const values = [shapeOf(table).name, String(limit)];
        return writes.run('remove_expired', (client, deadline) =>
          client.removeExpiredRows(counter, [deadline, ...common(), ...values]),
        );
      }),
    onAvailable(callback) {
      onAvailable.push(callback);
    },
  };

  return {
    store,
    probe: async () => (connection.state === 'available' ? 'ok' : 'error'),
    async start() {
      await Promise.all([connection, ...limiters].map((one) => one.start()));
      if (startError !== undefined) throw startError;
    },
    rateLimiter(limits) {
      const counting = createConnection({
        ...shared,
        purpose: 'rate limits',
        check: async (client) => void (await client.ping()),
      });
      limiters.push(counting);
      return createSharedRateLimiter(limits, createRedisWindowCounter(limits, prefix, counting), {
        clock,
        logger,
      });
    },
    async close() {
      watching.close();
      subscriber.close();
      for (const one of [connection, ...limiters]) one.close();
    },
  };
}

/** The records in Redis cannot be used, for a reason that the message tells in one line. It prevents the start. */
class RedisStartError extends Error {
  override readonly name = 'RedisStartError';
}

function oldRecordsText(prefix: string): string {
  const found = `there are records of version 0.6 under ${JSON.stringify(prefix)}`;
  const way = 'carry them over with `orchestration-service migrate`, or set another KVSTORE_PREFIX';
  return `KVSTORE_PREFIX: ${found}; ${way}`;
}

type RowOf<T> = T extends Table<infer R> ? R : never;

/** The rows of a reply: of each its id, JSON, version, position and body. */
function toRows(flat: readonly unknown[]): (readonly unknown[])[] {
  if (flat.length % 5 !== 0) throw new StoreError('reply', 'UNEXPECTED');
  return Array.from({ length: flat.length / 5 }, (_, row) => flat.slice(5 * row, 5 * row + 5));
}

function toStored<R extends object>(
  _: Table<R>,
  [id, json, version, position, body]: readonly unknown[],
): Stored<R> {
  return {
    id: decodeId(asString(id)),
    version: asNumber(version),
    position: asNumber(position),
    row: JSON.parse(asString(json)),
    ...(typeof body === 'string' ? { body } : {}),
  };
}
