import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldBytes } from '../../support/heap.ts';
import { startListener, type TestListener } from '../../support/http/listener.ts';
import { exchange } from '../../support/http/raw-socket.ts';

const MEBIBYTE = 1_024 * 1_024;
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

let listener: TestListener;

beforeEach(async () => {
  listener = await startListener();
});

afterEach(() => listener.end());

describe('a client that sends requests without waiting for the replies', () => {
  test('has at most four of them served at a time, and gets the replies in order', async () => {
    const client = await listener.connect();
    const paths = ['/held', '/held', '/held', '/held', '/0', '/held', '/1', '/ok', '/2', '/3'];
    client.send(paths.map(get).join(''));
    await listener.held(4);
    await exchange(listener.port, get('/ok'), { responses: 1 });
    expect(listener.seen.filter((request) => request !== 'GET /ok')).toEqual(Array(4).fill('GET /held'));
    listener.release();
    const { responses } = await client.receive({ responses: paths.length });
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 200, 404, 200, 404, 404]);
    expect(listener.seen.filter((request) => /\d$/.test(request))).toEqual([
      'GET /0',
      'GET /1',
      'GET /2',
      'GET /3',
    ]);
  });

  test('is served again once it reads, also requests that came while it was not read', async () => {
    const client = await listener.connect();
    client.socket.pause();
    client.send(get('/large').repeat(100));
    while (listener.seen.length === 0) await sleep(5);
    for (let sent = 0; sent < 50; sent++) {
      client.send(`POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n${'y'.repeat(2_000)}`);
      await sleep(1);
    }
    client.socket.resume();
    const { responses, rest } = await client.receive({ responses: 150, withinMs: 30_000 });
    expect(responses.map(({ status, body }) => [status, body.length])).toEqual([
      ...Array(100).fill([200, MEBIBYTE]),
      ...Array(50).fill([200, 2_000]),
    ]);
    expect(rest).toBe('');
  });

  test('makes the process hold few replies while it reads none', async () => {
    const warm = await exchange(listener.port, get('/large'), { responses: 1 });
    expect(warm.responses[0]?.body).toHaveLength(MEBIBYTE);
    const held = (): number => heldBytes() + process.memoryUsage().external;
    const before = held();
    const client = await listener.connect();
    client.socket.pause();
    client.send(get('/large').repeat(1_000));
    let seen = 0;
    // Until nothing more is served.
    while (listener.seen.length !== seen || seen < 2) {
      seen = listener.seen.length;
      await sleep(200);
    }
    expect(held() - before).toBeLessThan(20 * MEBIBYTE);
  });

  test('does not have its requests served after it has gone', async () => {
    const client = await listener.connect();
    client.send(get('/held').repeat(200));
    await listener.held(4);
    client.close();
    await exchange(listener.port, get('/ok'), { responses: 1 });
    listener.release();
    await exchange(listener.port, get('/ok'), { responses: 1 });
    // Nothing is read from the connection: that it is gone shows when the first replies are sent.
    expect(listener.seen.filter((request) => request === 'GET /held').length).toBeLessThan(150);
  });

  test('gets the replies to waiting requests before an error', async () => {
    const client = await listener.connect();
    client.send(
      `${get('/held').repeat(6)}POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZ`,
    );
    await listener.held(4);
    listener.release();
    const { responses, closed } = await client.receive();
    expect(responses.map(({ status }) => status)).toEqual([...Array(6).fill(200), 400]);
    expect(closed).toBe(true);
    expect(listener.seen).not.toContain('POST /echo');
  });
});
