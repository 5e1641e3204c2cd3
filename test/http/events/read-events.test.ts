import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { EventStreamError, readEvents } from '../../../src/entries/client.ts';
import { createGrowingLog, startEventServer } from '../../support/http/event-server.ts';
import { startTcpProxy } from '../../support/redis/tcp-proxy.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function startScripted(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/events`;
}

/** The response of a server that wants clients back at once. */
const stream = { 'Content-Type': 'text/event-stream', Connection: 'close' };

describe('readEvents', () => {
  test('loses and doubles no event when the connection is cut 100 times', async () => {
    const log = createGrowingLog();
    const { port, server } = await startEventServer(log.source);
    const proxy = await startTcpProxy(port);
    closing.push(
      () => proxy.close(),
      () => server.close(),
    );
    const quick = async (url: string, init: RequestInit): Promise<Response> => {
      const response = await fetch(url, init);
      if (response.body === null) return response;
      // The same stream, whose server wants clients back after 5 ms.
      const retry = new TransformStream<Uint8Array, Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('retry: 5\n')),
        transform(chunk, controller) {
          const text = new TextDecoder().decode(chunk).replace('retry: 2000', 'retry: 5');
          controller.enqueue(new TextEncoder().encode(text));
        },
      });
      return new Response(response.body.pipeThrough(retry), response);
    };
    const seen: number[] = [];
    let cuts = 0;
    log.append(10);
    for await (const { seq } of readEvents(`http://127.0.0.1:${proxy.port}/events`, { fetch: quick })) {
      seen.push(seq);
      if (cuts < 100 && seq % 10 === 0) {
        cuts += 1;
        log.append(10);
        proxy.setMode('down');
        proxy.setMode('pass');
        if (cuts === 100) log.end();
      }
    }
    expect(cuts).toBe(100);
    expect(seen).toEqual(Array.from({ length: 1_010 }, (_, index) => index + 1));
  });

  test('begins after a number, and ends at once when the record has nothing more', async () => {
    const log = createGrowingLog();
    log.append(3);
    log.end();
    const { url, server } = await startEventServer(log.source);
    closing.push(() => server.close());
    const read = async (after: number) => {
      const seen: number[] = [];
      for await (const { seq } of readEvents(url, { after })) seen.push(seq);
      return seen;
    };
    expect([await read(1), await read(3)]).toEqual([[2, 3], []]);
  });

  test('ends when its signal is aborted, while it reads and while it waits', async () => {
    const log = createGrowingLog();
    log.append();
    const { url, server, metrics } = await startEventServer(log.source);
    closing.push(() => server.close());
    const controller = new AbortController();
    for await (const { seq } of readEvents(url, { signal: controller.signal })) {
      expect(seq).toBe(1);
      setTimeout(() => controller.abort(), 20);
    }
    expect(metrics.sent).toBe(1);
    const waiting = new AbortController();
    setTimeout(() => waiting.abort(), 50);
    for await (const _ of readEvents('http://127.0.0.1:1/events', { signal: waiting.signal })) expect.fail();
  });

  test.each([
    [
      401,
      JSON.stringify({ error: 'Unauthorized', detail: 'a valid API key is required' }),
      'a valid API key is required',
    ],
    [404, 'no JSON', 'the server responded with status 404'],
  ])('throws for status %d', async (status, body, message) => {
    const url = await startScripted((_, response) => response.writeHead(status).end(body));
    const reading = readEvents(url).next();
    await expect(reading).rejects.toThrow(new EventStreamError(status, message));
    await expect(reading).rejects.toMatchObject({ status });
  });

  test('throws where the response is no event stream', async () => {
    const url = await startScripted((_, response) => response.writeHead(200).end('hello'));
    await expect(readEvents(url).next()).rejects.toThrow('the response is no event stream');
  });

  test('tries again after 503, and sends its headers', async () => {
    let requests = 0;
    const keys: unknown[] = [];
    const url = await startScripted((request, response) => {
      requests += 1;
      keys.push(request.headers['x-api-key']);
      if (requests === 1) response.writeHead(503, { 'Retry-After': '1' }).end();
      else response.writeHead(204).end();
    });
    for await (const _ of readEvents(url, { headers: { 'X-Api-Key': 'key' } })) expect.fail();
    expect(keys).toEqual(['key', 'key']);
  });

  test('says where events of the feed may be missing', async () => {
    let requests = 0;
    const url = await startScripted((_, response) => {
      requests += 1;
      response.writeHead(requests < 3 ? 200 : 204, stream);
      const event = JSON.stringify({ seq: 1, type: 'workflow.created' });
      response.end(
        requests < 3
          ? `retry: 1\r\n\r\nevent: stream.gap\ndata: {}\n\nevent: workflow.created\ndata: ${event}\n\ndata: cut`
          : '',
      );
    });
    let gaps = 0;
    const seen: unknown[] = [];
    const onGap = (): void => {
      gaps += 1;
    };
    for await (const { type } of readEvents(url, { onGap })) seen.push(type);
    expect(seen).toEqual(['workflow.created', 'workflow.created']);
    expect(gaps).toBe(4);
  });
});
