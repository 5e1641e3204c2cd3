import { type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Inbox, InboxCase, ItemDecision } from '../../../application/inbox/inbox.ts';
import {
  type InboxItem,
  type ItemSubject,
  itemKinds,
  itemStatuses,
  priorities,
} from '../../../domain/inbox/item.ts';
import { type InboxCounts, RANK_LIMIT } from '../../../domain/inbox/order.ts';
import type { InboxPosition } from '../../../ports/storage/inbox-store.ts';
import { actionRoute, answer, getRoute, listRoute, matchDocs, versionHeaders } from '../docs/routes.ts';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';
import { streamJson, streamNestedJson } from '../json-stream.ts';
import { checkMethods } from '../middleware/methods.ts';
import { createResource } from '../middleware/validation.ts';
import { routePath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { nextCursorLink, seenVersion, versionTag } from '../record-headers.ts';
import { errorResponse, jsonResponse, noContentResponse } from '../response.ts';
import { toConversation } from './conversations.ts';
import { toExecution } from './executions.ts';
import {
  assignRequestSchema,
  caseSchema,
  claimRequestSchema,
  countsSchema,
  itemParams,
  itemSchema,
  nextRequestSchema,
  noteRequestSchema,
  noteSchema,
  resolutionSchema,
  resolveRequestSchema,
  subjectSchema,
} from './inbox-schemas.ts';
import {
  cursorPageSchema,
  flagSchema,
  givenOnce,
  pageQuerySchema,
  textParameter,
  wordListSchema,
} from './listing.ts';
import { toTraceResponse } from './traces.ts';
import { toWire } from './wire.ts';

/** The inbox and its items, under `/inbox`. */
export function inboxResource({ orchestrator, maxBodyBytes, mountPath }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  const inbox = (): Inbox => inboxOf(orchestrator);
  app.use('/inbox/:id', methodsOfItems);
  // `POST /inbox/next` is served by the path of an item: Hono's fast router, which serves all requests, has no fixed
  // text beside a parameter. The type keeps the path that clients use.
  const path: string = itemPath;
  const served = { ...endpoint(nextItemRoute), path } as typeof nextItemRoute;
  return app
    .openapi(served, async (c) => {
      const item = await inbox().next(c.req.valid('json'));
      return item === undefined ? noContentResponse(c) : itemResponse(c, item);
    })
    .openapi(endpoint(listInboxRoute), async (c) => {
      const { limit = 50, cursor: after, assignee, overdue, ...query } = c.req.valid('query');
      const filter = { statuses: query.status, kinds: query.kind, priorities: query.priority };
      const page = await inbox().list({ ...filter, assignee, overdue }, { limit, after });
      const next_cursor = page.next && toCursor(page.next);
      const counts = toCountsResponse(page.counts);
      const body = { limit, next_cursor, counts, items: page.items.map(toItem) };
      const link = nextCursorLink(c, routePath(c, mountPath, listInboxRoute), next_cursor);
      return streamJson(c, body, 'items', 200, link);
    })
    .openapi(endpoint(getItemRoute), async (c) => caseResponse(c, await inbox().get(c.req.valid('param').id)))
    .openapi(endpoint(claimItemRoute, ifMatchDocs), async (c) => {
      const { by, version } = c.req.valid('json');
      const { id } = c.req.valid('param');
      return itemResponse(c, await inbox().claim(id, by, seenVersion(c, 'an item', version)));
    })
    .openapi(endpoint(releaseItemRoute, ifMatchDocs), async (c) => {
      const { by, version } = c.req.valid('json');
      const { id } = c.req.valid('param');
      return itemResponse(c, await inbox().release(id, by, seenVersion(c, 'an item', version)));
    })
    .openapi(endpoint(assignItemRoute, ifMatchDocs), async (c) => {
      const { version, ...request } = c.req.valid('json');
      const { id } = c.req.valid('param');
      return itemResponse(c, await inbox().assign(id, request, seenVersion(c, 'an item', version)));
    })
    .openapi(endpoint(noteItemRoute, ifMatchDocs), async (c) => {
      const { version, ...request } = c.req.valid('json');
      const { id } = c.req.valid('param');
      return itemResponse(c, await inbox().addNote(id, request, seenVersion(c, 'an item', version)));
    })
    .openapi(endpoint(resolveItemRoute, ifMatchDocs), async (c) => {
      const { version, ...request } = c.req.valid('json');
      const { id } = c.req.valid('param');
      const seen = seenVersion(c, 'an item', version);
      return itemResponse(c, await inbox().resolve(id, toDecision(request), seen));
    });
}

const inboxIsOff = { status: 404, detail: 'the inbox is off' } as const;

/** Responds 404 to every request below `/inbox`, whatever it is. For apps whose inbox is off. */
export function rejectInbox(app: OpenAPIHono<AppEnv>): void {
  // Routes and not middleware of `/inbox/*`, with which Hono runs the middleware twice for the path `/*`.
  app.all('/inbox', (c) => errorResponse(c, inboxIsOff));
  app.all('/inbox/:rest{.+}', (c) => errorResponse(c, inboxIsOff));
}

/** The inbox of an orchestrator. Throws 404 where it is off. */
function inboxOf({ inbox }: { readonly inbox: Inbox | undefined }): Inbox {
  if (inbox === undefined) throw new HttpError(inboxIsOff.status, inboxIsOff.detail);
  return inbox;
}

const methodsOfItems = checkMethods((c) => {
  if (c.req.param('id') !== 'next') return 'GET, HEAD';
  c.set('route', nextItemRoute.path);
  return 'POST';
});

/** A response with an item, which is also the one that the request's log line names. */
function itemResponse(c: Context<AppEnv>, item: InboxItem) {
  c.set('logFields', { item_id: item.itemId });
  return jsonResponse(c, toItem(item), 200, versionTag(item.version));
}

/**
 * A response with an item and what it is about. It must not be cached: its tag is that of the item, whose trace,
 * conversation or execution may change without it.
 */
function caseResponse(c: Context<AppEnv>, { item, trace, conversation, run }: InboxCase) {
  const headers = { ...versionTag(item.version), 'Cache-Control': 'no-store' };
  const body: z.input<typeof caseSchema> =
    item.subject.kind === 'execution'
      ? { ...toItem(item), execution: run && toExecution(run) }
      : {
          ...toItem(item),
          trace: trace && toTraceResponse(trace),
          conversation: conversation && toConversation(conversation),
        };
  const path = body.execution == null ? ['conversation', 'entries'] : ['execution', 'step_results'];
  return streamNestedJson(c, body, path, headers);
}

const toSubject = toWire(subjectSchema, ({ stepId }: ItemSubject) => ({ step_id: stepId ?? undefined }));

const toResolution = toWire(resolutionSchema);

const toNote = toWire(noteSchema);

const toItem = toWire(itemSchema, (item: InboxItem) => ({
  subject: toSubject(item.subject),
  resolved_at: item.endedAt,
  resolution: item.resolution && toResolution(item.resolution),
  notes: item.notes.map(toNote),
}));

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

/** More than any id of an item has. */
const MAX_ID = 512;

/** A position in a listing as the `next_cursor` of a page. */
function toCursor({ rank, itemId }: InboxPosition): string {
  return Buffer.from(`${rank}:${itemId}`).toString('base64url');
}

const positionPattern = /^(0|[1-9]\d{0,15}):(.+)$/s;

/** The position of a cursor; undefined for one that no page had. */
function fromCursor(cursor: string): InboxPosition | undefined {
  const [, rank, itemId = ''] = positionPattern.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const position = { rank: Number(rank), itemId };
  if (!(position.rank < RANK_LIMIT) || itemId.length > MAX_ID || toCursor(position) !== cursor)
    return undefined;
  return position;
}

const notACursor = 'must be the next_cursor of a page';

/** The query parameter `cursor` of the inbox: an opaque text for clients, a position inside. */
const inboxCursorSchema = z
  .string(givenOnce)
  .max(2 * MAX_ID, { error: notACursor, abort: true })
  .transform((text, context) => {
    const position = fromCursor(text);
    if (position !== undefined) return position;
    context.addIssue({ code: 'custom', message: notACursor });
    return z.NEVER;
  })
  .optional()
  .openapi({
    param: { description: '`next_cursor` of the page before; the first items when absent' },
    type: 'string',
    example: 'NDk3NzE6MDFhMWZiOWUtYjA3Ng',
  });

const itemPath = '/inbox/{id}';

const nextItemRoute = actionRoute('/inbox/next', {
  operationId: 'claimNextInboxItem',
  tag: 'Inbox',
  summary: 'Claim the first open item',
  description:
    'The first in the order of `GET /inbox`. Two callers never get the same. The claim lapses after `INBOX_CLAIM_SECONDS`.',
  body: [nextRequestSchema, 'Who'],
  answers: {
    200: answer(itemSchema, 'The item, claimed', versionHeaders),
    204: { description: 'No such item is open' },
  },
  errors: [404],
});

const listInboxRoute = listRoute('/inbox', {
  operationId: 'listInbox',
  tag: 'Inbox',
  summary: 'List what waits for a person',
  description:
    'In the order in which it should be worked on: overdue items first, then by priority, then the oldest. `counts` is about all that waits, whatever the filters are. Ended items come last, the one that ended last first. All of `/inbox` answers 404 where the inbox is off.',
  query: z.object({
    status: wordListSchema(
      itemStatuses,
      'Only items with one of these statuses; those that wait when absent',
    ),
    kind: wordListSchema(itemKinds, 'Only items of these kinds'),
    priority: wordListSchema(priorities, 'Only items with one of these priorities'),
    assignee: textParameter('Only items that this person has, or has ended', 'maria'),
    overdue: flagSchema('Only items that wait and are overdue, or with `false` the others'),
    limit: pageQuerySchema.shape.limit,
    cursor: inboxCursorSchema,
  }),
  page: [
    cursorPageSchema('items', itemSchema).extend({
      counts: countsSchema.describe('How much waits in all'),
    }),
    'A page of items',
  ],
  errors: [404],
});

const getItemRoute = getRoute(itemPath, {
  operationId: 'getInboxItem',
  tag: 'Inbox',
  summary: 'Get an item with all that a decision about it needs',
  description:
    'An item about a message has `trace` and `conversation`, one about a step has `execution`. They are null where there is none.',
  params: itemParams,
  answer: [caseSchema, 'The item', versionHeaders],
});

const ifMatchDocs = matchDocs(
  '`ETag` of the item as the caller has seen it, or `*`: another version is 412. The same as `version` in the body, for which another version is 409.',
  '"7"',
);

/** A change of an item that still has the version which the caller has seen. */
function changeRoute<const Action extends string, Body extends z.ZodType>(
  action: Action,
  about: {
    readonly operationId: string;
    readonly summary: string;
    readonly description: string;
    readonly body: readonly [schema: Body, description: string];
    readonly conflict: readonly [description: string, detail: string];
  },
) {
  const [conflict, detail] = about.conflict;
  return actionRoute(`/inbox/{id}/${action}`, {
    ...about,
    tag: 'Inbox',
    params: itemParams,
    answers: { 200: answer(itemSchema, 'The item after the change', versionHeaders) },
    errors: [412],
    conflict: [`${conflict}, or \`version\` is not the one that the item has`, detail],
  });
}

const claimedByOther = 'the item is claimed by "tom" until 2026-11-21T01:30:41.532Z';

const claimItemRoute = changeRoute('claim', {
  operationId: 'claimInboxItem',
  summary: 'Claim an item',
  description:
    'The same person renews the claim with it. It lapses after `INBOX_CLAIM_SECONDS`: the item is open again then.',
  body: [claimRequestSchema, 'Who claims it'],
  conflict: ['Somebody else has claimed it, it waits no more', claimedByOther],
});

const releaseItemRoute = changeRoute('release', {
  operationId: 'releaseInboxItem',
  summary: 'Give a claim up',
  description: 'The item is open again, at its place in the order.',
  body: [claimRequestSchema, 'Who releases it'],
  conflict: ['Somebody else or nobody has claimed it, it waits no more', claimedByOther],
});

const assignItemRoute = changeRoute('assign', {
  operationId: 'assignInboxItem',
  summary: 'Claim an item for somebody else',
  description: 'Whoever has it. The claim lapses as any other.',
  body: [assignRequestSchema, 'Who shall have it'],
  conflict: ['It waits no more', 'the item is resolved by "tom"'],
});

const noteItemRoute = changeRoute('notes', {
  operationId: 'addInboxNote',
  summary: 'Add a note to an item',
  description: 'For colleagues. It is never sent to the customer, and needs no claim.',
  body: [noteRequestSchema, 'The note'],
  conflict: ['It has 100 notes already, it was withdrawn', 'the item has 100 notes already'],
});

const resolveItemRoute = changeRoute('resolve', {
  operationId: 'resolveInboxItem',
  summary: 'Decide about an item',
  description:
    'The first decision counts. It needs no claim, but nobody else may have one. The service sends no reply: `response` is stored, and joins the conversation. From a message an example is proposed for the dataset `inbox`. The outcome is one of those of the kind of the item.',
  body: [resolveRequestSchema, 'The decision'],
  conflict: ['Somebody else has claimed it, it waits no more', 'the item is resolved by "tom"'],
});
