import { randomUUID } from 'node:crypto';
import { createPostgresStore, type PostgresStoreOptions } from '../../../src/adapters/postgres/store.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import type { TableShape } from '../../../src/ports/storage/store.ts';
import { recordLogs } from '../fakes.ts';
import { createFactory } from '../stores.ts';

/** Stores of some tables, each with a schema of its own unless it is given one, and a log. */
export const createPostgresStores = (tables: readonly TableShape[]) =>
  createFactory((url, options: Partial<PostgresStoreOptions>) => {
    const logger = recordLogs();
    const schema = options.schema ?? `test_${randomUUID().replaceAll('-', '')}`;
    // The timeout is longer than a busy machine needs.
    const defaults = { poolSize: 5, timeoutMs: 10_000, clock: systemClock, tables, logger };
    return { ...createPostgresStore({ ...defaults, ...options, url, schema }), schema, logger };
  });
