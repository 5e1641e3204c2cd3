import { hash } from 'node:crypto';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttpApp } from '../../src/adapters/http/app.ts';
import { startServer } from '../../src/adapters/http/listener/server.ts';
import { createTestApp, expectError, jsonOf } from '../support/http/app.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** The targets of the links of an HTML page, and of its icon. */
const linksOf = (html: string) => Array.from(html.matchAll(/href="([^"]*)"/g), ([, link = '']) => link);

describe('GET /', () => {
  test.each([
    undefined,
    '*/*',
    'application/json',
    'text/html;q=0.1, application/json',
    'image/png',
    'text/html;q=x',
    '',
  ])('returns links as JSON for Accept: %s', async (accept) => {
    const { request, finished } = createTestApp();
    const response = await request('/', { headers: accept === undefined ? {} : { Accept: accept } });
    expect([response.status, response.headers.get('vary')]).toEqual([200, 'Accept']);
    expect(await jsonOf(response)).toEqual({
      service: 'orchestration-service',
      version: '1.2.3',
      links: { docs: '/docs', redoc: '/redoc', openapi: '/openapi.json', health: '/health' },
    });
    expect(finished).toMatchObject([{ route: '/', status: 200 }]);
  });

  test.each([browser, 'text/html', 'text/*', 'TEXT/HTML, application/json;q=0.5'])(
    'returns a page for Accept: %s',
    async (accept) => {
      const { request, finished } = createTestApp();
      const response = await request('/', { headers: { Accept: accept } });
      expect([response.status, response.headers.get('vary')]).toEqual([200, 'Accept']);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const html = await response.text();
      expect(linksOf(html)).toEqual([
        './docs/favicon.png',
        './docs',
        './redoc',
        './openapi.json',
        './health',
      ]);
      expect(html).toContain('Version 1.2.3');
      expect(finished).toMatchObject([{ route: '/', status: 200 }]);
    },
  );

  test('has a policy that allows no script, and exactly its style', async () => {
    const { request } = createTestApp();
    const response = await request('/', { headers: { Accept: browser } });
    const policy = response.headers.get('content-security-policy') ?? '';
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(await response.text()) ?? [];
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain(`style-src 'sha256-${hash('sha256', style, 'base64')}';`);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('escapes the version', async () => {
    const { request } = createTestApp({ http: { version: '<b>"&' } });
    const html = await (await request('/', { headers: { Accept: browser } })).text();
    expect(html).toContain('Version &lt;b>&quot;&amp;');
  });

  test('needs the key', async () => {
    const { request } = createTestApp({ http: { apiKeys: ['key'] } });
    await expectError(await request('/'), 401);
    expect((await request('/', { headers: { 'X-Api-Key': 'key' } })).status).toBe(200);
  });

  test('takes no other method', async () => {
    const { request } = createTestApp();
    const response = await request('/', { method: 'POST' });
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    await expectError(response, 405);
  });
});

describe('the links of a mounted app', () => {
  const service = () => createHttpApp({ orchestrator: createTestApp().orchestrator }) as unknown as Hono;

  test.each<[string, string, Hono]>([
    ['mount', '/shop', new Hono().mount('/shop', service().fetch)],
    ['mount, with a slash', '/shop/', new Hono().mount('/shop', service().fetch)],
    [
      'mount of a mount',
      '/a&b/c%20d',
      new Hono().mount('/a&b', new Hono().mount('/c d', service().fetch).fetch),
    ],
    ['route', '/shop', new Hono().route('/shop', service())],
    ['no mount', '/', service()],
  ])('can be followed: %s', async (_, path, app) => {
    const { port, close } = await startServer({ fetch: app.fetch, port: 0 });
    onTestFinished(close);
    const url = `http://127.0.0.1:${port}${path}`;
    const html = await (await fetch(url, { headers: { Accept: browser } })).text();
    const json = (await (await fetch(url)).json()) as { links: Record<string, string> };
    const links = [
      ...linksOf(html).map((link) => link.replaceAll('&amp;', '&')),
      ...Object.values(json.links),
    ];
    expect(links).toHaveLength(9);
    for (const link of links) {
      const { status } = await fetch(new URL(link, url));
      expect({ link, status }).toEqual({ link, status: 200 });
    }
  });
});
