import { once } from 'node:events';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Browser, startBrowser } from './support/console/browser.ts';
import { startServer } from './support/outbound/server.ts';
import { bodyOf, type Service, startService } from './support/process/service.ts';

const LIMIT = 60;

let browser: Browser;
let service: Service;
/** The port of pages of other sites. */
let pages: number;

beforeAll(async () => {
  browser = await startBrowser(['evil.example', 'app.example']);
});

afterAll(() => browser?.close());

beforeEach(async () => {
  const elsewhere = await startServer((_request, response) => {
    const body = `<!doctype html><title>Elsewhere</title><a href="${service.baseUrl}/docs">link</a>`;
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(body);
  });
  pages = elsewhere.port;
  service = await startService({
    RATE_LIMIT_REQUESTS: String(LIMIT),
    ALLOWED_ORIGINS: `http://app.example:${pages}`,
  });
  onTestFinished(() => service.stop());
});

/** Opens a page, which is closed at the end of the test. */
async function open(url: string): Promise<{ readonly page: Page; readonly errors: readonly string[] }> {
  const page = await browser.context.newPage();
  onTestFinished(() => page.close());
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(url);
  return { page, errors };
}

/** The statuses of the requests that the service has logged, by method and path. */
function logged(method: string, path: string): readonly unknown[] {
  return service
    .log()
    .filter((line) => line['msg'] === 'request' && line['method'] === method && line['path'] === path)
    .map((line) => line['status']);
}

describe('in a browser', () => {
  test('a name that is pointed at this machine after its page was loaded gets nothing', async () => {
    let target = pages;
    const sockets: Socket[] = [];
    const changedName = createTcpServer((socket) => {
      sockets.push(socket);
      const upstream = connect(target, '127.0.0.1');
      for (const one of [socket, upstream]) one.on('error', () => undefined);
      socket.pipe(upstream).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(changedName, 'listening');
    onTestFinished(() => void changedName.close());
    const address = changedName.address();
    const { page } = await open(`http://evil.example:${typeof address === 'object' ? address?.port : 0}/`);
    target = service.port;
    for (const socket of sockets) socket.destroy();
    const replies = await page.evaluate(async () => {
      const json = { 'Content-Type': 'application/json' };
      const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
        const reply = await fetch(path, { ...init, cache: 'no-store' });
        return [reply.status, (await reply.text()).slice(0, 90)];
      };
      return [
        await ask('/trace/'),
        await ask('/console/'),
        await ask('/evaluation', { method: 'POST' }),
        await ask('/erase', { method: 'POST', headers: json, body: '{"customer_id":"c-1"}' }),
        await ask('/nowhere', { method: 'DELETE' }),
      ];
    });
    const refused = [403, expect.stringContaining('host \\"evil.example\\" is not allowed')];
    expect(replies).toEqual(Array(5).fill(refused));
  });

  test('a page of another site reads nothing, changes nothing and locks nobody out', async () => {
    const { page } = await open(`http://evil.example:${pages}/`);
    const target = service.baseUrl;
    await page.setContent(`<!doctype html><iframe src="${target}/docs"></iframe><iframe name="elsewhere"></iframe>
      <form method="POST" action="${target}/evaluation" target="elsewhere"><button>send</button></form>`);
    await page.getByRole('button').click();
    const answers = await page.evaluate(async (base) => {
      const ask = (path: string, options: RequestInit = {}): Promise<string> =>
        fetch(base + path, options).then(
          async (response) => `${response.type} ${await response.text()}`,
          () => 'failed',
        );
      for (let index = 0; index < 80; index++) {
        void ask(`/tools?${index}`, { mode: 'no-cors' });
        void ask(`/metrics?${index}`, { mode: 'no-cors' });
      }
      return [
        await ask('/trace/'),
        await ask('/trace/', { mode: 'no-cors' }),
        await ask('/evaluation', { mode: 'no-cors', method: 'POST' }),
        await ask('/evaluation', { method: 'POST' }),
        await ask('/workflows', { method: 'DELETE' }),
      ];
    }, target);
    expect(answers).toEqual(['failed', expect.anything(), expect.anything(), 'failed', 'failed']);
    expect(answers.join()).not.toMatch(/[[{]/);
    await expect.poll(() => logged('POST', '/evaluation').length).toBe(3);
    await expect.poll(() => logged('GET', '/tools').length).toBe(80);
    await expect.poll(() => logged('GET', '/docs').length).toBe(1);
    for (const path of ['/tools', '/docs', '/trace/'])
      expect(new Set(logged('GET', path))).toEqual(new Set([403]));
    expect(logged('POST', '/evaluation')).toEqual([403, 403, 403]);
    const own = await fetch(`${target}/tools`);
    expect([own.status, own.headers.get('ratelimit')]).toEqual([
      200,
      expect.stringContaining(`r=${LIMIT - 1};`),
    ]);
  });

  test('a link from another site, the documentation and the console work', async () => {
    const { page } = await open(`http://evil.example:${pages}/`);
    const [reply] = await Promise.all([
      page.waitForResponse(`${service.baseUrl}/docs`),
      page.getByText('link').click(),
    ]);
    expect(reply.status()).toBe(200);
    const docs = await open(`${service.baseUrl}/docs`);
    await docs.page.getByText('/messages/batch').waitFor();
    for (const name of ['127.0.0.1', 'localhost']) {
      const own = await open(`http://${name}:${service.port}/console/`);
      await own.page.getByRole('heading').first().waitFor();
      const changed = await own.page.evaluate(async () => {
        const made = await fetch('../agents/route', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"goal":"summarize this"}',
        });
        return made.status;
      });
      expect([changed, own.errors]).toEqual([200, []]);
    }
    expect(docs.errors).toEqual([]);
    expect(
      new Set(
        service
          .log()
          .filter(({ msg }) => msg === 'request')
          .map(({ status }) => status),
      ),
    ).not.toContain(403);
  });

  test('a page of an allowed origin calls the API, and follows events', async () => {
    const { page, errors } = await open(`http://app.example:${pages}/`);
    const answers = await page.evaluate(async (base) => {
      const made = await fetch(`${base}/messages`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Idempotency-Key': 'k-1',
          'X-Api-Key': 'x',
          Prefer: 'wait=5',
        },
        body: '{"customer_id":"c-1","message":"I want a refund."}',
      });
      const opened = await new Promise((resolve) => {
        const stream = new EventSource(`${base}/events`);
        stream.onopen = () => {
          stream.close();
          resolve(true);
        };
        stream.onerror = () => resolve(false);
      });
      return [made.status, made.headers.get('x-trace-id') ?? made.headers.get('x-request-id'), opened];
    }, service.baseUrl);
    expect(answers).toEqual([200, expect.stringMatching(/./), true]);
    expect(errors).toEqual([]);
    const health = await fetch(`${service.baseUrl}/health`);
    expect((await bodyOf<{ status: string }>(health)).status).toBe('ok');
  });
});
