import { randomUUID } from 'node:crypto';
import {
  createPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from '../../../src/adapters/postgres/store.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import type { TableShape } from '../../../src/ports/storage/store.ts';
import { type RecordingLogger, recordLogs } from '../fakes.ts';

/** A store under test, with its schema and its log. */
export interface PostgresStoreUnderTest extends PostgresStore {
  readonly schema: string;
  readonly logger: RecordingLogger;
}

/** Creates stores with a schema of their own. */
export interface PostgresStores {
  /** Creates and starts a store. */
  make(url: string, options?: Partial<PostgresStoreOptions>): Promise<PostgresStoreUnderTest>;
  /** Creates a store without starting it. */
  prepare(url: string, options?: Partial<PostgresStoreOptions>): PostgresStoreUnderTest;
  /** Closes all stores. */
  closeAll(): Promise<void>;
}

/** Stores of some tables. Their timeout is longer than a busy machine needs. */
export function createPostgresStores(tables: readonly TableShape[]): PostgresStores {
  const created: PostgresStore[] = [];
  const prepare: PostgresStores['prepare'] = (url, options = {}) => {
    const logger = recordLogs();
    const schema = options.schema ?? `test_${randomUUID().replaceAll('-', '')}`;
    const store = createPostgresStore({
      url,
      schema,
      poolSize: 5,
      timeoutMs: 10_000,
      tables,
      clock: systemClock,
      logger,
      ...options,
    });
    created.push(store);
    return { ...store, schema, logger };
  };
  return {
    prepare,
    async make(url, options) {
      const prepared = prepare(url, options);
      await prepared.start();
      return prepared;
    },
    async closeAll() {
      await Promise.all(created.splice(0).map((store) => store.close()));
    },
  };
}
