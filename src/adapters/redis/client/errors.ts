import { ErrorReply } from 'redis';
import { type OrchestrationError, unavailable } from '../../../domain/errors.ts';

/**
 * What went wrong with a command: `away` there is no connection, or it broke; `timeout` no answer came in time;
 * `reply` the store answered with an error.
 */
type FaultKind = 'away' | 'timeout' | 'reply';

/** A command that failed. It says why in one word that can hold no secret, and nothing else. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  readonly kind: FaultKind;
  /** An error code (`ECONNREFUSED`) or the first word of an error reply (`OOM`). */
  readonly reason: string;

  constructor(kind: FaultKind, reason: string) {
    super(`${kind}: ${reason}`);
    this.kind = kind;
    this.reason = reason;
  }
}

const codeWord = /^[A-Z][A-Z0-9_]{1,63}$/;

/** The fault behind whatever the client library threw; no text of the library or the store is kept. */
export function toFault(error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  if (error instanceof ErrorReply) {
    const [word = ''] = error.message.split(' ', 1);
    return new StoreFault('reply', codeWord.test(word) ? word : 'ERR');
  }
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return new StoreFault('away', typeof code === 'string' && codeWord.test(code) ? code : 'DISCONNECTED');
}

/** What the callers of a store are told of a fault. */
export function toUnavailable(error: unknown): OrchestrationError {
  const fault = toFault(error);
  const text = fault.kind === 'reply' ? 'the store cannot serve now' : 'the store cannot be reached';
  return unavailable(text, 1, fault);
}
