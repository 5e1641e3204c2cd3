import { createRoute, z } from '@hono/zod-openapi';
import type { TypedResponse } from 'hono';
import type { JSONParsed } from 'hono/utils/types';
import { type FeedFilter, matchesFilter } from '../../../domain/feed-event.ts';
import { type SubjectEvent, type SubjectEventType, subjectKinds } from '../../../domain/subject-event.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { FeedFollower } from '../../../ports/storage/event-feed.ts';
import { errorResponses, linkHeaders } from '../docs/routes.ts';
import { createResource } from '../middleware/validation.ts';
import type { MountPath } from '../mount-path.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { nextCursorLink } from '../record-headers.ts';
import { plainDigits } from '../resources/listing.ts';
import { jsonResponse } from '../response.ts';
import { eventSchema, eventTypes, toEventResponse } from './event-schemas.ts';
import { type EventStreams, plainFrame, type StreamLog } from './streams.ts';
import { streamContent, streamDocs, wantsStream } from './subject-events.ts';

const once = { error: 'must be given once' };

const feedQuerySchema = z.object({
  types: z
    .string(once)
    .max(4_096, 'must be at most 4096 characters')
    .transform((text, context): SubjectEventType[] => {
      const names = [...new Set(text.split(',').map((name) => name.trim()))];
      const unknown = names.find((name) => !isEventType(name));
      if (unknown !== undefined) {
        context.addIssue({ code: 'custom', message: `there is no type ${quote(unknown)}` });
      }
      return names.filter(isEventType);
    })
    .optional()
    .openapi({
      param: { description: 'Only events of these types, separated by commas' },
      type: 'string',
      example: 'message.finished,message.escalated',
    }),
  kind: z
    .enum(subjectKinds, {
      error: (issue) =>
        Array.isArray(issue.input) ? once.error : `must be one of ${subjectKinds.join(', ')}`,
    })
    .optional()
    .openapi({ param: { description: 'Only events of records of this kind' }, example: 'message' }),
  workflow_id: z
    .string(once)
    .max(256, 'must be at most 256 characters')
    .optional()
    .openapi({
      param: {
        description: 'Only events of this workflow and of its executions: its id, or `key:` and its key',
      },
      example: '01a1fb9e-ae39-7000-b823-af1ff3c3c331',
    }),
  limit: plainDigits(1, 200)
    .optional()
    .openapi({
      param: { description: 'Maximum number of events; not used by a stream' },
      type: 'integer',
      minimum: 1,
      maximum: 200,
      default: 50,
      example: 50,
    }),
  cursor: z
    .string(once)
    .max(64, 'must be the next_cursor of a page')
    .optional()
    .openapi({
      param: { description: '`next_cursor` of the page before; not used by a stream' },
      example: '1763945012345-0',
    }),
});

const feedPageSchema = z
  .object({
    events: z.array(eventSchema).describe('Newest first'),
    limit: z.number().int().describe('Maximum number of events requested'),
    next_cursor: z.string().nullable().describe('`cursor` of the next page; null on the last page'),
  })
  .openapi('FeedPage');

const feedRoute = createRoute({
  method: 'get',
  path: '/events',
  operationId: 'listEvents',
  tags: ['Events'],
  summary: 'List what happened in the service, newest first, or stream what happens',
  description:
    'The newest 10,000 events of all replicas that share a store. With `Accept: text/event-stream` the events from now on are sent as server-sent events without ids. A frame `stream.gap` says that events were lost, because the store was away or the client was too slow. `seq` counts within the subject of an event.',
  request: { query: feedQuerySchema },
  responses: {
    200: {
      description: 'A page of events, or a stream of them',
      content: {
        'application/json': { schema: feedPageSchema },
        ...streamContent,
      },
      headers: linkHeaders,
    },
    ...errorResponses(404, 422, 503),
  },
});

/** A page of the feed for the typed client. */
type FeedResponse = Response & TypedResponse<JSONParsed<z.input<typeof feedPageSchema>>, 200, 'json'>;

/** `GET /events`: what happens in the whole service. */
export function feedResource(
  { orchestrator, maxBodyBytes }: ResolvedHttpAppOptions,
  streams: EventStreams,
  mountPath: MountPath,
) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(feedRoute, streamDocs), async (c) => {
    const { types, kind, workflow_id: reference, limit = 50, cursor } = c.req.valid('query');
    const workflowId = reference && (await orchestrator.workflows.idOf(reference));
    const filter: FeedFilter = { types, kind, workflowId };
    if (wantsStream(c)) {
      const key = `feed ${JSON.stringify([types?.toSorted(), kind, workflowId])}`;
      const open = () => createFeedLog(orchestrator.events.follow(), filter);
      // As in `jsonResponse`.
      return streams.respond(c, { key, open }, undefined) as FeedResponse;
    }
    const { events, nextCursor } = await orchestrator.events.list(filter, { limit, cursor });
    const page = { events: events.map(toEventResponse), limit, next_cursor: nextCursor };
    const link = nextCursorLink(c, `${mountPath(c, feedRoute.path)}${feedRoute.path}`, nextCursor);
    const headers = { 'Cache-Control': 'no-store', Vary: 'Accept', ...link };
    return jsonResponse(c, page, 200, headers) as FeedResponse;
  });
}

function isEventType(name: string): name is SubjectEventType {
  const known: readonly string[] = eventTypes;
  return known.includes(name);
}

/** The largest number of items that are read at a time. */
const MAX_ITEMS = 256;

/** Where events of the feed were lost. */
const GAP_FRAME = 'event: stream.gap\ndata: {}\n\n';

/** The events of the feed that a filter describes, as streams send them: without ids and without an end. */
function createFeedLog(follower: FeedFollower, filter: FeedFilter): StreamLog {
  const isWanted = (item: SubjectEvent | 'gap'): boolean => item === 'gap' || matchesFilter(item, filter);
  return {
    position: follower.position,
    read(after) {
      const { items, position } = follower.read(after, MAX_ITEMS);
      if (items.length === 0) return undefined;
      return () => {
        const wanted = items.filter(isWanted);
        const frames = wanted.map((item) => (item === 'gap' ? GAP_FRAME : plainFrame(item)));
        return { position, events: wanted.length, frames: frames.join(''), isLast: false };
      };
    },
    changed: (after, signal) => follower.changed(after, signal),
    close: follower.close,
  };
}
