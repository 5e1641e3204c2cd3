import { rename } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttpApp } from '../../../src/adapters/http/app.ts';
import { createConsoleResponder } from '../../../src/adapters/http/console/responder.ts';
import { startServer } from '../../../src/adapters/http/listener/server.ts';
import { consoleFolder, hiddenPaths, page, script } from '../../support/console/folder.ts';
import { send } from '../../support/console/requests.ts';
import { createTestApp, expectError, jsonOf, type TestAppOverrides } from '../../support/http/app.ts';

const scriptPath = '/console/static/main-1a2b3c.js';

async function appWithConsole(http: TestAppOverrides['http'] = {}) {
  const folder = await consoleFolder();
  return { folder, ...createTestApp({ http: { console: { folder }, ...http } }) };
}

describe('the page of the console', () => {
  test('is sent with a policy that allows its own files alone, and is asked for again each time', async () => {
    const { request, finished } = await appWithConsole();
    const response = await request('/console/');
    expect([response.status, await response.text()]).toEqual([200, page]);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      'x-content-type-options': 'nosniff',
    });
    const again = await request('/console/', { headers: { 'If-None-Match': headers['etag'] ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(finished.map(({ route, status }) => [route, status])).toEqual([
      ['/console', 200],
      ['/console', 304],
    ]);
  });

  test.each([
    ['/console', 'console/'],
    ['/console?view=graph', 'console/?view=graph'],
  ])('has a slash at its end: %s', async (path, location) => {
    const { request } = await appWithConsole();
    const response = await request(path);
    expect([response.status, response.headers.get('location')]).toEqual([308, location]);
  });

  test('is not there unless it is asked for', async () => {
    for (const http of [{}, { console: false }]) {
      const { request } = createTestApp({ http });
      for (const path of ['/console', '/console/', '/console/settings.json', scriptPath])
        await expectError(await request(path), 404, /nothing is served/);
    }
  });

  test('needs the key like every other path', async () => {
    const { request } = await appWithConsole({ apiKeys: ['key'] });
    for (const path of ['/console', '/console/', '/console/settings.json', scriptPath]) {
      await expectError(await request(path), 401);
      const { status } = await request(path, { headers: { 'X-Api-Key': 'key' } });
      expect(status).toBeLessThan(400);
    }
  });

  test('says how to build it while it is not built, and is there as soon as it is', async () => {
    const { request, folder } = await appWithConsole();
    await rename(folder, `${folder}-elsewhere`);
    const missing = await request('/console/');
    expect(missing.status).toBe(503);
    expect(missing.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(missing.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await missing.text()).toContain('run <code>npm run build:console</code>');
    await expectError(await request(scriptPath), 404);
    await rename(`${folder}-elsewhere`, folder);
    expect((await request('/console/')).status).toBe(200);
  });
});

describe('every reply below /console/', () => {
  const policy = expect.stringMatching(/^default-src 'none'; script-src 'self'; .*trusted-types 'none'$/);

  test('has the policy of the page', async () => {
    const { request, folder } = await appWithConsole();
    const icon = await request('/console/favicon.svg');
    const etag = icon.headers.get('etag') ?? '';
    const asked: readonly (readonly [string, RequestInit, number])[] = [
      ['/console', {}, 308],
      ['/console/', { method: 'HEAD' }, 200],
      ['/console/', { method: 'POST' }, 405],
      ['/console/settings.json', {}, 200],
      ['/console/favicon.svg', {}, 200],
      ['/console/favicon.svg', { headers: { 'If-None-Match': etag } }, 304],
      [scriptPath, {}, 200],
      ['/console/nothing', {}, 404],
      ['/console/settings.json', { method: 'PUT' }, 405],
    ];
    for (const [path, init, status] of asked) {
      const reply = await request(path, init);
      const { headers } = reply;
      expect([path, reply.status, headers.get('content-security-policy')]).toEqual([path, status, policy]);
    }
    const notBuilt = createTestApp({ http: { console: { folder: `${folder}-nowhere` } } });
    const { status, headers } = await notBuilt.request('/console/');
    expect([status, headers.get('content-security-policy')]).toEqual([503, policy]);
  });

  test('has it also where the key or the rate limit refuses the request', async () => {
    const { request } = await appWithConsole({ apiKeys: ['key'] });
    for (const path of ['/console/', scriptPath]) {
      const { status, headers } = await request(path);
      expect([status, headers.get('content-security-policy')]).toEqual([401, policy]);
    }
  });

  test('is alone in having it: replies of the API are not changed by the console', async () => {
    const { request } = await appWithConsole();
    for (const path of ['/tools', '/consoles', '/nothing'])
      expect((await request(path)).headers.has('content-security-policy')).toBe(false);
  });
});

describe('the files of the console', () => {
  test('are kept for a year where their names change with their content', async () => {
    const { request } = await appWithConsole();
    const response = await request(scriptPath);
    expect([response.status, await response.text()]).toEqual([200, script]);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const icon = await request('/console/favicon.svg');
    expect(icon.headers.get('content-type')).toBe('image/svg+xml');
    expect(icon.headers.get('cache-control')).toBe('private, no-cache');
  });

  test.each(['gzip', 'deflate, GZIP;q=0.5', '*', 'br, gzip, zstd'])(
    'are compressed for Accept-Encoding: %s',
    async (encoding) => {
      const { request } = await appWithConsole();
      const plain = await request(scriptPath);
      const headers = { 'Accept-Encoding': encoding };
      const response = await request(scriptPath, { headers });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.length).toBeLessThan(script.length / 10);
      expect(gunzipSync(bytes).toString()).toBe(script);
      const etag = response.headers.get('etag') ?? '';
      expect(etag).not.toBe(plain.headers.get('etag'));
      const again = await request(scriptPath, { headers: { ...headers, 'If-None-Match': etag } });
      expect(again.status).toBe(304);
    },
  );

  test.each(['', 'gzip;q=0', 'br', '*, gzip;q=0', 'identity'])(
    'are not compressed for Accept-Encoding: %s',
    async (encoding) => {
      const { request } = await appWithConsole();
      const response = await request(scriptPath, { headers: { 'Accept-Encoding': encoding } });
      expect(response.headers.get('content-encoding')).toBeNull();
      expect(await response.text()).toBe(script);
    },
  );

  test('are not compressed twice', async () => {
    const { request } = await appWithConsole();
    const font = await request('/console/static/font-7a8b9c.woff2', {
      headers: { 'Accept-Encoding': 'gzip' },
    });
    expect(font.headers.get('content-encoding')).toBeNull();
    const respond = createConsoleResponder({ readOnly: false, upstream: null }, await consoleFolder());
    const ask = { name: 'static/main-1a2b3c.js', acceptEncoding: 'gzip', ifNoneMatch: undefined };
    const [first, second] = await Promise.all([respond(ask), respond(ask)]);
    expect(first?.body).toBe(second?.body);
  });

  test('are the only ones that are served', async () => {
    const { app } = await appWithConsole();
    const { port, close } = await startServer({ fetch: app.fetch, port: 0 });
    onTestFinished(close);
    for (const path of hiddenPaths) {
      const { status, body } = await send(port, path);
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(JSON.parse(body)).toEqual({ error: 'Not Found', detail: expect.any(String) });
      expect(body).not.toContain('canary');
    }
  });

  test('answer HEAD without a body, and no other method', async () => {
    const { request } = await appWithConsole();
    for (const path of ['/console/', scriptPath, '/console/settings.json']) {
      const head = await request(path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      const post = await request(path, { method: 'POST' });
      expect(post.headers.get('allow')).toBe('GET, HEAD');
      await expectError(post, 405);
    }
  });
});

describe('a service with the console', () => {
  test('answers a file by its exact name alone, without a slash at the end', async () => {
    const { request } = await appWithConsole();
    for (const path of ['/console/settings.json/', '/console/favicon.svg/', `${scriptPath}/`])
      await expectError(await request(path), 404, /the console has no file with this name/);
  });

  test('tells the page that everything is allowed', async () => {
    const { request } = await appWithConsole();
    const response = await request('/console/settings.json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await jsonOf(response)).toEqual({ read_only: false, upstream: null });
  });

  test('links it from its start page', async () => {
    const { request } = await appWithConsole();
    expect(await jsonOf(await request('/'))).toMatchObject({ links: { console: '/console/' } });
    const html = await (await request('/', { headers: { Accept: 'text/html' } })).text();
    expect(html).toContain('<li><a href="./console/">Console</a></li>');
  });

  test('describes the same API as without', async () => {
    const described = async (console: boolean): Promise<string> =>
      (await createTestApp({ http: { console } }).request('/openapi.json')).text();
    expect(await described(true)).toBe(await described(false));
  });

  test.each([
    ['mount', (service: Hono) => new Hono().mount('/shop', service.fetch)],
    ['route', (service: Hono) => new Hono().route('/shop', service)],
  ])('serves it below the path of a %s', async (_, mount) => {
    const { orchestrator } = createTestApp();
    const console = { folder: await consoleFolder() };
    const app = mount(createHttpApp({ orchestrator, console }) as unknown as Hono);
    const { port, close } = await startServer({ fetch: app.fetch, port: 0 });
    onTestFinished(close);
    const base = `http://127.0.0.1:${port}/shop`;
    const response = await fetch(`${base}/console`);
    expect([response.url, await response.text()]).toEqual([`${base}/console/`, page]);
    expect((await fetch(new URL('static/main-1a2b3c.js', response.url))).status).toBe(200);
    const { links } = (await (await fetch(base)).json()) as { links: { console: string } };
    expect(new URL(links.console, base).href).toBe(`${base}/console/`);
  });
});
