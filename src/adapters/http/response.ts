import type { Context, TypedResponse } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { JSONParsed } from 'hono/utils/types';
import type { AppEnv } from './env.ts';
import { type ErrorReport, serializeError } from './error-body.ts';

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
  // Kept for repeats: to read it from the response costs more (benchmark `stores`).
  if (c.get('idempotency') !== undefined) c.set('content', { body, headers });
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

/** A response to an error, in the shape that the client accepts: see {@link serializeError}. */
export function errorResponse(c: Context<AppEnv>, error: ErrorReport, headers?: ResponseHeaders): Response {
  const serialized = serializeError(error, c.req.header('accept'));
  return createResponse(c, serialized.body, error.status, { ...serialized.headers, ...headers });
}
