import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { ServerLimits } from '../../../src/adapters/http/listener/server.ts';
import { hasErrorShape, startListener, type TestListener } from '../../support/http/listener.ts';
import { exchange, type RawClient } from '../../support/http/raw-socket.ts';

const quick: Partial<ServerLimits> = {
  headersTimeoutMs: 300,
  requestTimeoutMs: 300,
  connectionsCheckingIntervalMs: 50,
};
const getOk = 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n';

let listener: TestListener;

async function start(limits: Partial<ServerLimits>): Promise<TestListener> {
  listener = await startListener(limits);
  return listener;
}

afterEach(() => listener.end());

/** Sends `head`, then single bytes until the server closes the connection. */
async function drip(client: RawClient, head: string): Promise<void> {
  client.send(head);
  while (client.socket.writable && !client.socket.readableEnded) {
    client.send('a');
    await sleep(20);
  }
}

describe('a slow client', () => {
  test('gets 408 and is disconnected if its header does not arrive in time', async () => {
    await start(quick);
    const client = await listener.connect();
    const dripping = drip(client, 'GET /ok HTTP/1.1\r\nHost: a\r\nX: ');
    const { responses, closed } = await client.receive();
    await dripping;
    expect(responses.map((response) => response.status)).toEqual([408]);
    expect(responses.every(hasErrorShape)).toBe(true);
    expect(closed).toBe(true);
    expect(listener.seen).toEqual([]);
  });

  test('gets 408 and is disconnected if its body does not arrive in time, without an error in the log', async () => {
    await start(quick);
    const client = await listener.connect();
    const dripping = drip(client, 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n');
    const { responses, closed } = await client.receive();
    await dripping;
    expect(responses.map((response) => response.status)).toEqual([408]);
    expect(responses.every(hasErrorShape)).toBe(true);
    expect(closed).toBe(true);
    expect(listener.logger.lines.filter((line) => line.level !== 'debug')).toEqual([]);
    // The application has the request and reports its status.
    expect(listener.errorResponses).toEqual([]);
  });

  test('has no effect if it sends the rest of its body after the 408', async () => {
    await start(quick);
    const client = await listener.connect();
    client.send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc');
    const { responses } = await client.receive({ responses: 1 });
    client.send('de');
    await client.receive();
    await listener.close();
    expect(responses.map((response) => response.status)).toEqual([408]);
    expect(listener.bodies).toEqual([]);
  });

  test('is disconnected if it sends nothing', async () => {
    await start(quick);
    const client = await listener.connect();
    expect((await client.receive()).closed).toBe(true);
  });

  test('gets its pending responses before the 408', async () => {
    await start(quick);
    const client = await listener.connect();
    client.send('GET /held HTTP/1.1\r\nHost: a\r\n\r\nGET /ok HT');
    await listener.held(1);
    await until(() => listener.errorResponses.length > 0);
    listener.release();
    const { responses } = await client.receive();
    expect(responses.map((response) => response.status)).toEqual([200, 408]);
  });

  test('does not delay others', async () => {
    await start(quick);
    const slow = await Promise.all(Array.from({ length: 100 }, listener.connect));
    const drips = slow.map((client) => drip(client, 'GET /ok HTTP/1.1\r\nX: '));
    let served = 0;
    while (slow.some((client) => client.socket.writable && !client.socket.readableEnded)) {
      const { responses } = await exchange(listener.port, getOk, { responses: 1 });
      expect(responses[0]?.status).toBe(200);
      served += 1;
    }
    await Promise.all(drips);
    expect(served).toBeGreaterThan(0);
    expect(listener.errorResponses).toHaveLength(100);
  });

  test('is disconnected if it does not read its response, but not if its response is not ready', async () => {
    await start({ stalledReplyTimeoutMs: 200 });
    const waiting = await listener.connect();
    waiting.send('GET /held HTTP/1.1\r\nHost: a\r\n\r\n');
    await listener.held(1);
    const stalled = await listener.connect();
    stalled.socket.pause();
    stalled.send('GET /big HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(listener.responseEvents, 'lost');
    listener.release();
    const { responses } = await waiting.receive({ responses: 1 });
    expect(responses[0]?.body).toBe('held');
  });

  test('is disconnected after the keep-alive timeout', async () => {
    await start({ keepAliveTimeoutMs: 100 });
    const client = await listener.connect();
    client.send(getOk);
    const { responses, rest, closed } = await client.receive();
    expect(responses.map((response) => response.status)).toEqual([200]);
    expect({ rest, closed }).toEqual({ rest: '', closed: true });
  });
});

describe('a greedy client', () => {
  test('is disconnected over the maximum number of connections, until another one closes', async () => {
    await start({ maxConnections: 2 });
    const first = await listener.connect();
    first.send(getOk);
    await first.receive({ responses: 1 });
    const second = await listener.connect();
    second.send(getOk);
    await second.receive({ responses: 1 });
    const third = await listener.connect();
    third.send(getOk);
    expect(await third.receive()).toEqual({ responses: [], rest: '', closed: true });
    expect(listener.logger.lines.filter((line) => line.level === 'warn')).toHaveLength(1);
    first.close();
    await until(async () => (await exchange(listener.port, getOk, { responses: 1 })).responses.length === 1);
  });

  test('gets Connection: close after the maximum number of requests, and no later request is served', async () => {
    await start({ maxRequestsPerSocket: 3 });
    const { responses, closed } = await exchange(listener.port, getOk.repeat(5));
    expect(responses.map((response) => response.headers.get('connection'))).toEqual([
      'keep-alive',
      'keep-alive',
      'close',
    ]);
    expect(closed).toBe(true);
    expect(listener.seen).toHaveLength(3);
  });

  test('gets the responses to 10,000 pipelined requests in order', async () => {
    await start({});
    const requests = Array.from(
      { length: 10_000 },
      (_, index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`,
    );
    const { responses, closed } = await exchange(listener.port, requests.join(''), { withinMs: 50_000 });
    expect(responses).toHaveLength(10_000);
    expect(closed).toBe(true);
    expect(listener.seen).toEqual(requests.map((_, index) => `GET /${index}`));
    expect(responses.at(-1)?.headers.get('connection')).toBe('close');
  });
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}
