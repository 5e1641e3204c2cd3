import { describe, expect, test } from 'vitest';
import { createHttpApp } from '../../../src/adapters/http/app.ts';
import type { HttpAppOptions } from '../../../src/adapters/http/options.ts';
import { createTestApp, expectError } from '../../support/http/app.ts';

const KEY = 'a-key';

type Headers = Readonly<Record<string, string>>;

/** Sends a request with these headers from a client, to the address 192.0.2.7 of this machine. */
function reach(http: Partial<HttpAppOptions> = {}, requestLimit?: number) {
  const { app, finished } = createTestApp({ http, ...(requestLimit !== undefined && { requestLimit }) });
  const socket = { remoteAddress: '192.0.2.1', localAddress: '::ffff:192.0.2.7' };
  const send = async (path: string, headers: Headers, method = 'GET', body?: string): Promise<Response> =>
    app.request(
      `http://localhost${path}`,
      { method, headers, ...(body !== undefined && { body }) },
      { incoming: { socket } as never },
    );
  return { send, finished };
}

const evil = { Origin: 'https://evil.example' };

describe('a service that needs no key', () => {
  test.each([
    'localhost',
    'localhost:8000',
    'LOCALHOST:9000',
    'localhost.:8000',
    '127.0.0.1:8000',
    '127.0.0.2',
    '127.1:8000',
    '[::1]:8000',
    '[::ffff:7f00:1]:8000',
    '192.0.2.7:8000',
  ])('is reached at a loopback name or address, and at the address of the connection: %s', async (Host) => {
    const { send } = reach();
    expect((await send('/tools', { Host })).status).toBe(200);
  });

  test.each([
    ['evil.example', 'evil.example'],
    ['evil.example:8000', 'evil.example'],
    ['EVIL.example.', 'evil.example'],
    ['localhost.evil.example', 'localhost.evil.example'],
    ['127.0.0.1.evil.example', '127.0.0.1.evil.example'],
    ['localhost@evil.example', 'localhost@evil.example'],
    ['0.0.0.0:8000', '0.0.0.0'],
    ['192.0.2.8:8000', '192.0.2.8'],
    ['[::2]:8000', '::2'],
    ['', ''],
  ])('is not reached under the name of an attacker: %s', async (Host, named) => {
    const { send } = reach();
    for (const headers of [{ Host }, { Host, Origin: `http://${Host}`, 'Sec-Fetch-Site': 'same-origin' }]) {
      for (const [path, method] of [
        ['/tools', 'GET'],
        ['/', 'GET'],
        ['/console/', 'GET'],
        ['/evaluation', 'POST'],
        ['/nowhere', 'DELETE'],
      ] as const) {
        const detail = `host ${JSON.stringify(named)} is not allowed; see ALLOWED_HOSTS`;
        await expectError(await send(path, headers, method), 403, detail);
      }
    }
  });

  test('is reached by a link only under its own names', async () => {
    const { send } = reach();
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
    await expectError(await send('/', { Host: 'evil.example', ...link }), 403, /^host "evil.example"/);
    expect((await send('/', { Host: 'localhost', ...link })).status).toBe(200);
  });

  test('answers health checks and metrics under every name', async () => {
    const { send } = reach();
    for (const path of ['/health', '/health/', '/metrics']) {
      expect((await send(path, { Host: 'evil.example', ...evil })).status).toBe(200);
    }
  });

  test('is reached without a Host header, which every browser sends', async () => {
    expect((await reach().send('/tools', {})).status).toBe(200);
  });

  test('is reached at the hosts that it allows, with any port where none is given', async () => {
    const { send } = reach({ allowedHosts: ['App.example', 'exact.example:8443', '[2001:db8::2]'] });
    const statuses = async (...hosts: readonly string[]) =>
      Promise.all(hosts.map(async (Host) => (await send('/tools', { Host })).status));
    expect(
      await statuses(
        'app.example',
        'app.example:81',
        'APP.example.',
        'exact.example:8443',
        '[2001:db8::2]:80',
      ),
    ).toEqual([200, 200, 200, 200, 200]);
    expect(
      await statuses(
        'x.app.example',
        'app.example.evil',
        'exact.example',
        'exact.example:8444',
        '[2001:db8::3]',
      ),
    ).toEqual([403, 403, 403, 403, 403]);
    // Not remembered from the last request.
    expect(await statuses('app.example', 'evil.example')).toEqual([200, 403]);
  });

  test('is reached under every name with *', async () => {
    const { send } = reach({ allowedHosts: ['*'] });
    expect((await send('/tools', { Host: 'evil.example' })).status).toBe(200);
    await expectError(await send('/tools', { Host: 'app.example', ...evil }), 403);
  });
});

test('a service that needs a key is reached under every name', async () => {
  const { send } = reach({ apiKeys: [KEY] });
  expect((await send('/tools', { Host: 'app.example', 'X-Api-Key': KEY })).status).toBe(200);
});

describe.each([
  ['with keys', { apiKeys: [KEY] }],
  ['without keys', {}],
])('a page of another site, %s', (_, http) => {
  const own = { Host: 'localhost:8000', 'X-Api-Key': KEY };
  const refused: readonly [string, Headers, string][] = [
    ['Origin', evil, 'origin "https://evil.example" is not allowed; see ALLOWED_ORIGINS'],
    ['Origin of a frame', { Origin: 'null' }, 'origin "null" is not allowed; see ALLOWED_ORIGINS'],
    ['empty Origin', { Origin: '' }, 'origin "" is not allowed; see ALLOWED_ORIGINS'],
    [
      'port',
      { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' },
      'origin "http://localhost:3000" is not allowed; see ALLOWED_ORIGINS',
    ],
    [
      'site',
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' },
      'a request from a page of another site is not allowed; see ALLOWED_ORIGINS',
    ],
    [
      'site, in a frame',
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
      'a request from a page of another site is not allowed; see ALLOWED_ORIGINS',
    ],
  ];

  test.each(refused)('is refused by its %s, whatever it asks for', async (_part, headers, detail) => {
    const { send } = reach(http);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const path of ['/tools', '/evaluation', '/nowhere', '/docs', '/console/']) {
        const reply = await send(path, { ...own, ...headers }, method);
        await expectError(reply, 403, detail);
        expect(reply.headers.get('access-control-allow-origin')).toBeNull();
      }
    }
  });

  test('is refused when it sends a form that leads here', async () => {
    const { send } = reach(http);
    const form = {
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
    };
    await expectError(await send('/evaluation', { ...own, ...form }, 'POST'), 403);
    await expectError(await send('/evaluation', { ...own, ...form, ...evil }, 'POST'), 403);
  });

  test('may link here', async () => {
    const { send } = reach(http);
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
    for (const destination of [{}, { 'Sec-Fetch-Dest': 'document' }]) {
      expect((await send('/tools', { ...own, ...link, ...destination })).status).toBe(200);
    }
  });

  test('does not use up the requests of its machine, nor is its body read', async () => {
    const { send } = reach(http, 2);
    for (let index = 0; index < 5; index++) {
      await expectError(await send('/tools', { ...own, ...evil }), 403);
      await expectError(await send('/messages', { ...own, ...evil }, 'POST', '{"not json'), 403);
      await send('/metrics', { ...own, ...evil });
    }
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
    // A page may go to an address again and again by itself.
    expect((await send('/tools', { ...own, ...link })).status).toBe(429);
    expect((await send('/metrics', { ...own, ...evil })).status).toBe(429);
    expect((await send('/metrics', own)).status).toBe(200);
    const reply = await send('/tools', own);
    expect([reply.status, reply.headers.get('ratelimit')]).toEqual([200, expect.stringContaining('r=0')]);
  });
});

describe('a page of the service itself', () => {
  test.each([
    ['localhost:8000', 'http://localhost:8000'],
    ['localhost:8000', 'https://localhost:8000'],
    ['localhost', 'http://localhost'],
    ['localhost:80', 'http://localhost'],
    ['localhost:443', 'https://localhost'],
    ['LocalHost:8000', 'http://localhost:8000'],
    ['[::1]:8000', 'http://[::1]:8000'],
  ])('may do everything, whatever the scheme: %s with %s', async (Host, Origin) => {
    const { send } = reach();
    const headers = { Host, Origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' };
    expect((await send('/evaluation', headers, 'POST')).status).toBe(200);
    expect((await send('/tools', headers)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    ['localhost:8000', 'http://127.0.0.1:8000'],
    ['localhost:8000', 'http://localhost'],
    ['localhost:443', 'http://localhost'],
    ['localhost:8000', 'http://localhost:8000@evil.example'],
  ])('is not one with another name or port: %s with %s', async (Host, Origin) => {
    await expectError(await reach().send('/tools', { Host, Origin }), 403, /^origin /);
  });
});

describe('clients that are no browsers', () => {
  test('are as before', async () => {
    const { send } = reach();
    const json = { Host: 'localhost', 'Content-Type': 'application/json' };
    expect((await send('/evaluation', { Host: 'localhost' }, 'POST')).status).toBe(200);
    expect((await send('/tools', json, 'OPTIONS')).status).toBe(405);
    const { status } = await send(
      '/agents/route',
      { ...json, 'Content-Type': 'application/x+json' },
      'POST',
      '{}',
    );
    expect(status).toBe(422);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      expect((await send('/agents/route', { ...json, 'Content-Type': type }, 'POST', '{}')).status).toBe(415);
    }
  });
});

describe('a page of an allowed origin', () => {
  const page = 'https://app.example';
  const allowed = { allowedOrigins: ['https://App.example:443', 'chrome-extension://abc'], apiKeys: [KEY] };
  const fromPage = { Host: 'localhost', Origin: page, 'Sec-Fetch-Site': 'cross-site' };

  test('reads replies, with the headers that it needs, errors too', async () => {
    const { send } = reach(allowed);
    const replies = [
      await send('/tools', { ...fromPage, 'X-Api-Key': KEY }),
      await send('/tools', fromPage),
      await send('/nowhere', { ...fromPage, 'X-Api-Key': KEY }),
      await send('/health', fromPage),
      await send('/tools', { ...fromPage, Origin: 'chrome-extension://abc', 'X-Api-Key': KEY }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 401, 404, 200, 200]);
    expect(replies.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([
      ...Array(4).fill(page),
      'chrome-extension://abc',
    ]);
    for (const { headers } of replies) {
      expect(headers.get('vary')?.split(', ')).toContain('Origin');
      expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual(
        expect.arrayContaining(['ETag', 'Link', 'Location', 'RateLimit', 'Retry-After', 'X-Trace-Id']),
      );
    }
  });

  test('gets its preflight answered without a key, and without being counted', async () => {
    const { send } = reach(allowed, 1);
    for (const path of ['/messages', '/metrics', '/nowhere']) {
      const preflight = { ...fromPage, 'Access-Control-Request-Method': 'POST' };
      const reply = await send(path, preflight, 'OPTIONS');
      expect([reply.status, await reply.text()]).toEqual([204, '']);
      expect(reply.headers.get('access-control-allow-origin')).toBe(page);
      expect(reply.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
      expect(reply.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')).toEqual(
        expect.arrayContaining([
          'authorization',
          'content-type',
          'idempotency-key',
          'if-match',
          'last-event-id',
          'prefer',
          'x-api-key',
        ]),
      );
      expect(reply.headers.get('ratelimit')).toBeNull();
    }
    expect((await send('/tools', { Host: 'localhost', 'X-Api-Key': KEY })).status).toBe(200);
  });

  test('is the only one that is allowed', async () => {
    const { send } = reach(allowed);
    for (const Origin of ['http://app.example', 'https://app.example:444', 'https://x.app.example', 'null']) {
      const preflight = { ...fromPage, Origin, 'Access-Control-Request-Method': 'POST' };
      for (const [headers, method] of [
        [{ ...fromPage, Origin }, 'GET'],
        [preflight, 'OPTIONS'],
      ] as const) {
        const reply = await send('/tools', headers, method);
        await expectError(reply, 403, `origin "${Origin}" is not allowed; see ALLOWED_ORIGINS`);
        expect(reply.headers.get('access-control-allow-origin')).toBeNull();
        expect(reply.headers.get('vary')).toBe('Origin');
      }
    }
  });

  test('needs the right host as well', async () => {
    const { send } = reach({ allowedOrigins: [page] });
    await expectError(await send('/tools', { ...fromPage, Host: 'evil.example' }), 403, /^host /);
  });

  test('keeps the Vary header of a reply', async () => {
    const { send } = reach(allowed);
    const reply = await send('/', { ...fromPage, 'X-Api-Key': KEY, Accept: 'application/json' });
    expect(reply.headers.get('vary')).toBe('Accept, Origin');
  });
});

test('a program that creates an app gets an error for entries that are no hosts or origins', () => {
  const { orchestrator } = createTestApp();
  const create = (options: Partial<HttpAppOptions>) => () => createHttpApp({ orchestrator, ...options });
  expect(create({ allowedHosts: ['https://app.example'] })).toThrow(
    'allowedHosts: entry 1 must be a host such',
  );
  expect(create({ allowedOrigins: ['https://a.example', '*'] })).toThrow(
    'allowedOrigins: entry 2 must be an origin',
  );
});
