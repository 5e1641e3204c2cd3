import type { OutgoingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { securityHeaders } from '../../../src/adapters/http/response.ts';
import { openedConsole } from '../../support/console/proxy.ts';
import { send } from '../../support/console/requests.ts';
import { pageAt, tableRows } from '../../support/docs/pages.ts';
import { startServer } from '../../support/outbound/server.ts';

/** A service that answers with these headers, and its console. */
async function startWith(headers: OutgoingHttpHeaders, status = 200) {
  const upstream = await startServer((_request, response) => {
    response.writeHead(status, headers).end(status === 304 ? undefined : '{}');
  });
  return { upstream, ...(await openedConsole(`http://127.0.0.1:${upstream.port}`)) };
}

const namesOf = (headers: object): readonly string[] =>
  Object.keys(headers).map((name) => name.toLowerCase());

const valued = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, '/stray']));

describe('a header of a request', () => {
  test.each([
    ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Cache-Control', 'Content-Encoding', 'Content-Type'],
    ...['Idempotency-Key', 'If-Match', 'If-Modified-Since', 'If-None-Match', 'If-Range'],
    ...['If-Unmodified-Since', 'Last-Event-ID', 'Pragma', 'Prefer', 'Range', 'traceparent', 'tracestate'],
    ...['User-Agent', 'X-Request-Id'],
  ])('reaches the service where the API knows it: %s', async (name) => {
    const { upstream, browse } = await startWith({});
    await browse('/tools', { headers: { [name]: '/stray' } });
    expect(upstream.received[0]?.headers[name.toLowerCase()]).toBe('/stray');
  });

  test('ends here where the API does not know it: the way of the request, other methods, credentials', async () => {
    const { upstream, browse } = await startWith({});
    const names = [
      ...['Via', 'True-Client-IP', 'Client-IP', 'CF-Connecting-IP', 'X-Client-IP', 'X-Cluster-Client-IP'],
      ...['X-Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Original-URL', 'X-Rewrite-URL'],
      ...['X_Api_Key', 'Api-Key', 'X-HTTP-Method', 'X-Method-Override', 'Proxy-Authorization', 'Referer'],
      ...['Authorization', 'Forwarded', 'X-Real-IP', 'Sec-Fetch-Mode', 'DNT', 'Warning', '__proto__'],
    ];
    await browse('/tools', { headers: Object.fromEntries(names.map((name) => [name, '/stray'])) });
    const [received] = upstream.received;
    expect(JSON.stringify(received?.headers)).not.toContain('/stray');
    expect(namesOf(received?.headers ?? {}).toSorted()).toEqual(['connection', 'host', 'x-api-key']);
  });
});

describe('a header of a response', () => {
  const documented = tableRows({
    path: 'Headers',
    markdown:
      pageAt('docs/http-api.md')
        .markdown.split(/^## /m)
        .find((text) => text.startsWith('Headers\n')) ?? '',
  }).flatMap(([names = '']) => Array.from(names.matchAll(/`([\w-]+)(?::[^`]*)?`/g), ([, name = '']) => name));
  const ending = [
    ...['www-authenticate', 'connection', 'strict-transport-security'],
    ...['access-control-allow-origin', 'access-control-expose-headers'],
  ];

  test('reaches the browser where the API has it', async () => {
    const names = [
      ...documented,
      ...Object.keys(securityHeaders),
      'Content-Security-Policy',
      'Content-Language',
    ];
    const passed = names.filter((name) => !ending.includes(name.toLowerCase()));
    expect(passed.length).toBeGreaterThan(24);
    const { browse } = await startWith(valued(passed));
    expect((await browse('/tools')).headers).toMatchObject(valued(namesOf(valued(passed))));
  });

  test('ends here where the API does not have it: what changes the browser, or says the key', async () => {
    const names = [
      ...['Refresh', 'X-Api-Key', 'Service-Worker-Allowed', 'Report-To', 'Reporting-Endpoints', 'NEL'],
      ...['Access-Control-Allow-Origin', 'Access-Control-Allow-Credentials', 'SourceMap', 'X-SourceMap'],
      ...['Clear-Site-Data', 'Alt-Svc', 'Set-Cookie', 'Set-Cookie2', 'WWW-Authenticate', 'Server', 'Via'],
      ...['Origin-Trial', 'Accept-CH', 'Critical-CH', 'Speculation-Rules', 'No-Vary-Search'],
      ...['Set-Login', 'Supports-Loading-Mode', 'Timing-Allow-Origin', 'X-Powered-By', '__proto__'],
    ];
    const { browse } = await startWith(Object.fromEntries(names.map((name) => [name, '/stray'])));
    expect(JSON.stringify((await browse('/tools')).headers)).not.toContain('/stray');
  });
});

describe('the browser', () => {
  test.each([
    ['no rule', {}, 'no-store'],
    ['no rule but a tag', { ETag: '"7"' }, 'private, no-cache'],
    ['a rule', { 'Cache-Control': 'private, max-age=3600', ETag: '"7"' }, 'private, max-age=3600'],
    ['a rule for one connection', { 'Cache-Control': 'x', Connection: 'Cache-Control' }, 'no-store'],
  ])('keeps no response of the API unasked: with %s', async (_, headers, expected) => {
    for (const status of [200, 304, 404]) {
      const { browse } = await startWith(headers, status);
      const reply = await browse('/trace/');
      expect([reply.status, reply.headers['cache-control']]).toEqual([status, expected]);
    }
  });
});

describe('a reply of the console itself', () => {
  test('has the policy of the page, also where it is an error', async () => {
    const { port, browse } = await startWith({});
    const policy = expect.stringMatching(/^default-src 'none'; script-src 'self'; .*trusted-types 'none'$/);
    const replies = [
      await browse('/console?view=graph'),
      await browse('/console/'),
      await browse('/console/settings.json'),
      await browse('/console/static/main-1a2b3c.js'),
      await browse('/console/favicon.svg'),
      await browse('/console/nothing'),
      await browse('/console/settings.json/'),
      await browse('/console/', { method: 'POST' }),
      await send(port, '/console/settings.json'),
      await send(port, '/console/?token=x'),
      await browse('/../tools'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([
      308, 200, 200, 200, 200, 404, 404, 405, 403, 403, 400,
    ]);
    for (const { headers } of replies) expect(headers['content-security-policy']).toEqual(policy);
  });
});
