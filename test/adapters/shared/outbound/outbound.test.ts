import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createOutbound,
  type OutboundOptions,
  type OutboundRequest,
} from '../../../../src/adapters/shared/outbound/outbound.ts';
import { startServer } from '../../../support/outbound/server.ts';

const pem = (name: string) =>
  readFileSync(new URL(`../../../support/outbound/tls/${name}.pem`, import.meta.url), 'utf8');
const tls = { key: pem('key'), cert: pem('cert') };

/** A client that may reach this machine, under any name. */
function createClient(options: Partial<OutboundOptions> = {}) {
  const outbound = createOutbound({
    allow: ['127.0.0.1'],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    ...options,
  });
  onTestFinished(() => outbound.close());
  return outbound;
}

async function setUp(listener: RequestListener, options?: Partial<OutboundOptions>) {
  const server = await startServer(listener);
  const outbound = createClient(options);
  const ask = (request: Partial<OutboundRequest> = {}) =>
    outbound.request({ url: `http://service.example:${server.port}/`, ...request });
  return { server, outbound, ask };
}

/** A server that answers every connection with these bytes, and may close it then. */
async function startRawServer(answer: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

describe('a request', () => {
  test('is sent with its method, path, query, headers and body, and returns the answer', async () => {
    const { server, ask } = await setUp((_request, response) => {
      response.writeHead(201, { 'Content-Type': 'text/plain', 'X-Two': ['a', 'b'] }).end('done: grün');
    });
    const answer = await ask({
      url: `http://service.example:${server.port}/a%2Fb?q=1%202#fragment`,
      method: 'POST',
      headers: { 'X-Own': 'one' },
      body: 'süß',
    });
    expect(answer).toMatchObject({
      status: 201,
      headers: { 'content-type': 'text/plain', 'x-two': 'a, b' },
      body: 'done: grün',
    });
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        url: '/a%2Fb?q=1%202',
        headers: { 'x-own': 'one', 'content-length': '5', host: `service.example:${server.port}` },
        body: 'süß',
      },
    ]);
  });

  test.each([200, 204, 400, 404, 429, 500, 503])('returns an answer of status %i', async (status) => {
    const { ask } = await setUp((_request, response) => response.writeHead(status).end());
    expect(await ask()).toMatchObject({ status, body: '' });
  });

  test.each(['localhost', '127.0.0.1'])('reaches %s by its name where that is allowed', async (host) => {
    const { server, outbound } = await setUp((_request, response) => response.end('here'), {
      allow: [host],
      resolve: undefined,
    });
    expect(await outbound.request({ url: `http://${host}:${server.port}/` })).toMatchObject({ body: 'here' });
  });

  test('uses a kept connection for reading, and a connection of its own for writing', async () => {
    const { server, ask } = await setUp((_request, response) => response.end());
    for (const method of ['GET', 'GET', 'GET'] as const) {
      await ask({ method });
      // The connection is free again after the answer was returned.
      await setImmediate();
    }
    expect(server.connections()).toBe(1);
    for (const method of ['POST', 'PUT', 'DELETE'] as const) await ask({ method });
    expect(server.connections()).toBe(4);
  });

  test('makes at most 32 connections to one host at the same time', async () => {
    const waiting: (() => void)[] = [];
    const { server, ask } = await setUp((_request, response) => {
      waiting.push(() => response.end());
      if (waiting.length >= 32) for (const answer of waiting.splice(0)) answer();
    });
    const answers = await Promise.all(Array.from({ length: 64 }, () => ask()));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(server.connections()).toBe(32);
  });

  test('takes no proxy from the environment', async () => {
    const proxy = await startServer((_request, response) => response.end('proxy'));
    const names = ['HTTP_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY'];
    for (const name of names)
      process.env[name] = name.startsWith('NODE') ? '1' : `http://127.0.0.1:${proxy.port}`;
    onTestFinished(() => {
      for (const name of names) delete process.env[name];
    });
    const { ask } = await setUp((_request, response) => response.end('direct'));
    expect(await ask()).toMatchObject({ body: 'direct' });
    expect(proxy.connections()).toBe(0);
  });
});

describe('a request by https', () => {
  test('is answered by a server with a valid certificate for the name', async () => {
    const server = await startServer((_request, response) => response.end('safe'), tls);
    const outbound = createClient({ ca: tls.cert });
    expect(await outbound.request({ url: `https://secure.example:${server.port}/` })).toMatchObject({
      body: 'safe',
    });
  });

  test.each([
    ['an unknown authority', 'secure.example', undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['a certificate of another name', 'other.example', tls.cert, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('is not sent to a server with %s', async (_what, host, ca, code) => {
    const server = await startServer((_request, response) => response.end('safe'), tls);
    const outbound = createClient({ ca });
    const pending = outbound.request({ url: `https://${host}:${server.port}/`, method: 'POST', body: 'x' });
    await expect(pending).rejects.toMatchObject({
      failure: 'unreachable',
      permanent: false,
      safeToRetry: true,
      message: `the request to host "${host}" failed: no connection could be made (${code})`,
    });
    expect(server.received).toEqual([]);
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308, 300, 304])(
    'of status %i is an error and is not followed',
    async (status) => {
      const elsewhere = await startServer((_request, response) => response.end('elsewhere'));
      const { ask } = await setUp((_request, response) =>
        response.writeHead(status, { Location: `http://127.0.0.1:${elsewhere.port}/hidden` }).end(),
      );
      const error = await ask().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        failure: 'redirect',
        permanent: true,
        safeToRetry: false,
        message: `the request to host "service.example" was answered with a redirect (${status}), which is not followed`,
      });
      expect(elsewhere.connections()).toBe(0);
    },
  );
});

describe('an answer', () => {
  const message = 'the request to host "service.example" was answered with more than 1000 bytes';

  test('that announces too many bytes is not read', async () => {
    const { ask } = await setUp((_request, response) =>
      response.writeHead(200, { 'Content-Length': 1_000_000_000 }).write('x'),
    );
    await expect(ask({ maxBytes: 1_000 })).rejects.toMatchObject({ failure: 'too_large', message });
  });

  test('that never ends is not read on after too many bytes', async () => {
    let written = 0;
    const { ask } = await setUp((_request, response) => {
      const writeMore = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) written += 10_000;
      };
      response.on('drain', writeMore);
      response.on('error', () => {});
      writeMore();
    });
    await expect(ask({ maxBytes: 1_000 })).rejects.toMatchObject({ permanent: true, message });
    expect(written).toBeLessThan(20_000_000);
  });

  test('of exactly as many bytes as allowed is returned', async () => {
    const { ask } = await setUp((_request, response) => response.end('x'.repeat(1_000)));
    expect((await ask({ maxBytes: 1_000 })).body).toHaveLength(1_000);
  });

  test('that is encoded is an error, so that a small one cannot become a large one', async () => {
    const { server, ask } = await setUp((_request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x'),
    );
    await expect(ask()).rejects.toMatchObject({ failure: 'encoded', permanent: true });
    expect(server.received[0]?.headers['accept-encoding']).toBe('identity');
  });

  test.each([
    ['never comes', () => {}],
    ['stops in its headers', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')],
    [
      'stops in its body',
      (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    ],
    [
      'trickles',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const timer = setInterval(() => socket.write('1\r\nx\r\n'), 10);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('that %s is a timeout after the whole time', async (_what, answer) => {
    const port = await startRawServer(answer);
    const pending = createClient().request({ url: `http://slow.example:${port}/`, timeoutMs: 150 });
    await expect(pending).rejects.toMatchObject({
      failure: 'timeout',
      permanent: false,
      safeToRetry: false,
      message: 'the request to host "slow.example" timed out after 150 ms',
    });
  });

  test.each([
    ['ends early', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
    ['is nothing', ''],
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['has headers without end', `HTTP/1.1 200 OK\r\n${`X-Many: ${'x'.repeat(1_000)}\r\n`.repeat(100)}`],
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ])('that %s is a broken connection', async (_what, answer) => {
    const port = await startRawServer((socket) => socket.end(answer));
    const pending = createClient().request({ url: `http://odd.example:${port}/`, timeoutMs: 5_000 });
    await expect(pending).rejects.toMatchObject({ failure: 'broken', safeToRetry: false });
    await expect(pending).rejects.toThrow(
      /^the request to host "odd.example" failed: the connection broke( \(\w+\))?$/,
    );
  });
});

describe('a target that cannot be reached', () => {
  test('where nobody listens may be asked again, because nothing was sent', async () => {
    const port = await startRawServer(() => {});
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port: free } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(free).not.toBe(port);
    await expect(createClient().request({ url: `http://closed.example:${free}/` })).rejects.toMatchObject({
      failure: 'unreachable',
      permanent: false,
      safeToRetry: true,
      message: 'the request to host "closed.example" failed: no connection could be made (ECONNREFUSED)',
    });
  });

  test('because its name is unknown, too', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('hidden'), { code: 'ENOTFOUND' }));
    const pending = createClient({ resolve }).request({ url: 'https://unknown.example/?key=hidden' });
    await expect(pending).rejects.toMatchObject({
      failure: 'unreachable',
      safeToRetry: true,
      message: 'the request to host "unknown.example" failed: no connection could be made (ENOTFOUND)',
    });
  });

  test('because the look-up never ends is a timeout, and nothing was sent', async () => {
    const outbound = createClient({ resolve: () => new Promise(() => {}) });
    const pending = outbound.request({ url: 'https://endless.example/', timeoutMs: 50 });
    await expect(pending).rejects.toMatchObject({ failure: 'timeout', safeToRetry: true });
  });
});

describe('a request that is no longer wanted', () => {
  test.each(['before it is sent', 'while it is answered'])('is interrupted %s', async (when) => {
    const controller = new AbortController();
    const { ask, server } = await setUp(() => controller.abort());
    if (when === 'before it is sent') controller.abort();
    await expect(ask({ signal: controller.signal })).rejects.toMatchObject({
      failure: 'aborted',
      safeToRetry: when === 'before it is sent',
      message: 'the request to host "service.example" was interrupted',
    });
    expect(server.received).toHaveLength(when === 'before it is sent' ? 0 : 1);
  });

  test('is interrupted by the end of the client, and later ones are too', async () => {
    const { outbound, ask } = await setUp(() => outbound.close());
    await expect(ask()).rejects.toMatchObject({ failure: 'aborted' });
    await expect(ask()).rejects.toMatchObject({ failure: 'aborted' });
  });
});

describe('a header', () => {
  test.each([
    ['X-Bad', 'a\r\nX-Injected: 1', 'the header "X-Bad" must be visible ASCII characters'],
    ['X-Bad', 'a\nb', 'the header "X-Bad" must be visible ASCII characters'],
    ['X-Bad', 'a\0b', 'the header "X-Bad" must be visible ASCII characters'],
    ['X-Bad', 'grün', 'the header "X-Bad" must be visible ASCII characters'],
    ['X-Bad', '\u010d\u010a', 'the header "X-Bad" must be visible ASCII characters'],
    ['X-Bad\r\nX-Injected', 'a', 'the header "X-Bad\\r\\nX-Injected" is not a valid name of a header'],
    ['X Bad', 'a', 'the header "X Bad" is not a valid name of a header'],
    ['', 'a', 'the header "" is not a valid name of a header'],
    ['Host', 'internal.example', 'the header "Host" is set by the client itself'],
    ['content-length', '1', 'the header "content-length" is set by the client itself'],
    ['Transfer-Encoding', 'chunked', 'the header "Transfer-Encoding" is set by the client itself'],
    ['Connection', 'Upgrade', 'the header "Connection" is set by the client itself'],
    ['Proxy-Authorization', 'Basic x', 'the header "Proxy-Authorization" is set by the client itself'],
  ])('%j with the value %j is not sent', async (name, value, message) => {
    const { ask, server } = await setUp((_request, response) => response.end());
    await expect(ask({ headers: { [name]: value } })).rejects.toMatchObject({ failure: 'invalid', message });
    expect(server.connections()).toBe(0);
  });
});

test('a method that is not known is not sent', async () => {
  const { ask, server } = await setUp((_request, response) => response.end());
  await expect(ask({ method: 'CONNECT' as 'GET' })).rejects.toThrow(
    'the method must be one of GET HEAD POST PUT PATCH DELETE',
  );
  expect(server.connections()).toBe(0);
});

test('no error names the path, the query, a header or the body', async () => {
  const port = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n: hidden\r\n\r\n'));
  const error: unknown = await createClient()
    .request({
      url: `http://odd.example:${port}/hidden?hidden=hidden`,
      method: 'POST',
      headers: { Authorization: 'Bearer hidden', 'X-hidden': 'hidden' },
      body: 'hidden',
    })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(`${(error as Error).stack} ${((error as Error).cause as Error).stack}`).not.toContain('hidden');
});
