import { z } from '@hono/zod-openapi';
import { errorResponses } from '../docs/routes.ts';
import { plainDigits } from '../resources/listing.ts';
import { eventSchema } from './event-schemas.ts';

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

/** The query of such an endpoint, parsed. */
export type EventsQuery = z.output<typeof eventsQuerySchema>;

/** A page of the events of one subject. */
export const eventsPageSchema = z
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

/** What the descriptions of such endpoints have in common. */
export const eventsDescription =
  'With `Accept: text/event-stream` the events are sent as server-sent events: `id` is the `seq`, `event` the type, `data` the event. After the last event of a record that has ended comes a frame `stream.end` without an id, and the stream closes. A stream that was cut goes on after `Last-Event-ID`.';
