import { accessSync, closeSync, constants, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../../ports/logger.ts';
import { resultCode, resultCodes, SqliteFileError } from './errors.ts';
import { type Layout, schemaOf } from './layout.ts';

/** An open file that belongs to this process alone. */
export interface SqliteFile {
  /** Absolute. */
  readonly path: string;
  readonly database: DatabaseSync;
  /** True while the path names the file that was opened. */
  isInPlace(): boolean;
}

/** Options of {@link openSqliteFile}. */
export interface OpenOptions {
  readonly logger: Logger;
  /** The tables, which are made where they are missing. */
  readonly layout: Layout;
}

/** Marks the file as one of this service: `PRAGMA application_id`. */
const APPLICATION_ID = 0x4f726368;

/** The form of the tables: `PRAGMA user_version`. No release has written an earlier one. */
const SCHEMA_VERSION = 7;

/** The size up to which a file is checked completely, in bytes: about two seconds at the start. */
const MAX_CHECKED_BYTES = 1_024 * 1_024 * 1_024;

/** The write-ahead log is cut to this size after a checkpoint, in bytes. */
const MAX_LOG_BYTES = 64 * 1_024 * 1_024;

/**
 * Opens a file of this service, or creates it with its folder; checks it, and brings its schema up to date. The file is
 * locked until it is closed. Throws {@link SqliteFileError} for a file that cannot be used, which is left as it is.
 */
export function openSqliteFile(file: string, { logger, layout }: OpenOptions): SqliteFile {
  const path = resolve(file);
  const database = open(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const isNew = identify(path, database);
    if (!isNew) check(path, database, logger);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    // Deleted data is overwritten, and SQLite writes no files that are not known here.
    database.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY');
    database.exec(`PRAGMA journal_size_limit = ${MAX_LOG_BYTES}; PRAGMA cache_size = -32768`);
    makeTables(database, layout, isNew);
    return { path, database, isInPlace: inPlace(path) };
  } catch (error) {
    database.close();
    throw error instanceof SqliteFileError ? error : new SqliteFileError(path, problemOf(error), error);
  }
}

function open(path: string): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new SqliteFileError(path, 'is a folder, and must be a file');
    if (found !== undefined) {
      accessSync(path, constants.R_OK | constants.W_OK);
      if (found.size > 0) checkHeader(path);
    }
    // A wait for the lock would stop the event loop, and only another process could hold it.
    return new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw error instanceof SqliteFileError ? error : new SqliteFileError(path, problemOf(error), error);
  }
}

const HEADER = 'SQLite format 3\0';

/** SQLite itself takes a file of a few bytes for an empty one, and overwrites it. */
function checkHeader(path: string): void {
  const start = Buffer.alloc(HEADER.length);
  const descriptor = openSync(path, 'r');
  readSync(descriptor, start);
  closeSync(descriptor);
  if (start.toString('latin1') !== HEADER) throw new SqliteFileError(path, FOREIGN);
}

const FOREIGN = 'is not a database of this service; name another file';

/** True for a new file. Reads only, so that a file of another program is not changed. */
function identify(path: string, database: DatabaseSync): boolean {
  const application = numberIn(database, 'PRAGMA application_id');
  const version = numberIn(database, 'PRAGMA user_version');
  const tables = numberIn(database, 'SELECT count(*) FROM sqlite_schema');
  if (application === 0 && version === 0 && tables === 0) return true;
  if (application !== APPLICATION_ID) {
    throw new SqliteFileError(path, 'is a database of another program; name another file');
  }
  if (version !== SCHEMA_VERSION) {
    const writer = version > SCHEMA_VERSION ? 'a later version' : 'an unreleased version';
    const text = `was written by ${writer} of this service (schema ${version}, this one has ${SCHEMA_VERSION})`;
    throw new SqliteFileError(path, text);
  }
  return false;
}

/** The only number that a statement gives. */
function numberIn(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}

/** Makes the tables that are missing, in one step. */
function makeTables(database: DatabaseSync, layout: Layout, isNew: boolean): void {
  database.exec('BEGIN IMMEDIATE');
  database.exec(schemaOf(layout));
  if (isNew) {
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  }
  database.exec('COMMIT');
}

const DAMAGED = 'is damaged; move it aside and restore a backup';

function check(path: string, database: DatabaseSync, logger: Logger): void {
  const { size } = statSync(path);
  if (size > MAX_CHECKED_BYTES) {
    logger.info('the file of the store is large, and is not checked for damage', { bytes: size });
    return;
  }
  const found = database.prepare('PRAGMA quick_check(1)').get();
  if (found?.['quick_check'] !== 'ok') throw new SqliteFileError(path, DAMAGED);
}

const problems: ReadonlyMap<number | string | undefined, string> = new Map<number | string, string>([
  [resultCodes.busy, 'is in use by another process'],
  [resultCodes.corrupt, DAMAGED],
  [resultCodes.notADatabase, FOREIGN],
  [resultCodes.full, 'cannot be written, because the disk is full'],
  [resultCodes.readOnly, 'cannot be written'],
  ['EACCES', 'cannot be read and written by this user'],
  ['EEXIST', 'has a folder in its path that is a file'],
  ['ENOTDIR', 'has a folder in its path that is a file'],
  ['EROFS', 'is on a disk that cannot be written'],
]);

function problemOf(error: unknown): string {
  const system = error instanceof Error && 'code' in error ? String(error.code) : '';
  return problems.get(resultCode(error) ?? system) ?? `cannot be opened (${system})`;
}

function inPlace(path: string): () => boolean {
  const opened = statSync(path, { bigint: true });
  return () => {
    try {
      const found = statSync(path, { bigint: true });
      return found.ino === opened.ino && found.dev === opened.dev;
    } catch {
      return false;
    }
  };
}
