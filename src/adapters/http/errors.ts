import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type ErrorCode, OrchestrationError } from '../../domain/errors.ts';
import type { Logger } from '../../ports/logger.ts';
import type { AppEnv } from './env.ts';
import { errorResponse, type ResponseHeaders } from './response.ts';

/** The status of each word that the core has for a fault; a new word without a row does not compile. */
const statusOf = {
  validation: 422,
  not_found: 404,
  conflict: 409,
  unavailable: 503,
  invalid_transition: 500,
  registration: 500,
} as const satisfies Record<ErrorCode, ContentfulStatusCode>;

/** A fault of a request that HTTP itself speaks of: media type, size, method. Its message is safe to show. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: ContentfulStatusCode;
  readonly headers: ResponseHeaders;

  constructor(status: ContentfulStatusCode, detail: string, headers: ResponseHeaders = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

/** Answers whatever was thrown, errors or not, in the one error shape; unexpected faults are logged and never shown. */
export function createErrorHandler(logger: Logger) {
  return function answerError(error: unknown, c: Context<AppEnv>): Response {
    if (error instanceof HttpError) return errorResponse(c, error.status, error.message, error.headers);
    if (error instanceof HTTPException)
      return errorResponse(c, error.status as ContentfulStatusCode, 'the request was refused');
    if (!(error instanceof OrchestrationError)) return answerUnexpected(logger, error, c);
    const status = statusOf[error.code];
    if (status === 500) return answerUnexpected(logger, error, c);
    if (status !== 503) return errorResponse(c, status, error.message);
    return errorResponse(c, 503, error.message, { 'Retry-After': String(error.retryAfterSeconds) });
  };
}

function answerUnexpected(logger: Logger, error: unknown, c: Context<AppEnv>): Response {
  quietly(() => logger.error('unexpected failure in a route', { err: error }));
  return errorResponse(c, 500, 'an unexpected failure; the request id leads to it in the log');
}

/** Does what only reports: its own failure must not harm what it reports. */
export function quietly(report: () => void): void {
  try {
    report();
  } catch {
    // There is nobody left to tell.
  }
}
