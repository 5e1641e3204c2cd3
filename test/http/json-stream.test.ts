import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AppEnv } from '../../src/adapters/http/env.ts';
import { streamJson, streamPage } from '../../src/adapters/http/json-stream.ts';
import { startServer } from '../../src/adapters/http/listener/server.ts';
import { countingIds, recordLogs } from '../support/fakes.ts';

/** An app that responds to `/` with a value whose member `many` is streamed. */
function appFor(value: { readonly many: object }): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get('/', async (c) => {
    c.set('headers', { 'X-Base': 'base' });
    return streamJson(c, value, 'many', 200);
  });
  return app;
}

const long = (items: number) => ({
  many: Array.from({ length: items }, (_, id) => ({ id, text: 'é'.repeat(1_000) })),
});

describe('streamJson', () => {
  const item = fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 });
  const items = fc.oneof(fc.array(item), fc.dictionary(fc.string(), item));

  test('has the same body as JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), item), items, async ({ many: _, ...others }, many) => {
        const value = { ...others, many };
        const response = await appFor(value).request('/');
        expect(await response.text()).toBe(JSON.stringify(value));
      }),
    );
  });

  test.each([1, 5_000])('has its status and headers with %i items', async (count) => {
    const { status, headers } = await appFor(long(count)).request('/');
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'x-base': 'base',
    });
  });

  test('is sent completely and with its length', async () => {
    const value = long(20_000);
    const { port, close } = await startServer({
      fetch: appFor(value).fetch,
      host: '127.0.0.1',
      port: 0,
      logger: recordLogs(),
      newId: countingIds(),
    });
    onTestFinished(close);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path: '/' }, resolve).once('error', reject);
    });
    const body = await text(response);
    expect(body === JSON.stringify(value)).toBe(true);
    expect(response.headers['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(response.headers['transfer-encoding']).toBeUndefined();
  });

  test('yields to the event loop while it serializes', async () => {
    const held = new Int32Array(new SharedArrayBuffer(4));
    const slow = {
      toJSON(): string {
        Atomics.wait(held, 0, 0, 5);
        return 'x'.repeat(200_000);
      },
    };
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await appFor({ many: new Array(20).fill(slow) }).request('/');
    clearImmediate(next);
    expect(turns).toBeGreaterThan(3);
  });
});

describe('streamPage', () => {
  function pageOf(items: readonly number[], list: () => void = () => {}): Promise<Response> {
    const app = new Hono<AppEnv>();
    const toItem = (item: number) => ({ item });
    app.get('/', (c) => {
      c.set('headers', {});
      return streamPage(c, {
        name: 'numbers',
        path: '/',
        toItem,
        list: async () => {
          list();
          return { total: 9, limit: 2, offset: 1, items };
        },
      });
    });
    return Promise.resolve(app.request('/'));
  }

  test.each([[[]], [[1]], [[1, 2]]])('contains the converted items in the envelope: %j', async (items) => {
    const response = await pageOf(items);
    const numbers = items.map((item) => ({ item }));
    expect(await response.text()).toBe(JSON.stringify({ total: 9, limit: 2, offset: 1, numbers }));
  });

  test('yields to the event loop after a slow listing', async () => {
    // Work of earlier tests in the same turn would count too.
    await new Promise(setImmediate);
    const order: string[] = [];
    const page = pageOf([1], () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      setImmediate(() => order.push('other'));
    });
    await page.then(() => order.push('page'));
    expect(order).toEqual(['other', 'page']);
  });
});
