import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startListener, type TestListener } from '../../support/http/listener.ts';

/** Longer than any test may take, so that no test passes because it ends. */
const GRACE_MS = 120_000;
const getOk = 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n';
const getHeld = 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n';

let listener: TestListener;

beforeEach(async () => {
  listener = await startListener();
});

afterEach(() => listener.end());

async function isRefused(port: number): Promise<boolean> {
  const socket = connectTcp({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}

describe('a listener that drains', () => {
  test('accepts no new connections', async () => {
    const client = await listener.connect();
    client.send(getHeld);
    await listener.held(1);
    const drained = listener.drain(GRACE_MS);
    expect(await isRefused(listener.port)).toBe(true);
    listener.release();
    await drained;
  });

  test('lets 200 requests in flight finish, each with Connection: close', async () => {
    const busy = await Promise.all(Array.from({ length: 200 }, listener.connect));
    for (const client of busy) client.send(getHeld);
    await listener.held(200);
    const drained = listener.drain(GRACE_MS);
    await sleep(20);
    listener.release();
    const exchanges = await Promise.all(busy.map((client) => client.receive()));
    for (const { responses, rest, closed } of exchanges) {
      expect(responses.map((response) => [response.status, response.body])).toEqual([[200, 'held']]);
      expect(responses[0]?.headers.get('connection')).toBe('close');
      expect({ rest, closed }).toEqual({ rest: '', closed: true });
    }
    await drained;
  });

  test('closes idle connections at once, also those without a request', async () => {
    const used = await listener.connect();
    used.send(getOk);
    await used.receive({ responses: 1 });
    const unused = await listener.connect();
    await listener.drain(GRACE_MS);
    expect(await used.receive()).toEqual({ responses: [], rest: '', closed: true });
    expect(await unused.receive()).toEqual({ responses: [], rest: '', closed: true });
  });

  test('sends a large response completely that the client has not read yet', async () => {
    const client = await listener.connect();
    client.socket.pause();
    client.send('GET /big HTTP/1.1\r\nHost: a\r\n\r\n');
    while (listener.seen.length === 0) await sleep(5);
    const drained = listener.drain(GRACE_MS);
    await sleep(50);
    client.socket.resume();
    const { responses } = await client.receive();
    expect(responses[0]?.body.length).toBe(32 * 1_024 * 1_024);
    await drained;
  });

  test('serves a request whose header has begun to arrive', async () => {
    const client = await listener.connect();
    client.send('GET /ok HTTP/1.1\r\nHo');
    await (await listener.connect()).receive({ withinMs: 50 });
    const drained = listener.drain(GRACE_MS);
    await sleep(50);
    client.send('st: a\r\n\r\n');
    const { responses } = await client.receive();
    expect(responses.map((response) => [response.body, response.headers.get('connection')])).toEqual([
      ['ok', 'close'],
    ]);
    await drained;
  });

  test('responds to all pipelined requests that it has accepted, and accepts no more', async () => {
    const client = await listener.connect();
    client.send(getHeld.repeat(3));
    await listener.held(3);
    const drained = listener.drain(GRACE_MS);
    client.send(getOk);
    await sleep(50);
    listener.release();
    const { responses } = await client.receive();
    expect(responses.map((response) => [response.body, response.headers.get('connection')])).toEqual([
      ['held', 'keep-alive'],
      ['held', 'keep-alive'],
      ['held', 'close'],
    ]);
    expect(listener.seen).not.toContain('GET /ok');
    await drained;
  });

  test('does not wait for the rest of a request after its response', async () => {
    const client = await listener.connect();
    client.send('POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
    await client.receive({ responses: 1 });
    await listener.drain(GRACE_MS);
    expect((await client.receive()).closed).toBe(true);
  });

  test('does not wait for clients that never close', async () => {
    const client = await listener.connect();
    client.socket.removeAllListeners('end');
    client.send(getHeld);
    await listener.held(1);
    const drained = listener.drain(GRACE_MS);
    listener.release();
    await drained;
    expect((await client.receive({ responses: 1 })).responses).toHaveLength(1);
  });

  test('closes the remaining connections after the grace period', async () => {
    const client = await listener.connect();
    client.send(getHeld);
    await listener.held(1);
    await listener.drain(100);
    expect((await client.receive()).responses).toEqual([]);
  });

  test('may be called again, with a shorter grace period', async () => {
    const client = await listener.connect();
    client.send(getHeld);
    await listener.held(1);
    const drained = listener.drain(GRACE_MS);
    await listener.close();
    await drained;
    expect((await client.receive()).responses).toEqual([]);
  });

  test('resolves without connections', async () => {
    await listener.drain(GRACE_MS);
    expect(await isRefused(listener.port)).toBe(true);
  });
});
