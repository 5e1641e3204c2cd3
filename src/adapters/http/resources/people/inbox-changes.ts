import { createRoute, type z } from '@hono/zod-openapi';
import type { ItemDecision } from '../../../../application/inbox/inbox.ts';
import {
  assignRequestExample,
  claimedItemExample,
  claimRequestExample,
  itemExample,
  notedItemExample,
  noteRequestExample,
  resolvedItemExample,
  resolveRequestExample,
} from '../../docs/examples-people.ts';
import { ifMatchDocs, versionHeaders } from '../../docs/headers.ts';
import { errorResponses, jsonContent, stateConflict } from '../../docs/responses.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { seenVersion } from '../../record-headers.ts';
import {
  assignRequestSchema,
  claimRequestSchema,
  noteRequestSchema,
  resolveRequestSchema,
} from './item-requests.ts';
import { inboxOf, itemResponse } from './item-responses.ts';
import { itemParams, itemSchema } from './item-schemas.ts';

const claimedByOther = 'the item is claimed by "tom" until 2026-11-21T01:30:41.532Z';

/** What all changes of an item have in common, with an example of the changed item. */
function changeResponses(changed: object, conflict: string, detail: string) {
  return {
    200: { ...jsonContent(itemSchema, 'The item after the change', changed), headers: versionHeaders },
    ...errorResponses(400, 404, 412, 413, 415, 422, 503),
    ...stateConflict(`${conflict}, or \`version\` is not the one that the item has`, detail),
  };
}

function requestBody<S extends z.ZodType>(schema: S, description: string, example: object) {
  return { params: itemParams, body: { ...jsonContent(schema, description, example), required: true } };
}

const claimItemRoute = createRoute({
  method: 'post',
  path: '/inbox/{id}/claim',
  operationId: 'claimInboxItem',
  tags: ['Inbox'],
  summary: 'Claim an item',
  description:
    'The same person renews the claim with it. It lapses after `INBOX_CLAIM_SECONDS`: the item is open again then.',
  request: requestBody(claimRequestSchema, 'Who claims it', claimRequestExample),
  responses: changeResponses(
    claimedItemExample,
    'Somebody else has claimed it, it waits no more',
    claimedByOther,
  ),
});

const releaseItemRoute = createRoute({
  method: 'post',
  path: '/inbox/{id}/release',
  operationId: 'releaseInboxItem',
  tags: ['Inbox'],
  summary: 'Give a claim up',
  description: 'The item is open again, at its place in the order.',
  request: requestBody(claimRequestSchema, 'Who releases it', claimRequestExample),
  responses: changeResponses(
    { ...itemExample, version: 3 },
    'Somebody else or nobody has claimed it, it waits no more',
    claimedByOther,
  ),
});

const assignItemRoute = createRoute({
  method: 'post',
  path: '/inbox/{id}/assign',
  operationId: 'assignInboxItem',
  tags: ['Inbox'],
  summary: 'Claim an item for somebody else',
  description: 'Whoever has it. The claim lapses as any other.',
  request: requestBody(assignRequestSchema, 'Who shall have it', assignRequestExample),
  responses: changeResponses(
    { ...claimedItemExample, assignee: 'tom' },
    'It waits no more',
    'the item is resolved by "tom"',
  ),
});

const noteItemRoute = createRoute({
  method: 'post',
  path: '/inbox/{id}/notes',
  operationId: 'addInboxNote',
  tags: ['Inbox'],
  summary: 'Add a note to an item',
  description: 'For colleagues. It is never sent to the customer, and needs no claim.',
  request: requestBody(noteRequestSchema, 'The note', noteRequestExample),
  responses: changeResponses(
    notedItemExample,
    'It has 100 notes already, it was withdrawn',
    'the item has 100 notes already',
  ),
});

const resolveItemRoute = createRoute({
  method: 'post',
  path: '/inbox/{id}/resolve',
  operationId: 'resolveInboxItem',
  tags: ['Inbox'],
  summary: 'Decide about an item',
  description:
    'The first decision counts. It needs no claim, but nobody else may have one. The service sends no reply: `response` is stored, and joins the conversation. From a message an example is proposed for the dataset `inbox`. The outcome is one of those of the kind of the item.',
  request: requestBody(resolveRequestSchema, 'The decision', resolveRequestExample),
  responses: changeResponses(
    resolvedItemExample,
    'Somebody else has claimed it, it waits no more',
    'the item is resolved by "tom"',
  ),
});

/** The changes of one item, under `/inbox/{id}`. */
export function inboxChangesResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(claimItemRoute, ifMatchDocs), async (c) => {
      const { by, version } = c.req.valid('json');
      const { id } = c.req.valid('param');
      return itemResponse(c, await inboxOf(orchestrator).claim(id, by, seenVersion(c, 'an item', version)));
    })
    .openapi(endpoint(releaseItemRoute, ifMatchDocs), async (c) => {
      const { by, version } = c.req.valid('json');
      const { id } = c.req.valid('param');
      return itemResponse(c, await inboxOf(orchestrator).release(id, by, seenVersion(c, 'an item', version)));
    })
    .openapi(endpoint(assignItemRoute, ifMatchDocs), async (c) => {
      const { version, ...request } = c.req.valid('json');
      const { id } = c.req.valid('param');
      return itemResponse(
        c,
        await inboxOf(orchestrator).assign(id, request, seenVersion(c, 'an item', version)),
      );
    })
    .openapi(endpoint(noteItemRoute, ifMatchDocs), async (c) => {
      const { version, ...request } = c.req.valid('json');
      const { id } = c.req.valid('param');
      return itemResponse(
        c,
        await inboxOf(orchestrator).addNote(id, request, seenVersion(c, 'an item', version)),
      );
    })
    .openapi(endpoint(resolveItemRoute, ifMatchDocs), async (c) => {
      const { version, ...request } = c.req.valid('json');
      const { id } = c.req.valid('param');
      const seen = seenVersion(c, 'an item', version);
      return itemResponse(c, await inboxOf(orchestrator).resolve(id, toDecision(request), seen));
    });
}

function toDecision(request: Omit<z.output<typeof resolveRequestSchema>, 'version'>): ItemDecision {
  return {
    outcome: request.outcome,
    by: request.by,
    note: request.note ?? undefined,
    response: request.response ?? undefined,
    intent: request.intent ?? undefined,
    escalationRight: request.escalation_right ?? undefined,
    data: request.data,
    output: request.output ?? undefined,
  };
}
