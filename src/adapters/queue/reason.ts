import { ErrorReply } from '@redis/client';

const safeWord = /^[A-Za-z][A-Za-z0-9_]{1,63}$/;

/**
 * Why a command failed, as one safe word: an error code (`ECONNREFUSED`), the first word of an error reply (`OOM`),
 * `LOCK_LOST` when another process has taken over a job, else the kind of the error. It contains no text of the client
 * library or the store.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  if (error instanceof ErrorReply) return safe(error.message.split(' ', 1)[0]) ?? 'ERR';
  const code: unknown = 'code' in error ? error.code : undefined;
  // BullMQ reports these as plain errors.
  if (/^(?:missing lock|could not renew lock|lock mismatch)/i.test(error.message)) return 'LOCK_LOST';
  return safe(code) ?? safe(error.constructor.name) ?? 'ERROR';
}

function safe(word: unknown): string | undefined {
  return typeof word === 'string' && safeWord.test(word) ? word : undefined;
}
