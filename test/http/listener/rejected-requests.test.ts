import fc from 'fast-check';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runsOf } from '../../support/extent.ts';
import { hasErrorShape, startListener, type TestListener } from '../../support/http/listener.ts';
import { connectRaw, exchange } from '../../support/http/raw-socket.ts';

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
const get = (...headers: string[]) => request('GET /ok HTTP/1.1', headers);
const post = (body: string, ...headers: string[]) => request('POST /echo HTTP/1.1', headers) + body;
const chunked = (body: string) => post(body, 'Host: a', 'Transfer-Encoding: chunked');

function request(line: string, headers: readonly string[]): string {
  return `${[line, ...headers].join('\r\n')}\r\n\r\n`;
}

/** Invalid requests, each with the status of the response. */
const invalid: Readonly<Record<string, readonly [number, string]>> = {
  'a length and chunks': [
    400,
    post('0\r\n\r\n', 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
  ],
  'chunks and a length': [
    400,
    post('0\r\n\r\n', 'Host: a', 'Transfer-Encoding: chunked', 'Content-Length: 5'),
  ],
  'two different lengths': [400, post('abcde', 'Host: a', 'Content-Length: 0', 'Content-Length: 5')],
  'the same length twice': [400, post('', 'Host: a', 'Content-Length: 0', 'Content-Length: 0')],
  'a list of lengths': [400, post('', 'Host: a', 'Content-Length: 0, 0')],
  'a length with a sign': [400, post('', 'Host: a', 'Content-Length: +0')],
  'a negative length': [400, post('', 'Host: a', 'Content-Length: -1')],
  'a hexadecimal length': [400, post('', 'Host: a', 'Content-Length: 0x0')],
  'a length beyond all numbers': [400, post('', 'Host: a', `Content-Length: ${'9'.repeat(40)}`)],
  'an unknown transfer encoding': [400, post('0\r\n\r\n', 'Host: a', 'Transfer-Encoding: xchunked')],
  'a transfer encoding twice': [
    400,
    post('0\r\n\r\n', 'Host: a', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
  ],
  'chunked before another encoding': [
    400,
    post('0\r\n\r\n', 'Host: a', 'Transfer-Encoding: chunked, identity'),
  ],
  'a compressed transfer': [400, post('0\r\n\r\n', 'Host: a', 'Transfer-Encoding: gzip, chunked')],
  'an identity transfer': [400, post('', 'Host: a', 'Transfer-Encoding: identity')],
  'a transfer encoding after a space': [400, post('0\r\n\r\n', 'Host: a', 'Transfer-Encoding : chunked')],
  'a transfer encoding after a control character': [
    400,
    post('0\r\n\r\n', 'Host: a', 'Transfer-Encoding: \vchunked'),
  ],
  'chunks in HTTP/1.0': [
    400,
    `${request('POST /echo HTTP/1.0', ['Host: a', 'Transfer-Encoding: chunked'])}0\r\n\r\n`,
  ],
  'a chunk size that is not a number': [400, chunked('Z\r\nx\r\n0\r\n\r\n')],
  'a negative chunk size': [400, chunked('-1\r\nx\r\n0\r\n\r\n')],
  'a chunk size beyond all numbers': [400, chunked('fffffffffffffffff\r\nx\r\n0\r\n\r\n')],
  'a chunk size with a prefix': [400, chunked('0x1\r\nx\r\n0\r\n\r\n')],
  'a chunk longer than its size': [400, chunked('1\r\nxyz\r\n0\r\n\r\n')],
  'chunks ended by bare line feeds': [400, chunked('1\nx\n0\n\n')],
  'a length among the trailers': [400, chunked('0\r\nContent-Length: 5\r\n\r\n')],
  'chunk extensions without end': [413, chunked(`1;${'a'.repeat(20_000)}\r\nx\r\n0\r\n\r\n`)],
  'bare line feeds': [400, 'GET /ok HTTP/1.1\nHost: a\n\n'],
  'a bare carriage return in a header': [400, get('Host: a', 'X: a\rY: b')],
  'a folded header': [400, get('Host: a', 'X: a', ' b')],
  'a null character in a header': [400, get('Host: a', 'X: a\0b')],
  'a header without a colon': [400, get('Host: a', 'X')],
  'a header without a name': [400, get('Host: a', ': x')],
  'a space before the first header': [400, get(' Host: a')],
  'a missing Host': [400, get('Accept: */*')],
  'an empty Host': [400, get('Host:')],
  'two Hosts': [400, get('Host: a', 'Host: b')],
  'a path in the Host': [400, get('Host: a/b')],
  'user data in the Host': [400, get('Host: user@a')],
  'markup in the Host': [400, get('Host: <script>')],
  'an invalid port': [400, get('Host: a:99999')],
  'an invalid address': [400, get('Host: 999.999.999.999')],
  'an address in a long form': [400, get('Host: [::0001]')],
  'an FTP target': [400, request('GET ftp://a/ok HTTP/1.1', ['Host: a'])],
  'a relative target': [400, request('GET ok HTTP/1.1', ['Host: a'])],
  'a target with a backslash': [400, request('GET /\\ok HTTP/1.1', ['Host: a'])],
  'a target with a fragment': [400, request('GET /ok#/health HTTP/1.1', ['Host: a'])],
  'a target with a space': [400, request('GET /o k HTTP/1.1', ['Host: a'])],
  'a target with user data': [400, request('GET http://user:word@a/ok HTTP/1.1', ['Host: a'])],
  'a target that is not a URL': [400, request('GET http://[/ok HTTP/1.1', ['Host: a'])],
  'a target that is an asterisk': [400, request('OPTIONS * HTTP/1.1', ['Host: a'])],
  'an unknown method': [400, request('SMUGGLE /ok HTTP/1.1', ['Host: a'])],
  'a method in small letters': [400, request('get /ok HTTP/1.1', ['Host: a'])],
  'HTTP/0.9': [400, 'GET /ok\r\n\r\n'],
  'HTTP/1.2': [400, request('GET /ok HTTP/1.2', ['Host: a'])],
  'HTTP/2': [400, request('GET /ok HTTP/2.0', ['Host: a'])],
  'the preface of HTTP/2': [400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'a greeting in TLS': [400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  'an unsupported expectation': [417, post('', 'Host: a', 'Expect: tea', 'Content-Length: 0')],
  'a tunnel': [405, request('CONNECT a:443 HTTP/1.1', ['Host: a'])],
  'a header of 20 kB': [431, get('Host: a', `X: ${'a'.repeat(20_000)}`)],
  'a target of 20 kB': [431, request(`GET /${'a'.repeat(20_000)} HTTP/1.1`, ['Host: a'])],
  'trailers of 20 kB': [431, chunked(`0\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)],
  '101 headers': [431, get('Host: a', ...Array.from({ length: 100 }, (_, index) => `X-${index}: a`))],
};

describe('an invalid request', () => {
  let listener: TestListener;
  beforeAll(async () => {
    listener = await startListener();
  });
  afterAll(() => listener.close());

  test.each(Object.entries(invalid))(
    'with %s gets a response in the error shape, and no request after it is served',
    async (_, [status, bytes]) => {
      const before = listener.errorResponses.length;
      const seen = listener.seen.length;
      const { responses, rest, closed } = await exchange(
        listener.port,
        Buffer.from(bytes + smuggled, 'latin1'),
      );
      expect(responses.map((response) => response.status)).toEqual([status]);
      expect(responses.filter(hasErrorShape)).toHaveLength(1);
      expect(responses[0]?.headers.get('connection')).toBe('close');
      expect({ rest, closed }).toEqual({ rest: '', closed: true });
      expect(listener.seen.slice(seen)).not.toContain('GET /smuggled');
      expect(listener.errorResponses.slice(before)).toEqual([status]);
    },
  );

  test.each(Object.entries(invalid))(
    'with %s gets its response after that of the valid request before it',
    async (_, [status, bytes]) => {
      if (status === 405) return;
      const seen = listener.seen.length;
      const { responses, closed } = await exchange(
        listener.port,
        Buffer.from(get('Host: a') + bytes + smuggled, 'latin1'),
      );
      expect(responses.map((response) => response.status)).toEqual([200, status]);
      expect(closed).toBe(true);
      expect(listener.seen.slice(seen)).not.toContain('GET /smuggled');
    },
  );
});

describe('an error response of the listener', () => {
  let listener: TestListener;
  beforeAll(async () => {
    listener = await startListener();
  });
  afterAll(() => listener.close());

  test('has the default headers of hono/secure-headers', async () => {
    const app = new Hono().use(secureHeaders()).get('/', (c) => c.text('ok'));
    const expected = [...(await app.request('/')).headers].filter(([name]) => name !== 'content-type');
    const { responses } = await exchange(listener.port, get());
    expect([...(responses[0]?.headers ?? [])]).toEqual(expect.arrayContaining(expected));
  });

  test('has the request id of the client if that is valid, else a new one', async () => {
    const own = await exchange(listener.port, get('X-Request-Id: mine-1'));
    expect(own.responses[0]?.headers.get('x-request-id')).toBe('mine-1');
    for (const unsound of ['a b', 'a\u00e9', 'a'.repeat(129), '']) {
      const { responses } = await exchange(listener.port, get(`X-Request-Id: ${unsound}`));
      expect(responses[0]?.headers.get('x-request-id')).toMatch(/^0{8}-0{4}-7000-8000-\d{12}$/);
    }
  });

  test('has no body for a HEAD request', async () => {
    const { responses, rest } = await exchange(listener.port, request('HEAD /ok HTTP/1.1', []), {
      withoutBodies: true,
    });
    expect({ status: responses[0]?.status, rest }).toEqual({ status: 400, rest: '' });
  });

  test('contains nothing that the client sent', async () => {
    const { responses } = await exchange(
      listener.port,
      request('GET ftp://canary/ HTTP/1.1', ['Host: canary']),
    );
    expect(JSON.stringify([...(responses[0]?.headers ?? []), responses[0]?.body])).not.toContain('canary');
  });
});

describe('any bytes that arrive at the listener', () => {
  let listener: TestListener;
  beforeAll(async () => {
    listener = await startListener();
  });
  afterAll(() => listener.close());

  const printable = fc.string({ minLength: 0, maxLength: 12, unit: 'binary-ascii' });

  test('are served or rejected by the request rules for any host and target, never by the adapter behind them', async () => {
    const host = fc.oneof(
      printable,
      fc.domain(),
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.ipV6().map((ip) => `[${ip}]`),
    );
    const target = fc.oneof(
      fc.webUrl(),
      printable.map((text) => `/${text}`),
      fc.webPath(),
      printable,
    );
    await fc.assert(
      fc.asyncProperty(host, target, async (name, path) => {
        const sent = request(`GET ${path} HTTP/1.1`, [`Host: ${name}`, 'Connection: close']);
        const { responses } = await exchange(listener.port, Buffer.from(sent, 'latin1'));
        expect(responses.every((response) => response.status < 400 || hasErrorShape(response))).toBe(true);
        expect(responses.some((response) => response.body.includes('the request is not valid"'))).toBe(false);
        expect(responses.every((response) => response.status < 500)).toBe(true);
      }),
      { numRuns: runsOf(150, 500) },
    );
  });

  test('get a response in the error shape, without an internal error', async () => {
    const good = post('abcde', 'Host: a', 'Content-Length: 5', 'Connection: close');
    const change = fc.record({
      at: fc.nat(good.length),
      drop: fc.nat(3),
      put: fc.uint8Array({ maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const bytes = [...Buffer.from(good)];
        for (const { at, drop, put } of changes) bytes.splice(at, drop, ...put);
        const client = await connectRaw(listener.port);
        client.socket.end(Uint8Array.from(bytes));
        const { responses, closed } = await client.receive();
        expect(
          responses.every(
            (response) => response.status < 500 && (response.status < 400 || hasErrorShape(response)),
          ),
        ).toBe(true);
        expect(closed).toBe(true);
      }),
      { numRuns: runsOf(150, 500) },
    );
    expect(listener.logger.lines.filter((line) => line.level === 'error')).toEqual([]);
  });
});
