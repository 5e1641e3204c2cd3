import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ServerLimits, startServer } from '../../../src/adapters/http/listener/server.ts';
import { createTestApp, lookup, type TestAppOverrides } from '../../support/http/app.ts';
import { connectRaw, exchange } from '../../support/http/raw-socket.ts';

const accept = 'Accept: application/problem+json\r\n';

async function startApp(overrides: TestAppOverrides = {}, limits: Partial<ServerLimits> = {}) {
  const app = createTestApp(overrides);
  const { port, close } = await startServer({ fetch: app.app.fetch, port: 0, limits });
  onTestFinished(close);
  return { ...app, port };
}

const problem = (status: number) => ({
  type: 'about:blank',
  title: expect.any(String),
  status,
  error: expect.any(String),
  detail: expect.any(String),
});

const shortTimeouts = { headersTimeoutMs: 300, requestTimeoutMs: 300, connectionsCheckingIntervalMs: 50 };
const manyHeaders = Array.from({ length: 101 }, (_, n) => `X-${n}: 1\r\n`).join('');

describe('an error of the listener', () => {
  const rejected: readonly (readonly [string, number, string])[] = [
    ['without a host', 400, 'GET / HTTP/1.1\r\n'],
    ['with too many headers', 431, `GET / HTTP/1.1\r\nHost: localhost\r\n${manyHeaders}`],
    ['with an unknown expectation', 417, 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n'],
    ['for a tunnel', 405, 'CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n'],
  ];

  test.each(rejected)('is problem details for a request that accepts them: %s', async (_, status, head) => {
    const { port } = await startApp();
    const { responses } = await exchange(port, `${head}${accept}\r\n`);
    const [response = expect.fail()] = responses;
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('content-length')).toBe(String(response.body.length));
    expect(JSON.parse(response.body)).toEqual(problem(status));
  });

  test.each(rejected)('is unchanged for any other request: %s', async (_, status, head) => {
    const { port } = await startApp();
    const { responses } = await exchange(port, `${head}Accept: */*\r\n\r\n`);
    const [response = expect.fail()] = responses;
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json']);
    expect(response.headers.has('vary')).toBe(false);
    expect(Object.keys(JSON.parse(response.body))).toEqual(['error', 'detail']);
  });

  const post = `POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;

  test('about a body that does not arrive is problem details', async () => {
    const { port } = await startApp({}, shortTimeouts);
    const { responses } = await exchange(port, `${post}${accept}Content-Length: 9\r\n\r\n{`);
    expect(responses.map(({ body }) => JSON.parse(body))).toEqual([problem(408)]);
  });

  test('about a body that becomes invalid is problem details', async () => {
    const { port } = await startApp();
    const client = await connectRaw(port);
    client.send(`${post}${accept}Transfer-Encoding: chunked\r\n\r\n`);
    await sleep(50);
    client.send('Z\r\n');
    const { responses } = await client.receive();
    expect(responses.map(({ body }) => JSON.parse(body).type)).toEqual(['about:blank']);
  });

  test('about a header that cannot be read is as before, after a request that accepts problem details', async () => {
    const { port } = await startApp();
    const { responses } = await exchange(
      port,
      `GET /nobody HTTP/1.1\r\nHost: localhost\r\n${accept}\r\n\u0000\r\n`,
    );
    const types = responses.map(({ status, headers }) => [status, headers.get('content-type')]);
    expect(types).toEqual([
      [404, 'application/problem+json'],
      [400, 'application/json'],
    ]);
  });
});

describe('a real connection', () => {
  test('gets 401 as problem details, with a scheme that no browser asks a password for', async () => {
    const { port } = await startApp({ http: { apiKeys: ['key'] } });
    const response = await fetch(`http://127.0.0.1:${port}/tools`, {
      headers: { Accept: 'application/problem+json' },
    });
    expect(await response.json()).toEqual(problem(401));
    const scheme = response.headers.get('www-authenticate')?.split(' ')[0];
    expect(scheme).toBe('ApiKey');
  });

  test('gets 304 without a body and keeps its connection', async () => {
    const { port, post } = await startApp();
    const created = await post('/messages', { customer_id: 'c', message: 'Hello' });
    const url = `/trace/${created.headers.get('x-trace-id')}`;
    const get = (headers: string) => `GET ${url} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
    const client = await connectRaw(port);
    onTestFinished(client.close);
    client.send(get(''));
    const first = await client.receive({ responses: 1 });
    const tag = first.responses[0]?.headers.get('etag') ?? expect.fail();
    client.send(get(`If-None-Match: ${'"x",'.repeat(3_000)}${tag}\r\n`));
    client.send(get(''));
    const { responses } = await client.receive({ responses: 2 });
    expect(responses.map(({ status }) => status)).toEqual([304, 200]);
    expect(responses[0]?.body).toBe('');
    expect(responses[0]?.headers.get('date')).toBeTruthy();
    expect(responses[0]?.headers.get('etag')).toBe(tag);
  });

  test.each(['a/b,', 'a/b;q=0,', '*/*;q=abc,', '",', ';'])(
    'gets an answer to an Accept header of thousands of members: %s',
    async (member) => {
      const { port } = await startApp();
      const value = member.repeat(14_000 / member.length);
      for (const path of ['/', '/nobody']) {
        const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: ${value}\r\n\r\n`;
        const { responses } = await exchange(port, request);
        expect(responses.map(({ headers }) => headers.get('content-type'))).toEqual(['application/json']);
      }
    },
  );

  test('gets a link to the next page that it can follow, and 202 for a run that takes too long', async () => {
    const never = () => new Promise<never>(() => {});
    const { port, orchestrator, clock } = await startApp({
      tools: [{ ...lookup, name: 'never', execute: never }],
    });
    onTestFinished(() => orchestrator.close(0));
    const base = `http://127.0.0.1:${port}`;
    const send = (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(base + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...headers },
      });
    const steps = [{ id: 'a', tool_name: 'never' }];
    const created = await Promise.all([1, 2].map((n) => send('/workflows', { name: `n${n}`, steps })));
    const location = created[0]?.headers.get('location') ?? '';
    const page = await fetch(`${base}/workflows?limit=1`);
    const [, next = ''] = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? [];
    expect(await (await fetch(new URL(next, base))).json()).toMatchObject({ total: 2, offset: 1 });
    const responding = send(`${location}/run`, {}, { Prefer: 'wait=1' });
    await expect.poll(() => clock.waits.includes(1_000)).toBe(true);
    await clock.advance(1_000);
    const response = await responding;
    expect([response.status, response.headers.get('preference-applied')]).toEqual([202, 'wait=1']);
    const run = await fetch(base + (response.headers.get('location') ?? ''));
    expect([run.status, run.headers.has('etag')]).toEqual([200, false]);
    await clock.advance(100_000);
  });
});
