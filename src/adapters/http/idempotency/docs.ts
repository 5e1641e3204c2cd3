import { type RouteConfig, z } from '@hono/zod-openapi';
import { errorContent, onlyErrors } from '../docs/responses.ts';

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
