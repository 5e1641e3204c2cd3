import { STATUS_CODES } from 'node:http';
import type { Context, TypedResponse } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { JSONParsed } from 'hono/utils/types';
import type { AppEnv } from './env.ts';

/** The default headers of `hono/secure-headers`, as data: cheaper than its middleware (benchmark `http`). */
export const securityHeaders = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=15552000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'SAMEORIGIN',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
} as const;

/** Headers of one response, in addition to those of every response. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** A JSON response. Its type carries the body and the status to the typed client. */
export type JsonResponse<T, S extends ContentfulStatusCode> = Response &
  TypedResponse<JSONParsed<T>, S, 'json'>;

/** A response with `headers` and the headers of every response to this request. */
export function createResponse(
  c: Context<AppEnv>,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null,
  status: number,
  headers: ResponseHeaders,
): Response {
  return new Response(body, { status, headers: { ...c.get('headers'), ...headers } });
}

/** A JSON response from a plain record of headers: Hono's `c.json` copies a `Headers` object (benchmark `http`). */
export function jsonResponse<T, S extends ContentfulStatusCode>(
  c: Context<AppEnv>,
  value: T,
  status: S,
  headers: ResponseHeaders = {},
): JsonResponse<T, S> {
  const all = { 'Content-Type': 'application/json', ...headers };
  // TypedResponse exists only in the type: no value can satisfy it without a cast.
  return createResponse(c, JSON.stringify(value), status, all) as JsonResponse<T, S>;
}

/** A text response with status 200 and a given content type. */
export function textResponse(
  c: Context<AppEnv>,
  body: string,
  contentType: string,
): Response & TypedResponse<string, 200, 'text'> {
  // As in `jsonResponse`.
  return createResponse(c, body, 200, { 'Content-Type': contentType }) as Response &
    TypedResponse<string, 200, 'text'>;
}

/** A response with status 204. */
export function noContentResponse(c: Context<AppEnv>): Response & TypedResponse<null, 204, 'body'> {
  // As in `jsonResponse`.
  return createResponse(c, null, 204, {}) as Response & TypedResponse<null, 204, 'body'>;
}

/** The body of every error response: the standard phrase of the status, and what was wrong (specification, section 7). */
export interface ErrorBody {
  readonly error: string;
  readonly detail: string;
}

/** The maximum length of `detail`, in characters. */
const MAX_DETAIL = 2_000;

/** Creates an {@link ErrorBody}; `detail` is truncated to 2,000 characters. */
export function errorBody(status: number, detail: string): ErrorBody {
  return { error: STATUS_CODES[status] ?? 'Error', detail: detail.slice(0, MAX_DETAIL) };
}

/** A response in the error shape. */
export function errorResponse(
  c: Context<AppEnv>,
  status: ContentfulStatusCode,
  detail: string,
  headers?: ResponseHeaders,
): Response {
  return jsonResponse(c, errorBody(status, detail), status, headers);
}
