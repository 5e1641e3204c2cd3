import { createRoute } from '@hono/zod-openapi';
import { claimedItemExample, nextRequestExample } from '../../docs/examples-people.ts';
import { versionHeaders } from '../../docs/headers.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { checkMethods } from '../../middleware/methods.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { noContentResponse } from '../../response.ts';
import { nextRequestSchema } from './item-requests.ts';
import { inboxOf, itemResponse } from './item-responses.ts';
import { itemSchema } from './item-schemas.ts';

const nextItemRoute = createRoute({
  method: 'post',
  path: '/inbox/next',
  operationId: 'claimNextInboxItem',
  tags: ['Inbox'],
  summary: 'Claim the first open item',
  description:
    'The first in the order of `GET /inbox`. Two callers never get the same. The claim lapses after `INBOX_CLAIM_SECONDS`.',
  request: { body: { ...jsonContent(nextRequestSchema, 'Who', nextRequestExample), required: true } },
  responses: {
    200: { ...jsonContent(itemSchema, 'The item, claimed', claimedItemExample), headers: versionHeaders },
    204: { description: 'No such item is open' },
    ...errorResponses(400, 404, 413, 415, 422, 503),
  },
});

const methodsOfItems = checkMethods((c) => {
  if (c.req.param('id') !== 'next') return 'GET, HEAD';
  c.set('route', nextItemRoute.path);
  return 'POST';
});

/**
 * `POST /inbox/next`. It is served by the path of an item: Hono's fast router, which serves all requests, has no fixed
 * text beside a parameter.
 */
export function inboxNextResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  app.use('/inbox/:id', methodsOfItems);
  const path: string = '/inbox/{id}';
  // The type keeps the path that clients use.
  const served = { ...endpoint(nextItemRoute), path } as typeof nextItemRoute;
  return app.openapi(served, async (c) => {
    const item = await inboxOf(orchestrator).next(c.req.valid('json'));
    return item === undefined ? noContentResponse(c) : itemResponse(c, item);
  });
}
