import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasErrorShape, startListener, type TestListener } from '../../support/http/listener.ts';
import { connectRaw, exchange, type RawClient } from '../../support/http/raw-socket.ts';

const getOk = 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n';
const MEBIBYTE = 1_024 * 1_024;

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

describe('a request whose body is not completely read', () => {
  const tooLong = 'x'.repeat(MEBIBYTE);
  const begun: Readonly<Record<string, string>> = {
    'by length': `Content-Length: ${3 * MEBIBYTE}\r\n\r\n${tooLong}`,
    'in chunks': `Transfer-Encoding: chunked\r\n\r\n${MEBIBYTE.toString(16)}\r\n${tooLong}\r\n`,
  };

  test.each(Object.entries(begun))(
    '%s gets a complete response with Connection: close, and the connection closes',
    async (_, rest) => {
      for (const [path, status] of [
        ['/echo', 413],
        ['/nowhere', 404],
      ] as const) {
        const { replies, closed } = await exchange(
          listener.port,
          `POST ${path} HTTP/1.1\r\nHost: a\r\n${rest}`,
        );
        expect(replies.map((reply) => [reply.status, hasErrorShape(reply)])).toEqual([[status, true]]);
        expect(replies[0]?.headers.get('connection')).toBe('close');
        expect(closed).toBe(true);
      }
    },
  );

  test.each(['/echo', '/nowhere'])(
    'to %s keeps the connection open if the rest is small and arrives',
    async (path) => {
      const bytes = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${MEBIBYTE}\r\n\r\n${tooLong}`;
      const { replies } = await exchange(listener.port, bytes + getOk, { replies: 2 });
      expect(replies.map((reply) => reply.status)).toEqual([path === '/echo' ? 413 : 404, 200]);
      expect(replies[0]?.headers.get('connection')).toBe('keep-alive');
    },
  );

  test('keeps the connection open if its rest is small and arrives later', async () => {
    const client = await connect();
    client.send('POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
    expect((await client.receive({ replies: 1 })).replies[0]?.status).toBe(404);
    client.send(`cde${getOk}`);
    expect((await client.receive({ replies: 1 })).replies[0]?.status).toBe(200);
  });

  test('closes the connection if its rest is small and does not arrive', async () => {
    const bytes = 'POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab';
    const { replies, closed } = await exchange(listener.port, bytes);
    expect(replies.map((reply) => reply.status)).toEqual([404]);
    expect(closed).toBe(true);
  });

  test('gets no second response if its rest is invalid', async () => {
    const client = await connect();
    client.send('POST /nowhere HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    expect((await client.receive({ replies: 1 })).replies[0]?.status).toBe(404);
    client.send('Z');
    expect(await client.receive()).toEqual({ replies: [], rest: '', closed: true });
  });

  test('gets an error instead of its response if it becomes invalid before that is ready', async () => {
    const client = await connect();
    client.send('GET /held HTTP/1.1\r\nHost: a\r\n\r\n');
    client.send('POST /held HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await listener.held(2);
    client.send('Z\r\n');
    await exchange(listener.port, getOk, { replies: 1 });
    listener.release();
    const { replies, rest } = await client.receive();
    expect(replies.map((reply) => reply.status)).toEqual([200, 400]);
    expect(rest).toBe('');
  });

  test('gets its complete response, and no second one, if it becomes invalid while that is sent', async () => {
    const client = await connect();
    client.socket.pause();
    client.send('POST /big HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    while (listener.seen.length === 0) await sleep(5);
    client.send('Z\r\n');
    await exchange(listener.port, getOk, { replies: 1 });
    client.socket.resume();
    const { replies, rest, closed } = await client.receive();
    expect(replies.map((reply) => [reply.status, reply.body.length])).toEqual([[200, 32 * MEBIBYTE]]);
    expect({ rest, closed }).toEqual({ rest: '', closed: true });
  });

  test('gets its complete response with Connection: close in the request', async () => {
    const client = await connect();
    client.socket.pause();
    client.send(
      `POST /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${16 * MEBIBYTE}\r\n\r\n`,
    );
    for (let sent = 0; sent < 16; sent++) {
      if (!client.socket.write(tooLong)) await drainedOrClosed(client);
    }
    client.socket.resume();
    const { replies, closed } = await client.receive();
    expect(replies.map((reply) => [reply.status, reply.headers.get('connection')])).toEqual([[404, 'close']]);
    expect({ closed, fault: client.fault() }).toEqual({ closed: true, fault: undefined });
  });

  test.each(['Content-Length: 1000000000', 'Transfer-Encoding: chunked'])(
    'is not read without limit if it never ends (%s)',
    async (framing) => {
      const client = await connect();
      // This client ignores the end of the connection and keeps sending.
      client.socket.removeAllListeners('end');
      const before = process.memoryUsage().external;
      client.send(`POST /echo HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`);
      const chunk = Buffer.from(`${MEBIBYTE.toString(16)}\r\n${tooLong}\r\n`);
      let sent = 0;
      while (!client.socket.destroyed && sent < 1_000) {
        if (!client.socket.write(chunk)) await drainedOrClosed(client);
        sent += 1;
      }
      const { replies, closed } = await client.receive();
      expect(replies.map((reply) => reply.status)).toEqual([413]);
      expect(closed).toBe(true);
      expect(sent).toBeLessThan(500);
      // Of this thread only: the memory of the process includes other tests.
      expect(process.memoryUsage().external - before).toBeLessThan(100 * MEBIBYTE);
    },
  );
});

async function drainedOrClosed(client: RawClient): Promise<void> {
  if (client.socket.destroyed) return;
  const stop = new AbortController();
  await Promise.race([once(client.socket, 'drain', stop), once(client.socket, 'close', stop)]).catch(
    () => {},
  );
  stop.abort();
}
