import { EventEmitter } from 'node:events';
import { Hono } from 'hono';
import { errorBody } from '../../../src/adapters/http/error-body.ts';
import {
  type RunningServer,
  type ServerLimits,
  startServer,
} from '../../../src/adapters/http/listener/server.ts';
import { countingIds, type RecordingLogger, recordLogs } from '../fakes.ts';
import { connectRaw, type RawClient, type RawResponse } from './raw-socket.ts';

const MAX_BODY_BYTES = 64 * 1_024;

/** A listener with a small application that records its requests. */
export interface TestListener extends RunningServer {
  /** Method and path of every request to the application, such as `GET /path`. */
  readonly seen: readonly string[];
  /** Every complete body sent to `/echo`. */
  readonly bodies: readonly string[];
  readonly errorResponses: readonly number[];
  readonly logger: RecordingLogger;
  /** Emits `sent` when a response was sent completely, else `lost`. */
  readonly responseEvents: EventEmitter;
  /** Lets all current and later requests to `/held` finish. */
  release(): void;
  /** Resolves once `count` requests have reached `/held`. */
  held(count: number): Promise<void>;
  /** Opens a connection, which `end` closes. */
  connect(): Promise<RawClient>;
  /** Releases held requests, closes the connections of `connect`, then the server. */
  end(): Promise<void>;
}

/**
 * Starts a listener on a free loopback port. Its application responds to `/ok` at once, to `/held` when released, to
 * `/big` with 32 MiB, `/large` with 1 MiB, `/echo` with the body sent (413 over 64 KiB), `/broken` by throwing, and all
 * else with 404.
 */
export async function startListener(limits: Partial<ServerLimits> = {}): Promise<TestListener> {
  const responses = new EventEmitter();
  const released = Promise.withResolvers<void>();
  const seen: string[] = [];
  const bodies: string[] = [];
  const errorResponses: number[] = [];
  const logger = recordLogs();
  const waiting: { count: number; resolve: () => void }[] = [];
  const clients: RawClient[] = [];
  let holding = 0;
  const app = createApp(seen, bodies, async () => {
    holding += 1;
    for (const wait of waiting) if (holding >= wait.count) wait.resolve();
    await released.promise;
  });
  const server = await startServer({
    fetch: (request, env) => {
      const { outgoing } = env;
      outgoing.on('close', () => responses.emit(outgoing.writableFinished ? 'sent' : 'lost'));
      return app.fetch(request, env);
    },
    host: '127.0.0.1',
    port: 0,
    limits,
    logger,
    newId: countingIds(),
    onErrorResponse: (status) => errorResponses.push(status),
    onListenerError: (error) => logger.error('listener', { error }),
  });
  return {
    ...server,
    seen,
    bodies,
    errorResponses,
    logger,
    responseEvents: responses,
    release: released.resolve,
    held(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      if (holding >= count) resolve();
      return promise;
    },
    async connect() {
      const client = await connectRaw(server.port);
      clients.push(client);
      return client;
    },
    async end() {
      released.resolve();
      for (const client of clients) client.close();
      await server.close();
    },
  };
}

function createApp(seen: string[], bodies: string[], hold: () => Promise<void>): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    seen.push(`${c.req.method} ${c.req.path}`);
    await next();
  });
  app.get('/ok', (c) => c.text('ok'));
  app.all('/held', async (c) => {
    await hold();
    return c.text('held');
  });
  app.get('/large', (c) => c.text('x'.repeat(1_024 * 1_024)));
  app.all('/big', (c) => c.text('x'.repeat(32 * 1_024 * 1_024)));
  app.post('/echo', async (c) => {
    let size = 0;
    const chunks: Uint8Array[] = [];
    for await (const chunk of c.req.raw.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) return c.json(errorBody(413, 'the body is too large'), 413);
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks).toString();
    bodies.push(body);
    return c.text(body);
  });
  app.notFound((c) => c.json(errorBody(404, 'there is nothing here'), 404));
  app.onError((error, c) => c.json(errorBody(500, error.name), 500));
  return app;
}

/** True for a response with exactly the error shape (specification, section 7). */
export function hasErrorShape(response: RawResponse): boolean {
  if (!response.headers.get('content-type')?.startsWith('application/json')) return false;
  const body: unknown = JSON.parse(response.body);
  if (typeof body !== 'object' || body === null) return false;
  const { error, detail, ...others } = body as Record<string, unknown>;
  return error === response.reason && typeof detail === 'string' && Object.keys(others).length === 0;
}
