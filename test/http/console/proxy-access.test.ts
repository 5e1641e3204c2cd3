import { describe, expect, test } from 'vitest';
import { hiddenPaths, page } from '../../support/console/folder.ts';
import { openConsole, openedConsole, startConsole } from '../../support/console/proxy.ts';
import { errorOf, type RawRequest, send } from '../../support/console/requests.ts';
import { exchange } from '../../support/http/raw-socket.ts';
import { startServer } from '../../support/outbound/server.ts';

/** A service that answers everything, and remembers what it got. */
async function startUpstream() {
  const upstream = await startServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true}');
  });
  return { ...upstream, url: `http://127.0.0.1:${upstream.port}` };
}

const forbidden = (detail: RegExp) => ({
  status: 403,
  error: 'Forbidden',
  detail: expect.stringMatching(detail),
});

describe('the address that a console prints', () => {
  test('opens it once: with a cookie that scripts and other sites do not get', async () => {
    const { url } = await startUpstream();
    const { port, tokenPath } = await startConsole(url);
    expect(tokenPath).toMatch(/^\/console\/\?token=[\w-]{43}$/);
    const opened = await send(port, `${tokenPath}&view=graph`);
    expect(opened).toMatchObject({ status: 303, body: '' });
    expect(opened.headers).toMatchObject({
      location: '/console/?view=graph',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    const [cookie = ''] = opened.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(new RegExp(`^console_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`));
    const headers = { Cookie: `other=1; ${cookie.split(';')[0]}` };
    expect((await send(port, '/console/?view=graph', { headers })).body).toBe(page);
    for (const request of [{}, { headers }]) {
      const again = await send(port, tokenPath, request);
      expect(errorOf(again)).toEqual(forbidden(/^it works once/));
      expect(again.headers['set-cookie']).toBeUndefined();
    }
  });

  test.each(['', 'x', 'A'.repeat(43), '%00', '%FF', 'A'.repeat(9_000)])(
    'does not open it with another token, and still works afterwards: %s',
    async (token) => {
      const { url } = await startUpstream();
      const { port, tokenPath } = await startConsole(url);
      const wrong = await send(port, `/console/?token=${token}`);
      expect(errorOf(wrong)).toEqual(forbidden(/^it works once/));
      expect(await openConsole(port, tokenPath)).not.toBe('');
    },
  );

  test('is opened by GET alone, so that HEAD does not use it up', async () => {
    const { url } = await startUpstream();
    const { port, tokenPath } = await startConsole(url);
    expect((await send(port, tokenPath, { method: 'HEAD' })).status).toBe(405);
    expect(await openConsole(port, tokenPath)).not.toBe('');
  });
});

describe('a browser that has not opened the console', () => {
  const paths = [
    '/',
    '/console',
    '/console/',
    '/console/settings.json',
    '/console/static/main-1a2b3c.js',
    '/tools',
    '/health',
    '/?token=x',
  ];

  test.each(paths)('gets nothing: %s', async (path) => {
    const upstream = await startUpstream();
    const { port, cookie } = await openedConsole(upstream.url);
    const [name = '', value = ''] = cookie.split('=');
    const cookies = [
      undefined,
      '',
      name,
      `${name}=`,
      `${name}=${value.slice(1)}`,
      `x${cookie}`,
      `other=${value}`,
    ];
    for (const sent of cookies) {
      const headers = sent === undefined ? {} : { Cookie: sent };
      expect(errorOf(await send(port, path, { headers }))).toEqual(forbidden(/^open the address/));
    }
    expect(upstream.received).toEqual([]);
  });

  test('is told on a page what to do', async () => {
    const { url } = await startUpstream();
    const { port, tokenPath } = await startConsole(url);
    const headers = { Accept: 'text/html,*/*;q=0.8' };
    const closed = await send(port, '/console/', { headers });
    expect(closed.status).toBe(403);
    expect(closed.headers['content-security-policy']).toContain("default-src 'none'");
    expect(closed.body).toContain('<h1>This console is not open in this browser</h1>');
    await openConsole(port, tokenPath);
    const used = await send(port, tokenPath, { headers });
    expect([used.status, used.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    expect(used.body).toContain('It works once');
  });
});

describe('a request that does not come from the console', () => {
  const rebinding = /^the Host header is not the address/;
  const foreign: readonly [string, RegExp, (port: number) => RawRequest][] = [
    ['the name of an attacker', rebinding, (port) => ({ headers: { Host: `evil.example:${port}` } })],
    ['no port', rebinding, () => ({ headers: { Host: '127.0.0.1' } })],
    ['another port', rebinding, (port) => ({ headers: { Host: `127.0.0.1:${port + 1}` } })],
    [
      'a name that begins alike',
      rebinding,
      (port) => ({ headers: { Host: `localhost.evil.example:${port}` } }),
    ],
    ['a user before its name', rebinding, (port) => ({ headers: { Host: `x@127.0.0.1:${port}` } })],
    ['a dot after its name', rebinding, (port) => ({ headers: { Host: `localhost.:${port}` } })],
    ['another loopback address', rebinding, (port) => ({ headers: { Host: `127.0.0.2:${port}` } })],
    ['a foreign Origin', /another origin/, () => ({ headers: { Origin: 'https://evil.example' } })],
    ['the Origin null', /another origin/, () => ({ headers: { Origin: 'null' } })],
    ['an empty Origin', /another origin/, () => ({ headers: { Origin: '' } })],
    [
      'the Origin of another port',
      /another origin/,
      (port) => ({ headers: { Origin: `http://127.0.0.1:${port + 1}` } }),
    ],
    [
      'its other name as Origin',
      /another origin/,
      (port) => ({ headers: { Origin: `http://localhost:${port}` } }),
    ],
    ['https as Origin', /another origin/, (port) => ({ headers: { Origin: `https://127.0.0.1:${port}` } })],
    ['Sec-Fetch-Site: cross-site', /another site/, () => ({ headers: { 'Sec-Fetch-Site': 'cross-site' } })],
    ['Sec-Fetch-Site: same-site', /another site/, () => ({ headers: { 'Sec-Fetch-Site': 'same-site' } })],
    ['an unknown Sec-Fetch-Site', /another site/, () => ({ headers: { 'Sec-Fetch-Site': 'x' } })],
  ];

  test.each(foreign)('is refused, with the cookie and with the token: %s', async (_, detail, sent) => {
    const upstream = await startUpstream();
    const { port, cookie } = await openedConsole(upstream.url);
    const fresh = await startConsole(upstream.url);
    for (const path of ['/tools', '/console/', '/console/static/main-1a2b3c.js']) {
      const { headers } = sent(port);
      const reply = await send(port, path, { headers: { Cookie: cookie, ...headers } });
      expect(errorOf(reply)).toEqual(forbidden(detail));
    }
    expect(errorOf(await send(fresh.port, fresh.tokenPath, sent(fresh.port)))).toEqual(forbidden(detail));
    expect(await openConsole(fresh.port, fresh.tokenPath)).not.toBe('');
    expect(upstream.received).toEqual([]);
  });

  test('is refused with two Host headers', async () => {
    const { url } = await startUpstream();
    const { port, cookie } = await openedConsole(url);
    const ask = async (...hosts: readonly string[]) => {
      const lines = [`Cookie: ${cookie}`, ...hosts.map((host) => `Host: ${host}`), 'Connection: close'];
      const { responses } = await exchange(port, `GET /tools HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      return responses.map(({ status }) => status);
    };
    const own = `127.0.0.1:${port}`;
    expect(await ask(own)).toEqual([200]);
    expect(await ask(own, 'evil.example')).toEqual([403]);
    expect(await ask('evil.example', own)).toEqual([403]);
    expect(await ask()).toEqual([400]);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'is refused where it changes something and does not show where it comes from: %s',
    async (method) => {
      const upstream = await startUpstream();
      const { port, cookie } = await openedConsole(upstream.url);
      const detail = /^a request that changes something needs the header Origin/;
      for (const headers of [{}, { 'Sec-Fetch-Site': 'none' }]) {
        const reply = await send(port, '/workflows', { method, headers: { Cookie: cookie, ...headers } });
        expect(errorOf(reply)).toEqual(forbidden(detail));
      }
      expect(upstream.received).toEqual([]);
      for (const headers of [{ Origin: `http://127.0.0.1:${port}` }, { 'Sec-Fetch-Site': 'same-origin' }]) {
        const { status } = await send(port, '/workflows', {
          method,
          headers: { Cookie: cookie, ...headers },
        });
        expect(status).toBe(200);
      }
    },
  );

  test('may have the name localhost, and no Origin, where it only reads', async () => {
    const upstream = await startUpstream();
    const { port, cookie } = await openedConsole(upstream.url);
    const host = `localhost:${port}`;
    const requests = [
      {},
      { Host: host },
      { Host: host, Origin: `http://${host}` },
      { 'Sec-Fetch-Site': 'none' },
    ];
    for (const headers of requests)
      expect((await send(port, '/tools', { headers: { Cookie: cookie, ...headers } })).status).toBe(200);
  });

  test('is refused with another method, or for another server', async () => {
    const upstream = await startUpstream();
    const { browse } = await openedConsole(upstream.url);
    for (const method of ['OPTIONS', 'TRACE', 'PROPFIND'])
      expect(errorOf(await browse('/tools', { method }))).toMatchObject({ status: 405 });
    for (const path of [`http://127.0.0.1:${upstream.port}/tools`, '*'])
      expect(errorOf(await browse(path))).toMatchObject({ status: 400 });
    expect(upstream.received).toEqual([]);
  });
});

describe('the files of an opened console', () => {
  test('are sent as the service sends them', async () => {
    const upstream = await startUpstream();
    const { browse } = await openedConsole(upstream.url);
    const opened = await browse('/console/');
    expect(opened.body).toBe(page);
    expect(opened.headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
    expect(await browse('/console?view=graph')).toMatchObject({
      status: 308,
      headers: { location: '/console/?view=graph' },
    });
    const file = await browse('/console/static/main-1a2b3c.js', { headers: { 'Accept-Encoding': 'gzip' } });
    expect(file.headers).toMatchObject({ 'content-encoding': 'gzip', 'x-content-type-options': 'nosniff' });
    const head = await browse('/console/', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '' });
    const posted = await browse('/console/', { method: 'POST' });
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
    const settings = await browse('/console/settings.json');
    expect(JSON.parse(settings.body)).toEqual({ read_only: false, upstream: upstream.url });
    expect(upstream.received).toEqual([]);
  });

  test('are the only ones that are sent, and the service is not asked for others', async () => {
    const upstream = await startUpstream();
    const { browse } = await openedConsole(upstream.url);
    for (const path of hiddenPaths) {
      const reply = await browse(path);
      expect({ path, ...(errorOf(reply) as object) }).toMatchObject({
        path,
        status: 404,
        error: 'Not Found',
      });
    }
    expect(upstream.received).toEqual([]);
  });
});
