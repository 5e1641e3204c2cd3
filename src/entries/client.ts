/** A typed client of the HTTP interface, and a reader of its event streams. */

export { type Client, createClient, type RelaxedClient } from '../adapters/http/client.ts';
export type {
  EventResponse,
  EventResponseData,
  EventResponseSubject,
  SnakeCase,
} from '../adapters/http/events/event-schemas.ts';
export {
  EventStreamError,
  type ReadEventsOptions,
  readEvents,
} from '../adapters/http/events/read-events.ts';
