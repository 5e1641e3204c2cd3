import { ErrorReply } from '@redis/client';
import { type OrchestrationError, unavailable } from '../../domain/errors.ts';

/**
 * The cause of a failed command: `disconnected` when there is no connection, or it broke; `timeout` when no reply
 * arrived in time; `reply` when the store replied with an error or an unexpected value.
 */
type StoreErrorKind = 'disconnected' | 'timeout' | 'reply';

/** A command that failed. Its reason is one safe word; it contains no text of the client library or the store. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;
  /** An error code (`ECONNREFUSED`) or the first word of an error reply (`OOM`). */
  readonly reason: string;

  constructor(kind: StoreErrorKind, reason: string) {
    super(`${kind}: ${reason}`);
    this.kind = kind;
    this.reason = reason;
  }
}

const codeWord = /^[A-Z][A-Z0-9_]{1,63}$/;

/** Converts an error of the client library. */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (error instanceof ErrorReply) {
    const [word = ''] = error.message.split(' ', 1);
    return new StoreError('reply', codeWord.test(word) ? word : 'ERR');
  }
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  const isCode = typeof code === 'string' && codeWord.test(code);
  return new StoreError('disconnected', isCode ? code : 'DISCONNECTED');
}

/** The error that callers of a store port get: `unavailable`, retry after one second. */
export function toUnavailable(error: unknown): OrchestrationError {
  const storeError = toStoreError(error);
  const text =
    storeError.kind === 'reply' ? 'the store cannot serve requests now' : 'the store cannot be reached';
  return unavailable(text, 1, storeError);
}

/** The store replied with an unexpected type: probably another program listens on that address. */
function unexpected(): StoreError {
  return new StoreError('reply', 'UNEXPECTED');
}

/** Checks that a reply is an array. Throws `StoreError`, as the next two functions do. */
export function asArray(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw unexpected();
  return reply;
}

/** Checks that a reply is a string. */
export function asString(reply: unknown): string {
  if (typeof reply !== 'string') throw unexpected();
  return reply;
}

/** Checks that a reply is a finite number, or a string of one. */
export function asNumber(reply: unknown): number {
  const number = typeof reply === 'string' ? Number(reply) : reply;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw unexpected();
  return number;
}
