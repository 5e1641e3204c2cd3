import { DatabaseError } from 'pg';
import { type OrchestrationError, unavailable } from '../../domain/errors.ts';
import { TimeoutError } from '../../lib/async/timeout.ts';

/**
 * The database cannot be used, for a reason that the message tells in one line: it names the setting and no secret.
 * It prevents the start of the service.
 */
export class PostgresStartError extends Error {
  override readonly name = 'PostgresStartError';
}

/**
 * The cause of a failed statement: `disconnected` when there is no connection, or it broke; `timeout` when no reply
 * arrived in time; `reply` when the server replied with an error.
 */
type QueryErrorKind = 'disconnected' | 'timeout' | 'reply';

/** A statement that failed. Its reason is one safe word; it contains no text of the client library or the server. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly kind: QueryErrorKind;
  /** An error code of Node (`ECONNREFUSED`) or of SQL (`53300`), or one of our words. */
  readonly reason: string;

  constructor(kind: QueryErrorKind, reason: string) {
    super(`${kind}: ${reason}`);
    this.kind = kind;
    this.reason = reason;
  }
}

/** The reason of a server that replies, but accepts no writes. */
export const READ_ONLY = 'READ_ONLY';

/** The SQL code by which a commit ends whose row has not the version that it expects. */
export const OTHER_VERSION = 'OR001';

/** Serialization failure, deadlock: the statement may succeed when it is sent again. */
const transient: ReadonlySet<string> = new Set(['40001', '40P01']);

/** With these codes a commit has written nothing, because another one has written its rows. */
const conflicts: ReadonlySet<string> = new Set([OTHER_VERSION, '23505']);

/** Classes of codes by which a server says that it cannot serve now: its connections are of no use. */
const awayClasses: ReadonlySet<string> = new Set(['08', '25', '28', '53', '57', '58']);

const codeWord = /^[A-Z0-9][A-Z0-9_]{1,63}$/;

/** Converts an error of the client library. */
export function toQueryError(error: unknown): QueryError {
  if (error instanceof QueryError) return error;
  if (error instanceof TimeoutError) return new QueryError('timeout', 'TIMEOUT');
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  const isCode = typeof code === 'string' && codeWord.test(code);
  if (error instanceof DatabaseError) return new QueryError('reply', isCode ? code : 'ERROR');
  return new QueryError('disconnected', isCode ? code : 'DISCONNECTED');
}

/** True where a commit found a row that it did not expect. */
export function isConflict({ kind, reason }: QueryError): boolean {
  return kind === 'reply' && conflicts.has(reason);
}

/** True where the same statement may succeed at once. */
export function isTransient({ kind, reason }: QueryError): boolean {
  return kind === 'reply' && transient.has(reason);
}

/** True where the error concerns all statements on its connection, and not one statement alone. */
export function concernsConnection({ kind, reason }: QueryError): boolean {
  return kind !== 'reply' || awayClasses.has(reason.slice(0, 2));
}

/** The error that callers of the store get: `unavailable`, retry after one second. */
export function toUnavailable(error: QueryError): OrchestrationError {
  const isReply = error.kind === 'reply' || error.reason === READ_ONLY;
  const text = isReply ? 'the store cannot serve requests now' : 'the store cannot be reached';
  return unavailable(text, 1, error);
}
