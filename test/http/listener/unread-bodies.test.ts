import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasErrorShape, startListener, type TestListener } from '../../support/http/listener.ts';
import { exchange, type RawClient } from '../../support/http/raw-socket.ts';

const getOk = 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n';
const MEBIBYTE = 1_024 * 1_024;

let listener: TestListener;

beforeEach(async () => {
  listener = await startListener();
});

afterEach(() => listener.end());

describe('a request whose body is not completely read', () => {
  const tooLong = 'x'.repeat(MEBIBYTE);
  const partialRequests: Readonly<Record<string, string>> = {
    'by length': `Content-Length: ${3 * MEBIBYTE}\r\n\r\n${tooLong}`,
    'in chunks': `Transfer-Encoding: chunked\r\n\r\n${MEBIBYTE.toString(16)}\r\n${tooLong}\r\n`,
  };

  test.each(Object.entries(partialRequests))(
    '%s gets a complete response with Connection: close, and the connection closes',
    async (_, rest) => {
      for (const [path, status] of [
        ['/echo', 413],
        ['/nowhere', 404],
      ] as const) {
        const { responses, closed } = await exchange(
          listener.port,
          `POST ${path} HTTP/1.1\r\nHost: a\r\n${rest}`,
        );
        expect(responses.map((response) => [response.status, hasErrorShape(response)])).toEqual([
          [status, true],
        ]);
        expect(responses[0]?.headers.get('connection')).toBe('close');
        expect(closed).toBe(true);
      }
    },
  );

  test.each(['/echo', '/nowhere'])(
    'to %s keeps the connection open if the rest is small and arrives',
    async (path) => {
      const bytes = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${MEBIBYTE}\r\n\r\n${tooLong}`;
      const { responses } = await exchange(listener.port, bytes + getOk, { responses: 2 });
      expect(responses.map((response) => response.status)).toEqual([path === '/echo' ? 413 : 404, 200]);
      expect(responses[0]?.headers.get('connection')).toBe('keep-alive');
    },
  );

  test('keeps the connection open if its rest is small and arrives later', async () => {
    const client = await listener.connect();
    client.send('POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
    expect((await client.receive({ responses: 1 })).responses[0]?.status).toBe(404);
    client.send(`cde${getOk}`);
    expect((await client.receive({ responses: 1 })).responses[0]?.status).toBe(200);
  });

  test('closes the connection if its rest is small and does not arrive', async () => {
    const bytes = 'POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab';
    const { responses, closed } = await exchange(listener.port, bytes);
    expect(responses.map((response) => response.status)).toEqual([404]);
    expect(closed).toBe(true);
  });

  test('gets no second response if its rest is invalid', async () => {
    const client = await listener.connect();
    client.send('POST /nowhere HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    expect((await client.receive({ responses: 1 })).responses[0]?.status).toBe(404);
    client.send('Z');
    expect(await client.receive()).toEqual({ responses: [], rest: '', closed: true });
  });

  test('gets an error instead of its response if it becomes invalid before that is ready', async () => {
    const client = await listener.connect();
    client.send('GET /held HTTP/1.1\r\nHost: a\r\n\r\n');
    client.send('POST /held HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await listener.held(2);
    client.send('Z\r\n');
    await exchange(listener.port, getOk, { responses: 1 });
    listener.release();
    const { responses, rest } = await client.receive();
    expect(responses.map((response) => response.status)).toEqual([200, 400]);
    expect(rest).toBe('');
  });

  test('gets its complete response, and no second one, if it becomes invalid while that is sent', async () => {
    const client = await listener.connect();
    client.socket.pause();
    client.send('POST /big HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    while (listener.seen.length === 0) await sleep(5);
    client.send('Z\r\n');
    await exchange(listener.port, getOk, { responses: 1 });
    client.socket.resume();
    const { responses, rest, closed } = await client.receive();
    expect(responses.map((response) => [response.status, response.body.length])).toEqual([
      [200, 32 * MEBIBYTE],
    ]);
    expect({ rest, closed }).toEqual({ rest: '', closed: true });
  });

  test('gets its complete response with Connection: close in the request', async () => {
    const client = await listener.connect();
    client.socket.pause();
    client.send(
      `POST /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${16 * MEBIBYTE}\r\n\r\n`,
    );
    for (let sent = 0; sent < 16; sent++) {
      if (!client.socket.write(tooLong)) await drainedOrClosed(client);
    }
    client.socket.resume();
    const { responses, closed } = await client.receive();
    expect(responses.map((response) => [response.status, response.headers.get('connection')])).toEqual([
      [404, 'close'],
    ]);
    expect({ closed, errorCode: client.errorCode() }).toEqual({ closed: true, errorCode: undefined });
  });

  test.each(['Content-Length: 1000000000', 'Transfer-Encoding: chunked'])(
    'is not read without limit if it never ends (%s)',
    async (framing) => {
      const client = await listener.connect();
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
      const { responses, closed } = await client.receive();
      expect(responses.map((response) => response.status)).toEqual([413]);
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
