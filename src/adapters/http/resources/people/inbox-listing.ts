import { createRoute, z } from '@hono/zod-openapi';
import { itemKinds, itemStatuses, priorities } from '../../../../domain/inbox/item.ts';
import type { InboxCounts } from '../../../../domain/inbox/order.ts';
import { caseExample, inboxExample } from '../../docs/examples-people.ts';
import { linkHeaders, versionHeaders } from '../../docs/headers.ts';
import { errorResponses, jsonContent } from '../../docs/responses.ts';
import { streamJson } from '../../json-stream.ts';
import { createResource } from '../../middleware/validation.ts';
import type { MountPath } from '../../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { nextCursorLink } from '../../record-headers.ts';
import { cursorPageSchema } from '../listing/cursor.ts';
import { flagSchema, textSchema, wordListSchema } from '../listing/filters.ts';
import { pageQuerySchema } from '../schemas.ts';
import { inboxCursorSchema, toCursor } from './inbox-cursor.ts';
import { caseResponse, inboxOf, toItemResponse } from './item-responses.ts';
import { caseSchema, countsSchema, itemParams, itemSchema } from './item-schemas.ts';

const querySchema = z.object({
  status: wordListSchema(itemStatuses, 'Only items with one of these statuses; those that wait when absent'),
  kind: wordListSchema(itemKinds, 'Only items of these kinds'),
  priority: wordListSchema(priorities, 'Only items with one of these priorities'),
  assignee: textSchema('Only items that this person has, or has ended', 'maria'),
  overdue: flagSchema('Only items that wait and are overdue, or with `false` the others'),
  limit: pageQuerySchema.shape.limit,
  cursor: inboxCursorSchema,
});

const listInboxRoute = createRoute({
  method: 'get',
  path: '/inbox',
  operationId: 'listInbox',
  tags: ['Inbox'],
  summary: 'List what waits for a person',
  description:
    'In the order in which it should be worked on: overdue items first, then by priority, then the oldest. `counts` is about all that waits, whatever the filters are. Ended items come last, the one that ended last first. All of `/inbox` answers 404 where the inbox is off.',
  request: { query: querySchema },
  responses: {
    200: {
      ...jsonContent(
        cursorPageSchema('items', itemSchema).extend({
          counts: countsSchema.describe('How much waits in all'),
        }),
        'A page of items',
        inboxExample,
      ),
      headers: linkHeaders,
    },
    ...errorResponses(404, 422, 503),
  },
});

const getItemRoute = createRoute({
  method: 'get',
  path: '/inbox/{id}',
  operationId: 'getInboxItem',
  tags: ['Inbox'],
  summary: 'Get an item with all that a decision about it needs',
  description:
    'An item about a message has `trace` and `conversation`, one about a step has `execution`. They are null where there is none.',
  request: { params: itemParams },
  responses: {
    200: { ...jsonContent(caseSchema, 'The item', caseExample), headers: versionHeaders },
    ...errorResponses(404, 503),
  },
});

/** `GET /inbox` and `GET /inbox/{id}`. */
export function inboxListingResource(
  { orchestrator, maxBodyBytes }: ResolvedHttpAppOptions,
  mountPath: MountPath,
) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(listInboxRoute), async (c) => {
      const { limit = 50, cursor, assignee, overdue, ...query } = c.req.valid('query');
      const filter = { statuses: query.status, kinds: query.kind, priorities: query.priority };
      const page = await inboxOf(orchestrator).list(
        { ...filter, assignee, overdue },
        { limit, after: cursor },
      );
      const nextCursor = page.next && toCursor(page.next);
      const counts = toCountsResponse(page.counts);
      const body = { limit, next_cursor: nextCursor, counts, items: page.items.map(toItemResponse) };
      const link = nextCursorLink(
        c,
        `${mountPath(c, listInboxRoute.path)}${listInboxRoute.path}`,
        nextCursor,
      );
      return streamJson(c, body, 'items', 200, link);
    })
    .openapi(endpoint(getItemRoute), async (c) =>
      caseResponse(c, await inboxOf(orchestrator).get(c.req.valid('param').id)),
    );
}

function toCountsResponse({ waiting, overdue }: InboxCounts): z.input<typeof countsSchema> {
  const { escalation, draft, approval, recovery } = waiting;
  const all = [escalation, draft, approval, recovery];
  const totalOf = ({ open, claimed }: { readonly open: number; readonly claimed: number }) => open + claimed;
  return {
    open: all.reduce((sum, { open }) => sum + open, 0),
    claimed: all.reduce((sum, { claimed }) => sum + claimed, 0),
    overdue,
    kinds: {
      escalation: totalOf(escalation),
      draft: totalOf(draft),
      approval: totalOf(approval),
      recovery: totalOf(recovery),
    },
  };
}
