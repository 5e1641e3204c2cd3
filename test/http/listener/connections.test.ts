import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startServer } from '../../../src/adapters/http/listener/server.ts';
import { hasErrorShape, startListener, type TestListener } from '../../support/http/listener.ts';
import { exchange } from '../../support/http/raw-socket.ts';

const getOk = 'GET /ok HTTP/1.1\r\nHost: a\r\n\r\n';

let listener: TestListener;

beforeEach(async () => {
  listener = await startListener();
});

afterEach(() => listener.end());

function loggedProblems(): readonly unknown[] {
  return listener.logger.lines.filter((line) => line.level !== 'debug');
}

describe('a listener', () => {
  test('returns its address and port', () => {
    expect(listener.address).toBe('127.0.0.1');
    expect(listener.port).toBeGreaterThan(0);
  });

  test('fails to start on a port in use', async () => {
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

  test('serves requests that arrive byte by byte', async () => {
    const client = await listener.connect();
    client.socket.setNoDelay(true);
    for (const byte of getOk) {
      client.send(byte);
      await new Promise(setImmediate);
    }
    expect((await client.receive({ responses: 1 })).responses[0]?.body).toBe('ok');
  });

  test('responds to pipelined requests in order', async () => {
    const client = await listener.connect();
    client.send(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${getOk}`);
    await listener.held(1);
    listener.release();
    const { responses } = await client.receive({ responses: 2 });
    expect(responses.map((response) => response.body)).toEqual(['held', 'ok']);
  });

  test('responds to HEAD without a body', async () => {
    const { responses, rest } = await exchange(
      listener.port,
      'HEAD /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      { withoutBodies: true },
    );
    expect({ status: responses[0]?.status, rest }).toEqual({ status: 200, rest: '' });
  });

  test.each(['GET /ok HTTP/1.0\r\n\r\n', 'GET /ok HTTP/1.0\r\nHost: a\r\n\r\n'])(
    'serves HTTP/1.0 and closes the connection: %j',
    async (bytes) => {
      const { responses, closed } = await exchange(listener.port, bytes);
      expect(responses.map((response) => response.body)).toEqual(['ok']);
      expect(closed).toBe(true);
    },
  );

  test.each(['LOCALHOST', '127.0.0.1:8000', '[::1]', '[2001:DB8::1]:80', 'a.example.', 'x_y'])(
    'accepts the host %s',
    async (host) => {
      const bytes = `GET /ok HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      const { responses } = await exchange(listener.port, bytes, { responses: 1 });
      expect(responses[0]?.status).toBe(200);
    },
  );

  test('accepts an absolute URL as the target', async () => {
    const bytes = 'GET http://elsewhere/ok HTTP/1.1\r\nHost: a\r\n\r\n';
    const { responses } = await exchange(listener.port, bytes, { responses: 1 });
    expect(responses[0]?.body).toBe('ok');
  });

  test('serves a request for an upgrade without upgrading, and closes the connection', async () => {
    const bytes = 'GET /ok HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const { responses, closed } = await exchange(listener.port, bytes + getOk);
    expect(responses.map((response) => [response.body, response.headers.get('connection')])).toEqual([
      ['ok', 'close'],
    ]);
    expect(closed).toBe(true);
    expect(listener.seen).toEqual(['GET /ok']);
  });

  test('sends 100 Continue to a request that expects it', async () => {
    const client = await listener.connect();
    client.send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n');
    expect((await client.receive({ responses: 1 })).responses[0]?.status).toBe(100);
    client.send('abcde');
    expect((await client.receive({ responses: 1 })).responses[0]?.body).toBe('abcde');
  });

  test('does not send 100 Continue to a request that it rejects', async () => {
    const bytes = 'POST /echo HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n';
    const { responses } = await exchange(listener.port, bytes);
    expect(responses.map((response) => response.status)).toEqual([400]);
  });

  test('responds to a client that has half-closed its connection', async () => {
    const client = await listener.connect();
    client.socket.end('GET /held HTTP/1.1\r\nHost: a\r\n\r\n');
    await listener.held(1);
    await exchange(listener.port, getOk, { responses: 1 });
    listener.release();
    const { responses, closed } = await client.receive();
    expect(responses.map((response) => response.body)).toEqual(['held']);
    expect(closed).toBe(true);
  });

  test('ignores data after a request with Connection: close', async () => {
    const bytes = `GET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${getOk}`;
    const { responses, closed } = await exchange(listener.port, bytes);
    expect(responses.map((response) => response.status)).toEqual([200]);
    expect(closed).toBe(true);
    expect(listener.seen).toEqual(['GET /ok']);
  });

  test('closes the connection of a client that requests a tunnel before its pending response', async () => {
    const bytes = 'GET /held HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n';
    expect(await exchange(listener.port, bytes)).toEqual({ responses: [], rest: '', closed: true });
  });

  test('returns 500 in the error shape, and logs the error, if the application throws', async () => {
    const broken = await startServer({
      fetch: () => Promise.reject(new Error('canary')),
      host: '127.0.0.1',
      port: 0,
      logger: listener.logger,
      newId: () => 'id-1',
      onListenerError: () => {},
    });
    const { responses } = await exchange(broken.port, getOk);
    await broken.close();
    expect(responses.map((response) => [response.status, hasErrorShape(response)])).toEqual([[500, true]]);
    expect(responses[0]?.body).not.toContain('canary');
    expect(loggedProblems()).toHaveLength(1);
  });
});

describe('a client that disconnects', () => {
  test.each([
    ['in the middle of its header', 'GET /ok HTTP/1.1\r\nHo'],
    ['in the middle of its body', 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nabc'],
    [
      'in the middle of a chunk',
      'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc',
    ],
    ['before its response', 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['after it requested a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['before its large response is sent', 'GET /big HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('%s does not affect others', async (_, bytes) => {
    const leaving = [await listener.connect(), await listener.connect()];
    // A connection that is being closed can't be reset.
    leaving[0]?.socket.removeAllListeners('end');
    for (const client of leaving) client.socket.write(bytes);
    await exchange(listener.port, getOk, { responses: 1 });
    leaving[0]?.socket.resetAndDestroy();
    leaving[1]?.socket.destroy();
    listener.release();
    const { responses } = await exchange(listener.port, getOk, { responses: 1 });
    expect(responses[0]?.body).toBe('ok');
    await listener.close();
    expect(loggedProblems()).toEqual([]);
  });
});
