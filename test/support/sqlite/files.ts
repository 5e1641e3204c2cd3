import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { storageTables } from '../../../src/application/storage/storage.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { type Logger, silentLogger } from '../../../src/ports/logger.ts';
import { createProcess, DAY_MS } from '../stores.ts';

/** The parts of a file's adapters that a test replaces. */
export interface FileOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly onDropped?: () => void;
  /** Longer than the age of any sample when absent. */
  readonly traceRetentionMs?: number;
}

/** The path of a file that does not exist yet, in a folder that is removed after the test. */
export async function newPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'data', 'store.db');
}

/** A new file, opened. */
export async function makeFile(options: FileOptions = {}) {
  const path = await newPath();
  return { path, ...openFile(path, options) };
}

/** Opens a file with everything that a process keeps in it; closed after the test. */
export function openFile(path: string, options: FileOptions = {}) {
  const { clock = systemClock, logger = silentLogger } = options;
  const sqlite = openSqliteStore({ path, tables: storageTables, clock, logger });
  const { store, file, probe, backup } = sqlite;
  const { ports, ...storage } = createProcess(store, {
    runRetentionMs: 30 * DAY_MS,
    ...options,
    isAlone: true,
  });
  async function close(): Promise<void> {
    await storage.close();
    sqlite.close();
  }
  onTestFinished(close);
  /** Removes everything that has expired. */
  async function removeExpired(): Promise<void> {
    for (const table of storageTables) {
      for (let removed = 50; removed === 50; ) removed = await store.removeExpired(table, 50);
    }
  }
  return { file, adapters: { ports, store, probe, backup, removeExpired, close } };
}

/** The adapters of a file. */
export type FileAdapters = ReturnType<typeof openFile>['adapters'];
