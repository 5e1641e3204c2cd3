import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startServer } from '../../../src/adapters/http/listener/server.ts';
import { hasErrorShape, startListener, type TestListener } from '../../support/http/listener.ts';
import { connectRaw, exchange, type RawClient } from '../../support/http/raw-socket.ts';

const getOk = 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n';

let listener: TestListener;
let clients: RawClient[] = [];

beforeEach(async () => {
  listener = await startListener();
});

afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await listener.close();
});

async function connect(): Promise<RawClient> {
  const client = await connectRaw(listener.port);
  clients.push(client);
  return client;
}

function troubles(): readonly unknown[] {
  return listener.logger.lines.filter((line) => line.level !== 'debug');
}

describe('a listener', () => {
  test('tells where it listens', () => {
    expect(listener.address).toBe('127.0.0.1');
    expect(listener.port).toBeGreaterThan(0);
  });

  test('fails to start on a port that is taken', async () => {
    const { port, logger } = listener;
    const again = startServer({
      fetch: () => new Response(),
      host: '127.0.0.1',
      port,
      logger,
      newId: () => 'id',
      onListenerError: () => {},
    });
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('answers requests that come in pieces, byte by byte', async () => {
    const client = await connect();
    client.socket.setNoDelay(true);
    for (const byte of getOk) {
      client.send(byte);
      await new Promise(setImmediate);
    }
    expect((await client.receive({ replies: 1 })).replies[0]?.body).toBe('ok');
  });

  test('answers pipelined requests in their order', async () => {
    const client = await connect();
    client.send(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${getOk}`);
    await listener.held(1);
    listener.release();
    const { replies } = await client.receive({ replies: 2 });
    expect(replies.map((reply) => reply.body)).toEqual(['held', 'ok']);
  });

  test('answers HEAD without a body', async () => {
    const { replies, rest } = await exchange(
      listener.port,
      'HEAD /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      { withoutBodies: true },
    );
    expect({ status: replies[0]?.status, rest }).toEqual({ status: 200, rest: '' });
  });

  test.each(['GET /ok HTTP/1.0\r\n\r\n', 'GET /ok HTTP/1.0\r\nHost: a\r\n\r\n'])(
    'answers HTTP/1.0 and closes: %j',
    async (bytes) => {
      const { replies, closed } = await exchange(listener.port, bytes);
      expect(replies.map((reply) => reply.body)).toEqual(['ok']);
      expect(closed).toBe(true);
    },
  );

  test.each(['LOCALHOST', '127.0.0.1:8000', '[::1]', '[2001:DB8::1]:80', 'a.example.', 'x_y'])(
    'takes the host %s',
    async (host) => {
      const bytes = `GET /ok HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      const { replies } = await exchange(listener.port, bytes, { replies: 1 });
      expect(replies[0]?.status).toBe(200);
    },
  );

  test('takes an absolute URL for a target', async () => {
    const bytes = 'GET http://elsewhere/ok HTTP/1.1\r\nHost: a\r\n\r\n';
    const { replies } = await exchange(listener.port, bytes, { replies: 1 });
    expect(replies[0]?.body).toBe('ok');
  });

  test('serves a request that asks for an upgrade as it is, and then closes', async () => {
    const bytes = 'GET /ok HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const { replies, closed } = await exchange(listener.port, bytes + getOk);
    expect(replies.map((reply) => [reply.body, reply.headers.get('connection')])).toEqual([['ok', 'close']]);
    expect(closed).toBe(true);
    expect(listener.seen).toEqual(['GET /ok']);
  });

  test('asks for the body of a request that waits to be asked', async () => {
    const client = await connect();
    client.send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n');
    expect((await client.receive({ replies: 1 })).replies[0]?.status).toBe(100);
    client.send('abcde');
    expect((await client.receive({ replies: 1 })).replies[0]?.body).toBe('abcde');
  });

  test('does not ask for the body of a request that it refuses', async () => {
    const bytes = 'POST /echo HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n';
    const { replies } = await exchange(listener.port, bytes);
    expect(replies.map((reply) => reply.status)).toEqual([400]);
  });

  test('answers a client that has said that it will send no more', async () => {
    const client = await connect();
    client.socket.end('GET /held HTTP/1.1\r\nHost: a\r\n\r\n');
    await listener.held(1);
    await exchange(listener.port, getOk, { replies: 1 });
    listener.release();
    const { replies, closed } = await client.receive();
    expect(replies.map((reply) => reply.body)).toEqual(['held']);
    expect(closed).toBe(true);
  });

  test('takes data after a request that was to be the last for nothing', async () => {
    const bytes = `GET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${getOk}`;
    const { replies, closed } = await exchange(listener.port, bytes);
    expect(replies.map((reply) => reply.status)).toEqual([200]);
    expect(closed).toBe(true);
    expect(listener.seen).toEqual(['GET /ok']);
  });

  test('cuts a client that asks for a tunnel while it is owed a reply', async () => {
    const bytes = 'GET /held HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n';
    expect(await exchange(listener.port, bytes)).toEqual({ replies: [], rest: '', closed: true });
  });

  test('answers in shape, and logs, when the application breaks its promise and throws', async () => {
    const broken = await startServer({
      fetch: () => Promise.reject(new Error('canary')),
      host: '127.0.0.1',
      port: 0,
      logger: listener.logger,
      newId: () => 'id-1',
      onListenerError: () => {},
    });
    const { replies } = await exchange(broken.port, getOk);
    await broken.close();
    expect(replies.map((reply) => [reply.status, hasErrorShape(reply)])).toEqual([[500, true]]);
    expect(replies[0]?.body).not.toContain('canary');
    expect(troubles()).toHaveLength(1);
  });
});

describe('a client that goes away', () => {
  test.each([
    ['in the middle of its header', 'GET /ok HTTP/1.1\r\nHo'],
    ['in the middle of its body', 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nabc'],
    [
      'in the middle of a chunk',
      'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc',
    ],
    ['before its reply', 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['after it asked for a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['before its big reply is out', 'GET /big HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('%s troubles nobody', async (_, bytes) => {
    const leaving = [await connect(), await connect()];
    // A connection that is just being ended in order can't be reset.
    leaving[0]?.socket.removeAllListeners('end');
    for (const client of leaving) client.socket.write(bytes);
    await exchange(listener.port, getOk, { replies: 1 });
    leaving[0]?.socket.resetAndDestroy();
    leaving[1]?.socket.destroy();
    listener.release();
    const { replies } = await exchange(listener.port, getOk, { replies: 1 });
    expect(replies[0]?.body).toBe('ok');
    await listener.close();
    expect(troubles()).toEqual([]);
  });
});
