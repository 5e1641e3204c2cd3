import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startListener, type TestListener } from '../../support/http/listener.ts';
import { connectRaw, type RawClient } from '../../support/http/raw-socket.ts';

/** Longer than any test may take: none of them passes by it. */
const GRACE_MS = 120_000;
const getOk = 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n';
const getHeld = 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n';

let listener: TestListener;
let clients: RawClient[] = [];

beforeEach(async () => {
  listener = await startListener();
});

afterEach(async () => {
  listener.release();
  for (const client of clients) client.close();
  clients = [];
  await listener.close();
});

async function connect(): Promise<RawClient> {
  const client = await connectRaw(listener.port);
  clients.push(client);
  return client;
}

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
  test('refuses new connections at once', async () => {
    const client = await connect();
    client.send(getHeld);
    await listener.held(1);
    const drained = listener.drain(GRACE_MS);
    expect(await isRefused(listener.port)).toBe(true);
    listener.release();
    await drained;
  });

  test('lets 200 requests in flight finish, each with Connection: close', async () => {
    const busy = await Promise.all(Array.from({ length: 200 }, connect));
    for (const client of busy) client.send(getHeld);
    await listener.held(200);
    const drained = listener.drain(GRACE_MS);
    await pause(20);
    listener.release();
    const exchanges = await Promise.all(busy.map((client) => client.receive()));
    for (const { replies, rest, closed } of exchanges) {
      expect(replies.map((reply) => [reply.status, reply.body])).toEqual([[200, 'held']]);
      expect(replies[0]?.headers.get('connection')).toBe('close');
      expect({ rest, closed }).toEqual({ rest: '', closed: true });
    }
    await drained;
  });

  test('ends idle connections at once, those without a request too', async () => {
    const used = await connect();
    used.send(getOk);
    await used.receive({ replies: 1 });
    const unused = await connect();
    await listener.drain(GRACE_MS);
    expect(await used.receive()).toEqual({ replies: [], rest: '', closed: true });
    expect(await unused.receive()).toEqual({ replies: [], rest: '', closed: true });
  });

  test('sends a big reply that is written, but not taken yet, to its end', async () => {
    const client = await connect();
    client.socket.pause();
    client.send('GET /big HTTP/1.1\r\nHost: a\r\n\r\n');
    while (listener.seen.length === 0) await pause(5);
    const drained = listener.drain(GRACE_MS);
    await pause(50);
    client.socket.resume();
    const { replies } = await client.receive();
    expect(replies[0]?.body.length).toBe(32 * 1_024 * 1_024);
    await drained;
  });

  test('serves a request whose header had begun to arrive', async () => {
    const client = await connect();
    client.send('GET /ok HTTP/1.1\r\nHo');
    await (await connect()).receive({ withinMs: 50 });
    const drained = listener.drain(GRACE_MS);
    await pause(50);
    client.send('st: a\r\n\r\n');
    const { replies } = await client.receive();
    expect(replies.map((reply) => [reply.body, reply.headers.get('connection')])).toEqual([['ok', 'close']]);
    await drained;
  });

  test('answers all pipelined requests that it has taken, and takes no more', async () => {
    const client = await connect();
    client.send(getHeld.repeat(3));
    await listener.held(3);
    const drained = listener.drain(GRACE_MS);
    client.send(getOk);
    await pause(50);
    listener.release();
    const { replies } = await client.receive();
    expect(replies.map((reply) => [reply.body, reply.headers.get('connection')])).toEqual([
      ['held', 'keep-alive'],
      ['held', 'keep-alive'],
      ['held', 'close'],
    ]);
    expect(listener.seen).not.toContain('GET /ok');
    await drained;
  });

  test('does not wait for the rest of a request that is answered already', async () => {
    const client = await connect();
    client.send('POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
    await client.receive({ replies: 1 });
    await listener.drain(GRACE_MS);
    expect((await client.receive()).closed).toBe(true);
  });

  test('does not wait for clients that never close', async () => {
    const client = await connect();
    client.socket.removeAllListeners('end');
    client.send(getHeld);
    await listener.held(1);
    const drained = listener.drain(GRACE_MS);
    listener.release();
    await drained;
    expect((await client.receive({ replies: 1 })).replies).toHaveLength(1);
  });

  test('cuts what is left when its grace is over', async () => {
    const client = await connect();
    client.send(getHeld);
    await listener.held(1);
    await listener.drain(100);
    expect((await client.receive()).replies).toEqual([]);
  });

  test('may be asked again, with less grace', async () => {
    const client = await connect();
    client.send(getHeld);
    await listener.held(1);
    const drained = listener.drain(GRACE_MS);
    await listener.close();
    await drained;
    expect((await client.receive()).replies).toEqual([]);
  });

  test('has nothing to do when nobody is connected', async () => {
    await listener.drain(GRACE_MS);
    expect(await isRefused(listener.port)).toBe(true);
  });
});
