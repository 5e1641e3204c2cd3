import { createRoute, z } from '@hono/zod-openapi';
import { traceEvents } from '../../../domain/message/message-events.ts';
import { routingEvents } from '../../../domain/routing/routing-events.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { idParameter } from '../resources/schemas.ts';
import { eventsDescription, eventsDocs, eventsQuerySchema, eventsResponses } from './event-routes.ts';
import type { EventStreams } from './event-streams.ts';
import { respondWithEvents } from './respond.ts';
import { endedSource } from './subject-log.ts';

const traceEventsRoute = createRoute({
  method: 'get',
  path: '/trace/{trace_id}/events',
  operationId: 'listTraceEvents',
  tags: ['Events'],
  summary: 'List or stream the events of one message',
  description: `The record is written when the message has ended, so that all its events are there. ${eventsDescription}`,
  request: {
    params: z.object({ trace_id: idParameter('`trace_id` of a message response') }),
    query: eventsQuerySchema,
  },
  responses: eventsResponses,
});

const routingEventsRoute = createRoute({
  method: 'get',
  path: '/agents/routes/{routing_id}/events',
  operationId: 'listRouteEvents',
  tags: ['Events'],
  summary: 'List or stream the events of one routing run',
  description: `The record is written when the run has ended, so that all its events are there. ${eventsDescription}`,
  request: {
    params: z.object({ routing_id: idParameter('`routing_id` of the result') }),
    query: eventsQuerySchema,
  },
  responses: eventsResponses,
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
