import { createRoute, z } from '@hono/zod-openapi';
import type { Context, TypedResponse } from 'hono';
import type { JSONParsed } from 'hono/utils/types';
import { traceEvents } from '../../../domain/message/message-events.ts';
import { routingEvents } from '../../../domain/routing/routing-events.ts';
import type { EventSource, SubjectEvent, SubjectEvents } from '../../../domain/subject-event.ts';
import { onAbort } from '../../../lib/async/on-abort.ts';
import { systemClock } from '../../shared/system.ts';
import { errorResponses } from '../docs/routes.ts';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { namesMediaType, qualityOf } from '../parse-headers.ts';
import { plainDigits } from '../resources/listing.ts';
import { idParameter } from '../resources/schemas.ts';
import { createResponse, jsonResponse } from '../response.ts';
import { eventSchema, toEventResponse } from './event-schemas.ts';
import { type EventStreams, onClientGone, plainFrame, type StreamLog } from './streams.ts';

/** The largest `limit` of a page, and the largest `wait`, in seconds. */
const MAX_LIMIT = 200;
const MAX_WAIT_SECONDS = 30;

/** The query of an endpoint for the events of one subject. */
export const eventsQuerySchema = z.object({
  after: plainDigits(0)
    .optional()
    .openapi({
      param: { description: 'Only events with a larger `seq`' },
      type: 'integer',
      minimum: 0,
      default: 0,
      example: 0,
    }),
  limit: plainDigits(1, MAX_LIMIT)
    .optional()
    .openapi({
      param: { description: 'Maximum number of events; not used by a stream' },
      type: 'integer',
      minimum: 1,
      maximum: MAX_LIMIT,
      default: 50,
      example: 50,
    }),
  wait: plainDigits(0, MAX_WAIT_SECONDS)
    .optional()
    .openapi({
      param: {
        description:
          'Seconds to wait for an event when there is none and the record has not ended; not used by a stream',
      },
      type: 'integer',
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      default: 0,
      example: 0,
    }),
});

/** A page of the events of one subject. */
const eventsPageSchema = z
  .object({
    events: z.array(eventSchema).describe('Oldest first'),
    last_seq: z.number().int().describe('Number of the last event of the record'),
    ended: z.boolean().describe('Whether the record has ended and this page reaches its last event'),
  })
  .openapi('EventsPage');

/** The headers of a stream, for the documentation of a route. */
export const streamDocs = {
  headers: z.object({
    Accept: z
      .string()
      .optional()
      .openapi({
        param: { description: '`text/event-stream` for a stream of server-sent events' },
        example: 'text/event-stream',
      }),
  }),
};

/** The documentation of an endpoint for the events of one subject: what `endpoint` takes beside the route. */
export const eventsDocs = {
  headers: streamDocs.headers.extend({
    'Last-Event-ID': z
      .string()
      .optional()
      .openapi({
        param: { description: 'For a stream: only events with a larger `seq`. It wins over `after`' },
        example: '7',
      }),
  }),
};

/** The content of a stream, for the documentation of a route. */
export const streamContent = {
  'text/event-stream': { schema: z.string() },
};

/** The responses of an endpoint for the events of one subject. */
export const eventsResponses = {
  200: {
    description: 'A page of events, or a stream of them',
    content: {
      'application/json': { schema: eventsPageSchema },
      ...streamContent,
    },
  },
  204: {
    description: 'A stream is requested, and the record has ended without an event after `Last-Event-ID`',
  },
  ...errorResponses(404, 422, 503),
};

/** The common part of the descriptions of such endpoints. */
export const eventsDescription =
  'With `Accept: text/event-stream` the events are sent as server-sent events: `id` is the `seq`, `event` the type, `data` the event. After the last event of a record that has ended comes a frame `stream.end` without an id, and the stream closes. A stream that was cut goes on after `Last-Event-ID`.';

const traceEventsRoute = createRoute({
  method: 'get',
  tags: ['Events'],
  responses: eventsResponses,
  path: '/trace/{trace_id}/events',
  operationId: 'listTraceEvents',
  summary: 'List or stream the events of one message',
  description: `The record is written when the message has ended, so that all its events are there. ${eventsDescription}`,
  request: {
    params: z.object({ trace_id: idParameter('`trace_id` of a message response') }),
    query: eventsQuerySchema,
  },
});

const routingEventsRoute = createRoute({
  method: 'get',
  tags: ['Events'],
  responses: eventsResponses,
  path: '/agents/routes/{routing_id}/events',
  operationId: 'listRouteEvents',
  summary: 'List or stream the events of one routing run',
  description: `The record is written when the run has ended, so that all its events are there. ${eventsDescription}`,
  request: {
    params: z.object({ routing_id: idParameter('`routing_id` of the result') }),
    query: eventsQuerySchema,
  },
});

/** The events of stored records: `GET /trace/{trace_id}/events` and `GET /agents/routes/{routing_id}/events`. */
export function recordEventsResource(
  { orchestrator, maxBodyBytes }: ResolvedHttpAppOptions,
  streams: EventStreams,
) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app
    .openapi(endpoint(traceEventsRoute, eventsDocs), async (c) => {
      const trace = await orchestrator.traces.get(c.req.valid('param').trace_id);
      return respondWithEvents(c, streams, {
        key: `message ${trace.traceId}`,
        source: endedSource(traceEvents(trace)),
        query: c.req.valid('query'),
      });
    })
    .openapi(endpoint(routingEventsRoute, eventsDocs), async (c) => {
      const routing = await orchestrator.agents.getRoute(c.req.valid('param').routing_id);
      return respondWithEvents(c, streams, {
        key: `routing ${routing.routingId}`,
        source: endedSource(routingEvents(routing)),
        query: c.req.valid('query'),
      });
    });
}

/** The events of one subject, and what a client wants of them. */
interface EventsRequest {
  /** Kind and id of the subject: streams of one key share the work of reading. */
  readonly key: string;
  /** Its `read` may reject with `not_found`. */
  readonly source: EventSource;
  readonly query: z.output<typeof eventsQuerySchema>;
}

const streamType = 'text/event-stream';

/** A page of events for the typed client. */
type EventsResponse = Response & TypedResponse<JSONParsed<z.input<typeof eventsPageSchema>>, 200, 'json'>;

/** True when a request wants a stream: it names the media type, and prefers nothing else. */
export function wantsStream(c: Context<AppEnv>): boolean {
  const accept = c.req.header('accept');
  if (!namesMediaType(accept, streamType)) return false;
  return qualityOf(accept, streamType) >= qualityOf(accept, 'application/json');
}

/**
 * Responds with the events of one subject: as JSON, or as a stream where the request wants one. Rejects as the source
 * does, and with `unavailable` when too many streams are open.
 */
export async function respondWithEvents(
  c: Context<AppEnv>,
  streams: EventStreams,
  request: EventsRequest,
): Promise<EventsResponse> {
  // As in `jsonResponse`.
  if (wantsStream(c)) return (await respondWithStream(c, streams, request)) as EventsResponse;
  const { after = 0, limit = 50 } = request.query;
  const { events, lastSeq, ended } = await readPage(c, streams.shutdown, request, { after, limit });
  const position = events.at(-1)?.seq ?? after;
  const page = {
    events: events.map(toEventResponse),
    last_seq: lastSeq,
    ended: ended && position >= lastSeq,
  };
  return jsonResponse(c, page, 200, { 'Cache-Control': 'no-store', Vary: 'Accept' }) as EventsResponse;
}

async function respondWithStream(
  c: Context<AppEnv>,
  streams: EventStreams,
  { key, source, query }: EventsRequest,
): Promise<Response> {
  const after = lastEventId(c) ?? query.after ?? 0;
  // Read before the stream begins, so that errors have their status.
  const { lastSeq, ended } = await source.read(after, 1);
  if (ended && after >= lastSeq) {
    return createResponse(c, null, 204, { 'Cache-Control': 'no-store', Vary: 'Accept' });
  }
  return streams.respond(c, { key, open: () => createSubjectLog(source) }, after);
}

/** At most as many digits as a JavaScript number represents exactly. */
const integerDigits = /^\d{1,15}$/;

/** The number of the last event that the client has. Throws 422 where the header is no number. */
function lastEventId(c: Context<AppEnv>): number | undefined {
  const sent = c.req.header('last-event-id');
  if (sent === undefined) return undefined;
  if (integerDigits.test(sent)) return Number(sent);
  const detail = 'must be an integer in plain decimal digits';
  throw new HttpError(422, `Last-Event-ID: ${detail}`, { issues: [{ pointer: 'Last-Event-ID', detail }] });
}

/** Reads a page. When it is empty, and the subject has not ended, waits for its next event first. */
async function readPage(
  c: Context<AppEnv>,
  shutdown: AbortSignal,
  { source, query }: EventsRequest,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<SubjectEvents> {
  const page = await source.read(after, limit);
  const waitSeconds = query.wait ?? 0;
  if (page.events.length > 0 || page.ended || waitSeconds === 0 || shutdown.aborted) return page;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const cancelTimer = systemClock.after(waitSeconds * 1_000, abort);
  const unsubscribe = onAbort(shutdown, abort);
  const unlisten = onClientGone(c, abort);
  try {
    await source.changed(after, controller.signal);
  } finally {
    cancelTimer();
    unsubscribe();
    unlisten();
  }
  return source.read(after, limit);
}

/** The largest number of events that are read at a time. */
const MAX_EVENTS = 256;

/** After the last event of a subject that has ended. It has no id, so that a client keeps that of the last event. */
const END_FRAME = 'event: stream.end\ndata: {}\n\n';

/** The events of one subject as streams send them: with ids, and with a last frame when the subject has ended. */
function createSubjectLog(source: EventSource): StreamLog {
  return {
    async read(after) {
      const { events, lastSeq, ended } = await source.read(after, MAX_EVENTS);
      const position = events.at(-1)?.seq ?? after;
      if (events.length === 0 && !ended) return undefined;
      const isLast = ended && (events.length === 0 || position >= lastSeq);
      return () => {
        // An event has its number as id, so that a client can go on after it.
        const frames = events.map((event) => `id: ${event.seq}\n${plainFrame(event)}`).join('');
        return { position, events: events.length, frames: isLast ? frames + END_FRAME : frames, isLast };
      };
    },
    position: () => 0,
    changed: (after, signal) => source.changed(after, signal),
    close: () => undefined,
  };
}

/** The events of a subject that has ended. They are numbered from 1 without gaps. */
function endedSource(events: readonly SubjectEvent[]): EventSource {
  return {
    read: async (after, limit) => ({
      events: events.slice(after, after + limit),
      lastSeq: events.length,
      ended: true,
    }),
    changed: async () => undefined,
  };
}
