import { OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from '../../../src/adapters/http/env.ts';
import { createErrorHandler } from '../../../src/adapters/http/errors.ts';
import { createEventStreams, type EventStreamsOptions } from '../../../src/adapters/http/events/streams.ts';
import { eventsQuerySchema, respondWithEvents } from '../../../src/adapters/http/events/subject-events.ts';
import { startServer } from '../../../src/adapters/http/listener/server.ts';
import type { EventSource, SubjectEvent } from '../../../src/domain/subject-event.ts';
import { silentLogger } from '../../../src/ports/logger.ts';

/** The log of a run in memory, which grows. */
export function createGrowingLog() {
  const events: SubjectEvent[] = [];
  const waiting = new Set<() => void>();
  let ended = false;
  let reads = 0;
  const wake = (): void => {
    for (const resolve of [...waiting]) resolve();
  };
  const source: EventSource = {
    async read(after, limit) {
      reads += 1;
      return { events: events.slice(after, after + limit), lastSeq: events.length, ended };
    },
    changed: (after, signal) =>
      new Promise((resolve) => {
        if (events.length > after || ended || signal.aborted) return resolve();
        const done = (): void => {
          waiting.delete(done);
          resolve();
        };
        waiting.add(done);
        signal.addEventListener('abort', done, { once: true });
      }),
  };
  return {
    source,
    get reads() {
      return reads;
    },
    /** The number of readers that wait for a change. */
    get waiting() {
      return waiting.size;
    },
    append(count = 1, text = 'step'): void {
      for (let index = 0; index < count; index++) {
        const stepId = `${text}-${events.length + 1}`;
        const subject = { kind: 'execution', id: 'run', workflowId: 'w' } as const;
        const data = { stepId, attempts: 1, durationMs: 1 };
        events.push({ seq: events.length + 1, type: 'step.completed', at: 0, subject, data });
      }
      wake();
    },
    end(): void {
      ended = true;
      wake();
    },
  };
}

/** Serves the events of one log at `/events`, by a real server. */
export async function startEventServer(
  source: EventSource,
  options: Partial<Pick<EventStreamsOptions, 'maxStreams' | 'commentAfterMs' | 'stalledAfterMs'>> = {},
) {
  const shutdown = new AbortController();
  const metrics = { open: 0, sent: 0, rejected: 0 };
  const streams = createEventStreams({
    maxStreams: 1_000,
    ...options,
    shutdown: shutdown.signal,
    metrics: {
      eventStreams(open) {
        metrics.open = open;
      },
      eventsSent(events) {
        metrics.sent += events;
      },
      eventStreamRejected() {
        metrics.rejected += 1;
      },
    },
  });
  const app = new OpenAPIHono<AppEnv>();
  app.onError(createErrorHandler(silentLogger));
  app.use(async (c, next) => {
    c.set('headers', {});
    await next();
  });
  app.get('/events', (c) =>
    respondWithEvents(c, streams, { key: 'run', source, query: eventsQuerySchema.parse(c.req.query()) }),
  );
  const server = await startServer({ port: 0, fetch: app.fetch });
  return { url: `http://127.0.0.1:${server.port}/events`, port: server.port, server, shutdown, metrics };
}

/** Requests a stream. */
export function openStream(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { headers: { Accept: 'text/event-stream', ...headers } });
}

/** Reads a stream until its text has `end`, or until the stream closes. */
export async function readUntil(response: Response, end: string | undefined): Promise<string> {
  const reader = (response.body ?? new ReadableStream()).getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (end === undefined || !text.includes(end)) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}
