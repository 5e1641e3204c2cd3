import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createSqliteAdapters, type SqliteAdapters } from '../../../src/adapters/sqlite/adapters.ts';
import { type Connection, createConnection } from '../../../src/adapters/sqlite/connection.ts';
import { openSqliteFile, type SqliteFile } from '../../../src/adapters/sqlite/file.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { type Logger, silentLogger } from '../../../src/ports/logger.ts';

export const DAY_MS = 86_400_000;

/** What a test changes about the adapters of a file. */
export interface FileOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly onDropped?: () => void;
}

/** Files in folders of their own, which are removed together. */
export function createFiles() {
  const ends: (() => Promise<unknown>)[] = [];

  /** The path of a file that does not exist yet. */
  async function newPath(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    return join(folder, 'data', 'store.db');
  }

  function open(path: string, options: FileOptions = {}): { file: SqliteFile; adapters: SqliteAdapters } {
    const { clock = systemClock, logger = silentLogger } = options;
    const file = openSqliteFile(path, { logger });
    const adapters = createSqliteAdapters({ file, runRetentionMs: 30 * DAY_MS, ...options, clock, logger });
    ends.push(() => adapters.close());
    return { file, adapters };
  }

  return {
    newPath,
    open,
    /** A connection without the adapters. */
    async connect(clock: Clock = systemClock): Promise<Connection> {
      const connection = createConnection(
        openSqliteFile(await newPath(), { logger: silentLogger }),
        clock,
        silentLogger,
      );
      ends.push(async () => connection.close());
      return connection;
    },
    async make(options: FileOptions = {}) {
      const path = await newPath();
      return { path, ...open(path, options) };
    },
    async removeAll(): Promise<void> {
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}
