import { createRoute } from '@hono/zod-openapi';
import type { EventStreams } from '../../events/streams.ts';
import {
  eventsDescription,
  eventsDocs,
  eventsQuerySchema,
  eventsResponses,
  respondWithEvents,
} from '../../events/subject-events.ts';
import { createResource } from '../../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../../options.ts';
import { workflowParams } from '../workflows/workflow-schemas.ts';
import { runParams } from './run-schemas.ts';

const runEventsRoute = createRoute({
  method: 'get',
  path: '/workflows/{id}/runs/{execution_id}/events',
  operationId: 'listRunEvents',
  tags: ['Events'],
  summary: 'List or stream the events of an execution',
  description: `Also while it runs. 404 under the id of another workflow. ${eventsDescription}`,
  request: { params: workflowParams.extend(runParams.shape), query: eventsQuerySchema },
  responses: eventsResponses,
});

/** `GET /workflows/{id}/runs/{execution_id}/events`. */
export function runEventsResource(
  { orchestrator, maxBodyBytes }: ResolvedHttpAppOptions,
  streams: EventStreams,
) {
  const { runs, workflows } = orchestrator;
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(runEventsRoute, eventsDocs), async (c) => {
    const { id, execution_id } = c.req.valid('param');
    return respondWithEvents(c, streams, {
      key: `execution ${execution_id}`,
      source: runs.events(execution_id, await workflows.idOf(id)),
      query: c.req.valid('query'),
    });
  });
}
