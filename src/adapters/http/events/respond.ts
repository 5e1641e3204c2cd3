import type { Context, TypedResponse } from 'hono';
import type { JSONParsed } from 'hono/utils/types';
import type { z } from 'zod';
import type { EventSource, SubjectEvents } from '../../../domain/subject-event.ts';
import { onAbort } from '../../../lib/async/on-abort.ts';
import { systemClock } from '../../shared/system.ts';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';
import { namesMediaType, qualityOf } from '../headers/accept.ts';
import { createResponse, jsonResponse } from '../response.ts';
import { onClientGone } from './client-gone.ts';
import type { EventsQuery, eventsPageSchema } from './event-routes.ts';
import type { EventStreams } from './event-streams.ts';
import { createSubjectLog } from './subject-log.ts';
import { toEventResponse } from './to-event-response.ts';

/** The events of one subject, and what a client wants of them. */
export interface EventsRequest {
  /** Kind and id of the subject: streams of one key share the work of reading. */
  readonly key: string;
  /** Its `read` may reject with `not_found`. */
  readonly source: EventSource;
  readonly query: EventsQuery;
}

const streamType = 'text/event-stream';

/** A page of events for the typed client. */
type EventsResponse = Response & TypedResponse<JSONParsed<z.input<typeof eventsPageSchema>>, 200, 'json'>;

/** Whether a request wants a stream: it names the media type, and prefers nothing else. */
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
