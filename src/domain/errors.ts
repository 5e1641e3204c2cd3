/** Why the service refuses something, in words; the HTTP adapter owns the numbers. */
export const errorCodes = [
  'validation',
  'not_found',
  'conflict',
  'unavailable',
  'invalid_transition',
  'registration',
] as const;

/** One of {@link errorCodes}. */
export type ErrorCode = (typeof errorCodes)[number];

/**
 * A fault that the caller is told about. `message` is safe to show: it holds no secret, no stack and no text
 * of a foreign exception (that goes into `cause`, which only logs see).
 */
export class OrchestrationError extends Error {
  override readonly name = 'OrchestrationError';
  readonly code: ErrorCode;
  /** Whole seconds after which another try makes sense; only with `unavailable`. */
  readonly retryAfterSeconds: number;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1;
  }
}

/** A resource that does not exist, named with the id asked for (decisions, section 1). */
export function notFound(resource: string, id: string): OrchestrationError {
  return new OrchestrationError('not_found', `${resource} ${JSON.stringify(id.slice(0, 128))} not found`);
}

/** All faults of one request together, each naming the field it is about. */
export function invalid(faults: readonly string[]): OrchestrationError {
  return new OrchestrationError('validation', faults.join('; '));
}

/** More work than can be held, or a store that cannot be reached. */
export function unavailable(message: string, retryAfterSeconds = 1, cause?: unknown): OrchestrationError {
  return new OrchestrationError('unavailable', message, { retryAfterSeconds, cause });
}
