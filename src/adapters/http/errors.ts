import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type ErrorCode, OrchestrationError } from '../../domain/errors.ts';
import type { Logger } from '../../ports/logger.ts';
import type { AppEnv } from './env.ts';
import { errorResponse, type ResponseHeaders } from './response.ts';

/** The HTTP status of each error code of the core. */
const statusOf = {
  validation: 422,
  not_found: 404,
  conflict: 409,
  unavailable: 503,
  invalid_transition: 500,
  registration: 500,
} as const satisfies Record<ErrorCode, ContentfulStatusCode>;

/** An error of the HTTP interface itself: media type, body size, authentication. Its message is safe to show. */
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

/** Converts a thrown value to a response. The value may be anything, not only an error. */
export type ErrorHandler = (thrown: unknown, c: Context<AppEnv>) => Response;

/** Responds to every thrown value in the error shape. Unexpected errors are logged and not shown. */
export function createErrorHandler(logger: Logger): ErrorHandler {
  function unexpectedError(error: unknown, c: Context<AppEnv>): Response {
    logger.error('unexpected error in a route', { err: error });
    return errorResponse(c, 500, 'an unexpected error occurred; search the log for the request id');
  }

  return function handleError(error, c) {
    if (error instanceof HttpError) return errorResponse(c, error.status, error.message, error.headers);
    if (error instanceof HTTPException)
      return errorResponse(c, error.status as ContentfulStatusCode, 'the request was rejected');
    if (!(error instanceof OrchestrationError)) return unexpectedError(error, c);
    const status = statusOf[error.code];
    if (status === 500) return unexpectedError(error, c);
    if (status !== 503) return errorResponse(c, status, error.message);
    return errorResponse(c, 503, error.message, { 'Retry-After': String(error.retryAfterSeconds) });
  };
}
