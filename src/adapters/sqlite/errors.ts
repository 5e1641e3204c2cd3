import { type OrchestrationError, unavailable } from '../../domain/errors.ts';

/**
 * The reason for which the file cannot be used, in one line that names the file. It prevents the start of the service.
 */
export class SqliteFileError extends Error {
  override readonly name = 'SqliteFileError';

  constructor(path: string, problem: string, cause?: unknown) {
    super(`SQLITE_PATH: ${path} ${problem}`, cause === undefined ? undefined : { cause });
  }
}

/** The file is no longer where it was opened: what is written to it would be lost at the next start. */
export class FileGoneError extends Error {
  override readonly name = 'FileGoneError';
}

/** The primary result codes of SQLite that are told apart. */
export const resultCodes = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** The primary result code of an error of SQLite; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** True for an error of the store, rather than of the code. */
export function isStoreError(error: unknown): boolean {
  return error instanceof FileGoneError || resultCode(error) !== undefined;
}

/** One safe word for a log line. */
export function reasonOf(error: unknown): string {
  if (error instanceof FileGoneError) return 'gone';
  const code = resultCode(error);
  const [name] = Object.entries(resultCodes).find(([, value]) => value === code) ?? ['failed'];
  return name;
}

/** The error that callers of a store port get: `unavailable`, retry after one second. */
export function toUnavailable(error: unknown): OrchestrationError {
  return unavailable('the store cannot serve requests now', 1, error);
}
