import { hash } from 'node:crypto';
import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';

/** The idempotency key of a request, as digests: neither the key nor the body is stored or logged. */
export interface RequestKey {
  /** Digest of the key with its scope. */
  readonly key: string;
  /** Digest of the body's bytes. */
  readonly fingerprint: string;
}

const MAX_KEY_LENGTH = 255;

const visibleAscii = /^[\x21-\x7e]+$/;

/** The content of a string of RFC 9651, whose quotes and backslashes are escaped. */
const quotedContent = /^(?:[^"\\]|\\["\\])*$/;

/**
 * Parses the header: 1 to 255 visible ASCII characters, bare or as a string in quotes, which are not part of the key.
 * Throws 422 for anything else.
 */
export function parseIdempotencyKey(header: string): string {
  const key = header.startsWith('"') ? parseQuoted(header) : header;
  if (key !== undefined && key.length <= MAX_KEY_LENGTH && visibleAscii.test(key)) return key;
  throw invalidKey(
    `must have 1 to ${MAX_KEY_LENGTH} visible ASCII characters, bare or as a string in quotes`,
  );
}

/** The error for a key that is malformed, or that stands for another request. */
export function invalidKey(detail: string): HttpError {
  const issues = [{ pointer: 'Idempotency-Key', detail }];
  return new HttpError(422, `Idempotency-Key: ${detail}`, { issues });
}

function parseQuoted(header: string): string | undefined {
  // Twice the length, because each character may be escaped.
  if (header.length < 2 || header.length > 2 * MAX_KEY_LENGTH + 2 || !header.endsWith('"')) return undefined;
  const content = header.slice(1, -1);
  return quotedContent.test(content) ? content.replaceAll(/\\(["\\])/g, '$1') : undefined;
}

/**
 * Creates the digests of a request. The scope of a key is the route with the parameters that it knows, in the path and
 * in the query, and the API key where the service needs one: no client gets the answer that was for another.
 */
export function createRequestKey(
  c: Context<AppEnv>,
  { method, path, request }: RouteConfig,
  key: string,
  body: Buffer,
): RequestKey {
  const query = request?.query === undefined ? {} : c.req.valid('query' as never);
  const apiKey = c.get('apiKey');
  const caller = apiKey === undefined ? [] : [hash('sha256', apiKey, 'hex')];
  const scope = JSON.stringify([method, path, c.req.param(), query, key, ...caller]);
  return { key: hash('sha256', scope, 'hex'), fingerprint: hash('sha256', body, 'hex') };
}
