import { hash } from 'node:crypto';
import { type RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { errorContent, onlyErrors } from '../docs/routes.ts';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';

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
 * Creates the digests of a request: of its key with the scope, and of the bytes of its body. Neither the key nor the
 * body is stored or logged. The scope of a key is the route with the parameters that it knows, in the path and in the
 * query, and the API key where the service needs one: no client gets the answer that was for another.
 */
export function createRequestKey(
  c: Context<AppEnv>,
  { method, path, request }: RouteConfig,
  key: string,
  body: Buffer,
): NonNullable<AppEnv['Variables']['idempotency']> {
  const query = request?.query === undefined ? {} : c.req.valid('query' as never);
  const apiKey = c.get('apiKey');
  const caller = apiKey === undefined ? [] : [hash('sha256', apiKey, 'hex')];
  const scope = JSON.stringify([method, path, c.req.param(), query, key, ...caller]);
  return { key: hash('sha256', scope, 'hex'), fingerprint: hash('sha256', body, 'hex') };
}

const headers = z.object({
  'Idempotency-Key': z
    .string()
    .optional()
    .openapi({
      param: {
        description:
          'Makes repeats of this request safe: 1 to 255 visible ASCII characters, bare or as a string in quotes. The same key with the same body gets the first answer again, with `Idempotency-Replayed: true`, and the work is done once. Only answers of 2xx are kept, for `IDEMPOTENCY_TTL_SECONDS`; after any other the key is free.',
      },
      example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
    }),
});

const replayed = z.object({
  'Idempotency-Replayed': z
    .string()
    .optional()
    .openapi({ description: '`true` when this is the answer to an earlier request with the key' }),
});

const conflictHeaders = z.object({
  'Retry-After': z
    .string()
    .optional()
    .openapi({ description: 'Seconds, while the first request is under way' }),
  Location: z
    .string()
    .optional()
    .openapi({ description: 'Path of the execution under way, if there is one' }),
});

/** Adds the header parameter to the documentation of a route, and what its responses mean for it. */
export function withIdempotencyDocs<R extends RouteConfig>(route: R): R {
  const errors = onlyErrors(422);
  const inProgress = 'The first request with this `Idempotency-Key` is under way, or its answer is not kept';
  const conflict = route.responses[409];
  const own = conflict !== undefined && 'description' in conflict ? `${conflict.description}. ` : '';
  const responses = Object.entries(route.responses).map(([status, response]) =>
    Number(status) < 300
      ? [status, { ...response, headers: extendHeaders(response, replayed) }]
      : [status, response],
  );
  return {
    ...route,
    request: { ...route.request, headers: extendHeaders(route.request, headers) },
    responses: {
      ...Object.fromEntries(responses),
      409: {
        description: own + inProgress,
        headers: conflictHeaders,
        content: errorContent(409, 'Idempotency-Key: the first request with this key is under way'),
      },
      422: {
        ...errors[422],
        description: `${errors[422].description}. Also an \`Idempotency-Key\` that is malformed, or was used with another body`,
      },
    },
  };
}

/** The headers of a request or a response of a route are absent or an object schema. */
function extendHeaders(owner: object | undefined, more: z.ZodObject): z.ZodObject {
  const own: unknown = owner !== undefined && 'headers' in owner ? owner.headers : undefined;
  return own instanceof z.ZodObject ? own.extend(more.shape) : more;
}
