import { describe, expect, test } from 'vitest';
import { openedConsole } from '../../support/console/proxy.ts';
import { errorOf } from '../../support/console/requests.ts';
import { startServer } from '../../support/outbound/server.ts';

/** A service below a path, and its console. */
async function startMounted(readOnly = false) {
  const upstream = await startServer((_request, response) => response.end('{}'));
  const url = `http://127.0.0.1:${upstream.port}/orch`;
  return { upstream, ...(await openedConsole(url, { readOnly })) };
}

describe('a path', () => {
  test.each([
    '/..',
    '/.',
    '/../admin',
    '/./admin',
    '/x/..?y',
    '/x/../../admin',
    '/%2e%2e/admin',
    '/.%2E/admin',
    '/..%2fadmin',
    '/%2e%2e%2Fadmin',
    '/x%2f..%2fadmin',
    '/..%5cadmin',
    '/%252e%252e/admin',
    '/..%25252fadmin',
    '/..;/admin',
    '/..;x=1/admin',
    '/..%3b/admin',
    '/x/..%3Bx=1/admin',
    '/.%3b/admin',
    '/..%253b/admin',
    '/\\..\\admin',
    '/x\\y',
    '/runs#/../admin',
    '/runs#',
  ])('that servers may read as another one is refused: %s', async (path) => {
    const { upstream, browse } = await startMounted();
    for (const method of ['GET', 'POST'])
      expect(errorOf(await browse(path, { method }))).toMatchObject({ status: 400, error: 'Bad Request' });
    expect(upstream.received).toEqual([]);
  });

  test.each([
    '/conversations/a..b',
    '/conversations/...',
    '/conversations/.hidden',
    '/conversations/mail%2Fx.y',
    '/conversations/SHOP%5Cmail',
    '/conversations/100%25',
    '/conversations/a;b',
    '/conversations/a..;b',
    '/conversations/a%3Bb',
    '/trace/?customer_id=../..&x=%2e%2e/\\',
    '//tools',
    '/',
  ])('that means one thing reaches the service as it is: %s', async (path) => {
    const { upstream, browse } = await startMounted();
    expect((await browse(path)).status).toBe(200);
    expect(upstream.received).toMatchObject([{ url: `/orch${path}` }]);
  });

  test.each(['/workflows/../simulate', '/workflows/./simulate', '/workflows/%2e%2e/simulate'])(
    'does not pass --read-only by dots: %s',
    async (path) => {
      const { upstream, browse } = await startMounted(true);
      expect(errorOf(await browse(path, { method: 'POST' }))).toMatchObject({
        status: 403,
        detail: expect.stringContaining('--read-only'),
      });
      expect(upstream.received).toEqual([]);
    },
  );

  test.each(['/workflows/.x/simulate', '/workflows/a..b/simulate', '/workflows/.../simulate'])(
    'may have dots within a name with --read-only: %s',
    async (path) => {
      const { browse } = await startMounted(true);
      expect((await browse(path, { method: 'POST' })).status).toBe(200);
    },
  );
});
