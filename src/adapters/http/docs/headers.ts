import { z } from '@hono/zod-openapi';

/** The headers of a response with a tag, for the documentation of a route. */
export const taggedHeaders = z.object({
  ETag: z.string().openapi({ description: 'Strong tag of the record, for `If-None-Match`' }),
  'Cache-Control': z.string().openapi({ description: '`private, no-cache`: keep it, and check the tag' }),
});

/** The documentation of an endpoint that supports `If-None-Match`. */
export const conditionalDocs = {
  headers: z.object({
    'If-None-Match': z
      .string()
      .optional()
      .openapi({
        param: { description: '`ETag` of a response that the client has kept, several of them, or `*`' },
        example: '"mO2RDcpD.0199aa4c-7c1f-7d2e-9b3a-6f1c2d3e4f50"',
      }),
  }),
  responses: {
    304: {
      description: '`If-None-Match` has the tag of the record, which has not changed; no body',
      headers: taggedHeaders,
    },
  },
};

/** The headers of a page, for the documentation of a listing. */
export const linkHeaders = z.object({
  Link: z.string().optional().openapi({
    description: 'The next page, with the same parameters; absent on the last page',
    example: '</trace/?limit=50&offset=50>; rel="next"',
  }),
});

/** The documentation of an endpoint that supports `Prefer`. */
export const preferDocs = {
  headers: z.object({
    Prefer: z
      .string()
      .optional()
      .openapi({
        param: {
          description:
            '`respond-async`: the same as `background`, unless the body has it. `wait=n`: respond 202 when the run has not ended after n seconds; it continues.',
        },
        example: 'wait=10',
      }),
  }),
};

/** The header that says which preferences were followed, for the documentation of a route. */
export const preferenceApplied = z
  .string()
  .optional()
  .openapi({ description: 'The preferences of `Prefer` that were followed' });

/** The documentation of an endpoint with `If-Match`, by what the header does. `example` is an `ETag`. */
export function matchDocs(description: string, example = '"1"') {
  const header = z.string().optional().openapi({ param: { description }, example });
  return { headers: z.object({ 'If-Match': header }) };
}

/** The documentation of an endpoint that changes a record, if it still has the version that the caller has seen. */
export const ifMatchDocs = matchDocs(
  '`ETag` of the item as the caller has seen it, or `*`: another version is 412. The same as `version` in the body, for which another version is 409.',
  '"7"',
);

/** The documentation of an endpoint that stores a new version, if the newest one is that which the caller has seen. */
export const versionMatchDocs = matchDocs(
  '`ETag` of the definition as the caller has seen it, which is its `version` in quotes: where another version is the newest one, the response is 412. `*` is the same as no header: the last caller wins.',
);

/** The header of a response with a record that has a version. */
export const versionHeaders = z.object({
  ETag: z.string().openapi({ description: '`version` in quotes, for `If-Match`', example: '"7"' }),
});
