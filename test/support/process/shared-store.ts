import { randomUUID } from 'node:crypto';
import { type PostgresServer, startPostgresServer } from '../postgres/server.ts';
import { type RedisServer, startRedisServer } from '../redis/server.ts';

/** The kind of a store that processes of the service share. */
export type SharedStoreKind = 'redis' | 'postgres';

/** The kinds with their names, for `describe.each`. */
export const sharedStores = [
  { name: 'Redis', kind: 'redis' },
  { name: 'PostgreSQL', kind: 'postgres' },
] as const satisfies readonly { readonly name: string; readonly kind: SharedStoreKind }[];

/** A server of one test file, whatever its kind. */
export interface SharedStore {
  /** The name of the kind in the settings of a backend, and in `checks` of `/health`. */
  readonly backend: 'kvstore' | 'postgres';
  /** The server of the kind `redis`. */
  readonly redis: RedisServer | undefined;
  /** The server of the kind `postgres`. */
  readonly postgres: PostgresServer | undefined;
  /** Settings that keep everything in a part of the store that no other caller gets. */
  settings(): Readonly<Record<string, string>>;
  /** Ends the server at once, as a crash does: its files stay. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with the data in its files. */
  restart(): Promise<void>;
  /** Suspends it (SIGSTOP) with its connections open. */
  freeze(): Promise<void>;
  /** Resumes it (SIGCONT). */
  thaw(): void;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** Options of {@link startSharedStore}. */
export interface SharedStoreOptions {
  /** A password of letters and hyphens that it asks for; it asks for none when absent. */
  readonly password?: string;
  /** True to have PostgreSQL write to the disk before it acknowledges, which is slow; false when absent. */
  readonly isDurable?: boolean;
}

/** Starts an empty server. */
export async function startSharedStore(
  kind: SharedStoreKind,
  options: SharedStoreOptions = {},
): Promise<SharedStore> {
  return kind === 'redis' ? startRedis(options) : startPostgres(options);
}

async function startRedis(options: SharedStoreOptions): Promise<SharedStore> {
  const redis = await startRedisServer(options);
  const { kill, restart, thaw, port } = redis;
  const user = options.password === undefined ? '' : `:${options.password}@`;
  return {
    kill,
    restart,
    thaw,
    redis,
    backend: 'kvstore',
    postgres: undefined,
    settings: () => ({
      TRACE_BACKEND: 'kvstore',
      KVSTORE_URL: `redis://${user}127.0.0.1:${port}`,
      KVSTORE_PREFIX: `test-${randomUUID()}:`,
    }),
    freeze: async () => redis.freeze(),
    stop: redis.close,
  };
}

async function startPostgres(options: SharedStoreOptions): Promise<SharedStore> {
  const postgres = await startPostgresServer(options);
  const { kill, restart, freeze, thaw, stop } = postgres;
  return {
    kill,
    restart,
    freeze,
    thaw,
    stop,
    postgres,
    backend: 'postgres',
    redis: undefined,
    settings: () => ({
      TRACE_BACKEND: 'postgres',
      DATABASE_URL: postgres.url,
      DATABASE_SCHEMA: `test_${randomUUID().replaceAll('-', '')}`,
    }),
  };
}
