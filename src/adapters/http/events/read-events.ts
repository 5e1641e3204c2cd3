import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { EventResponse } from './event-schemas.ts';

/** Options of {@link readEvents}. */
export interface ReadEventsOptions {
  /** Only events with a larger `seq`: those that the caller has already. All of them when absent. */
  readonly after?: number | undefined;
  /** Headers of each request, such as `X-Api-Key`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Ends the reading: the iteration then ends without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when events of `GET /events` may be missing: the server has lost some, or the connection was cut. The events
   * of one record are never missing.
   */
  readonly onGap?: (() => void) | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** The server does not serve the events: the request itself is wrong. */
export class EventStreamError extends Error {
  override readonly name = 'EventStreamError';
  /** The status of the response. */
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** Milliseconds before the next attempt, until the server names another time; and at most. */
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 60_000;

/** The statuses below 500 that a later attempt may not get. */
const passing: readonly number[] = [408, 425, 429];

/** The end of a connection. */
type Outcome = 'ended' | 'cut';

/**
 * Reads the events of a record, or of the whole service, while they happen. `url` is that of the endpoint, such as
 * `http://127.0.0.1:8000/trace/<trace_id>/events`. A connection that is cut, an unreachable server, 429 and 5xx lead to
 * another attempt, which goes on after the last event: each event of a record comes once and in order. The iteration
 * ends when the record has ended, when `signal` is aborted, or when the caller leaves the loop. Throws {@link
 * EventStreamError} for another status of 4xx, and where the response is no event stream.
 */
export async function* readEvents(
  url: string | URL,
  options: ReadEventsOptions = {},
): AsyncGenerator<EventResponse, void> {
  const { signal, onGap } = options;
  const state = { lastId: options.after, retryMs: RETRY_MS, isNumbered: options.after !== undefined };
  let hasConnected = false;
  while (signal?.aborted !== true) {
    if (hasConnected && !state.isNumbered) onGap?.();
    let waitMs = state.retryMs;
    try {
      const response = await request(url, options, state.lastId);
      if (response.status === 204) return;
      if (response.ok) {
        hasConnected = true;
        if ((yield* readStream(await bodyOf(response), state, onGap)) === 'ended') return;
        waitMs = state.retryMs;
      } else waitMs = await retryAfter(response, state.retryMs);
    } catch (error) {
      if (error instanceof EventStreamError) throw error;
      // The server cannot be reached, or the connection was cut.
    }
    await wait(waitMs, signal);
  }
}

interface ReadState {
  lastId: number | undefined;
  retryMs: number;
  /** True when the events have ids. Those of the feed have none. */
  isNumbered: boolean;
}

async function request(
  url: string | URL,
  { headers, signal, fetch: send = fetch }: ReadEventsOptions,
  lastId: number | undefined,
): Promise<Response> {
  return send(String(url), {
    headers: {
      ...headers,
      Accept: 'text/event-stream',
      ...(lastId === undefined ? {} : { 'Last-Event-ID': String(lastId) }),
    },
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The body of an event stream. Throws for any other content. */
async function bodyOf(response: Response): Promise<ReadableStream<Uint8Array>> {
  const type = response.headers.get('content-type') ?? '';
  if (response.body !== null && type.startsWith('text/event-stream')) return response.body;
  await response.body?.cancel();
  throw new EventStreamError(response.status, 'the response is no event stream');
}

/** Yields the events of one connection. */
async function* readStream(
  body: ReadableStream<Uint8Array>,
  state: ReadState,
  onGap: (() => void) | undefined,
): AsyncGenerator<EventResponse, Outcome> {
  for await (const { event, data, id } of parseFrames(body, state)) {
    if (event === 'stream.end') return 'ended';
    if (event === 'stream.gap') onGap?.();
    else {
      // The caller has the event once it is yielded, whatever happens next.
      if (id !== undefined) state.lastId = Number(id);
      state.isNumbered = id !== undefined;
      yield JSON.parse(data) as EventResponse;
    }
  }
  return 'cut';
}

/** The longest frame in characters: the server's own events are far shorter. */
const MAX_FRAME_LENGTH = 1_048_576;

/** Yields the frames of a stream as they arrive; one that the end of the stream cuts off is left out. */
async function* parseFrames(
  body: ReadableStream<Uint8Array>,
  state: Pick<ReadState, 'retryMs'>,
): AsyncGenerator<EventSourceMessage> {
  const frames: EventSourceMessage[] = [];
  const parser = createParser({
    maxBufferSize: MAX_FRAME_LENGTH,
    onEvent: (frame) => frames.push(frame),
    onRetry(milliseconds) {
      state.retryMs = Math.min(milliseconds, MAX_RETRY_MS);
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw error;
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* frames.splice(0);
  }
}

/** Milliseconds until the next attempt after an error. Throws for one that would come again. */
async function retryAfter(response: Response, retryMs: number): Promise<number> {
  const { status } = response;
  const text = await response.text();
  if (status < 500 && !passing.includes(status)) throw new EventStreamError(status, detailOf(text, status));
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_MS) : retryMs;
}

/** The detail of an error response. */
function detailOf(text: string, status: number): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'detail' in body) return String(body.detail);
  } catch {
    // The response is not one of this service: its status says all.
  }
  return `the server responded with status ${status}`;
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
