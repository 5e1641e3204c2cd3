import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessId, digestOf } from '../../../src/adapters/shared/process-id.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { createStorage, storageTables } from '../../../src/application/storage/storage.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { type Logger, silentLogger } from '../../../src/ports/logger.ts';

export const DAY_MS = 86_400_000;

/** The parts of a file's adapters that a test replaces. */
export interface FileOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly onDropped?: () => void;
  /** Longer than the age of any sample when absent. */
  readonly traceRetentionMs?: number;
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

  function open(path: string, options: FileOptions = {}) {
    const { clock = systemClock, logger = silentLogger, onDropped } = options;
    const sqlite = openSqliteStore({ path, tables: storageTables, clock, logger });
    const { store, file, probe, backup } = sqlite;
    const storage = createStorage(
      { store, clock, random: Math.random },
      {
        processId: createProcessId(),
        logger,
        digest: digestOf,
        traceRetentionMs: options.traceRetentionMs ?? 10_000 * DAY_MS,
        runRetentionMs: 30 * DAY_MS,
        isAlone: true,
        onDropped,
      },
    );
    async function close(): Promise<void> {
      await storage.close();
      sqlite.close();
    }
    ends.push(close);
    /** Removes everything that has expired. */
    async function removeExpired(): Promise<void> {
      for (const table of storageTables) {
        for (let removed = 50; removed === 50; ) removed = await store.removeExpired(table, 50);
      }
    }
    return { file, adapters: { ports: storage.ports, store, probe, backup, removeExpired, close } };
  }

  return {
    newPath,
    open,
    async make(options: FileOptions = {}) {
      const path = await newPath();
      return { path, ...open(path, options) };
    },
    async removeAll(): Promise<void> {
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}

/** The stores of {@link createFiles}. */
export type FileAdapters = ReturnType<ReturnType<typeof createFiles>['open']>['adapters'];
