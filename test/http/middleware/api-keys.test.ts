import { timingSafeEqual } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKeyCheck } from '../../../src/adapters/http/middleware/access-control.ts';
import { createTestApp, expectError, type TestApp } from '../../support/http/app.ts';

const keys = ['alpha-key-0123456789', 'beta', 'gamma-key'];
const detail = 'a valid API key is required in the header X-Api-Key';

const guarded = () => createTestApp({ http: { apiKeys: keys } });
const withKey = (key: string) => ({ headers: { 'X-Api-Key': key } });

describe('a request with authentication on', () => {
  test.each(keys)('is accepted with the key %s', async (key) => {
    const { request } = guarded();
    expect((await request('/tools', withKey(key))).status).toBe(200);
    expect((await request('/tools', { headers: { 'x-API-key': key } })).status).toBe(200);
  });

  test('is accepted with white space around its key, which is not part of a header value', async () => {
    const { request } = guarded();
    expect((await request('/tools', withKey(' \tbeta '))).status).toBe(200);
  });

  const twice = new Headers({ 'X-Api-Key': 'beta' });
  twice.append('X-Api-Key', 'beta');
  const goodAndBad = new Headers({ 'X-Api-Key': 'beta' });
  goodAndBad.append('X-Api-Key', 'wrong');
  test.each<[string, NonNullable<RequestInit['headers']>]>([
    ['no key', {}],
    ['an empty key', { 'X-Api-Key': '' }],
    ['a blank key', { 'X-Api-Key': ' ' }],
    ['a wrong key', { 'X-Api-Key': 'wrong' }],
    ['the beginning of a key', { 'X-Api-Key': 'alpha-key-012345678' }],
    ['the end of a key', { 'X-Api-Key': 'lpha-key-0123456789' }],
    ['a key and more', { 'X-Api-Key': 'beta1' }],
    ['a key in another case', { 'X-Api-Key': 'BETA' }],
    ['a key with a blank in it', { 'X-Api-Key': 'be ta' }],
    ['two keys in one', { 'X-Api-Key': 'beta,gamma-key' }],
    ['all keys in one', { 'X-Api-Key': keys.join(',') }],
    ['the same key twice', twice],
    ['a right and a wrong key', goodAndBad],
    ['letters of Latin-1', { 'X-Api-Key': 'b\u00eata' }],
    ['bytes beyond ASCII', { 'X-Api-Key': '\u00ff\u00fe\u00fd' }],
    ['a key of 100,000 characters', { 'X-Api-Key': 'beta'.repeat(25_000) }],
    ['a quoted key', { 'X-Api-Key': '"beta"' }],
    ['a key with its name', { 'X-Api-Key': 'Bearer beta' }],
    ['the key in Authorization', { Authorization: 'Bearer beta' }],
    ['the key in a cookie', { Cookie: 'X-Api-Key=beta' }],
    ['the key under another name', { 'X-Api-Keys': 'beta', 'Api-Key': 'beta', X_Api_Key: 'beta' }],
    ['a name that prototypes know', { 'X-Api-Key': 'constructor' }],
    ['a pattern', { 'X-Api-Key': '.*' }],
  ])('is rejected with %s', async (_name, headers) => {
    const { request } = guarded();
    await expectError(await request('/tools', { headers }), 401, detail);
    await expectError(await request('/tools?X-Api-Key=beta&api_key=beta', { headers }), 401, detail);
  });

  test('is told how to look at pages where it comes from a browser, in the shape of every error', async () => {
    const Accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const path of ['/', '/docs', '/console/', '/tools']) {
      const response = await guarded().request(path, { headers: { Accept } });
      await expectError(
        response,
        401,
        `${detail}; to look at pages in a browser, run \`orchestration-service console --url URL --key-file FILE\`, which adds the key`,
      );
    }
    await expectError(await guarded().request('/', { headers: { Accept: '*/*' } }), 401, detail);
  });

  test.each([
    ['GET', '/'],
    ['GET', '/nobody'],
    ['GET', '/docs'],
    ['GET', '/redoc'],
    ['GET', '/openapi.json'],
    ['GET', '/trace/'],
    ['GET', '/trace'],
    ['GET', '/trace/some-id'],
    ['GET', '/workflows'],
    ['DELETE', '/workflows/some-id'],
    ['GET', '/agents'],
    ['GET', '/agents/routes'],
    ['POST', '/evaluation'],
    ['POST', '/agents/route'],
    ['POST', '/tools/lookup/call'],
    ['PUT', '/messages'],
    ['OPTIONS', '/messages'],
    ['HEAD', '/tools'],
  ])('is rejected without a key: %s %s', async (method, path) => {
    const { request } = guarded();
    const response = await request(path, { method });
    if (method === 'HEAD') expect(response.status).toBe(401);
    else await expectError(response, 401, detail);
  });

  test('is rejected before its body is read', async () => {
    const { request } = guarded();
    let pulled = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new Uint8Array(1_024));
        },
      },
      { highWaterMark: 0 },
    );
    await expectError(await request('/messages', { method: 'POST', body, duplex: 'half' }), 401);
    expect(pulled).toBe(0);
  });

  test('is logged with the client’s address and without its key', async () => {
    const { request, logger } = guarded();
    await request('/tools', withKey('canary-wrong-key'), '198.51.100.7');
    expect(logger.lines).toMatchObject([{ status: 401, client: '198.51.100.7' }]);
    expect(JSON.stringify(logger.lines)).not.toContain('canary');
  });
});

describe('a request with authentication off', () => {
  test('needs no key, and any key is ignored', async () => {
    const { request } = createTestApp();
    expect((await request('/tools')).status).toBe(200);
    expect((await request('/tools', withKey('anything'))).status).toBe(200);
  });
});

/** Paths that try to be /health or /metrics to the access control and something else to the router. */
const mutations = [
  '/health',
  '/health/',
  '//health',
  '///health',
  '/health//',
  '/HEALTH',
  '/HeAlTh',
  '/Metrics',
  '/%68ealth',
  '/health%2f',
  '/health%2f..',
  '/health%2f..%2ftrace%2f',
  '/health%5c..%5ctrace',
  '/health\\..\\trace\\',
  '/health/../trace/',
  '/health/..;/trace/',
  '/health/..%2ftrace/',
  '/health/%2e%2e/trace/',
  '/trace/../health',
  '/trace/%2e%2e/health',
  '/trace/..%2fhealth',
  '/./health',
  '/health/.',
  '/health/./../tools',
  '/%2e%2e/health',
  '/metrics/',
  '/metrics/x',
  '/metrics/../workflows',
  '/metrics%2f..%2fworkflows',
  '/metrics.json',
  '/healthz',
  '/health.html',
  '/health;x',
  '/health;/../trace/',
  '/health%3b',
  '/health%00',
  '/health%20',
  '/health%0d%0a',
  '/health%23',
  '/health%3fprobe=live',
  '/health#/../trace/',
  '/trace/#/health',
  '/health?probe=live',
  '/health?/../trace/',
  '/trace/?x=/health',
  '/tools?path=/health',
  '/tools?/health',
  '/tools/health',
  '/trace/health',
  '/trace/metrics',
  '/workflows/health',
  '/workflows/metrics/runs',
  '/agents/routes/health',
  '/health/trace/',
  '/metrics/tools',
  '/health*',
  '/*',
  '/:health',
  '/@health',
  '/health:80',
  '/health,/tools',
  '/health&x',
  '/health+',
  '/http://localhost/health',
  '/health%c0%af..%c0%aftrace',
  '/health%e2%81%84..',
  '/\uff48ealth',
  '/he%61lth/%2e%2e%2ftools',
] as const;

/** Sends a request whose URL is not normalized. */
function raw({ app }: TestApp, path: string, init: RequestInit): Promise<Response> {
  const request = new Request('http://localhost/', init);
  Object.defineProperty(request, 'url', { value: `http://localhost${path}` });
  return Promise.resolve(app.fetch(request));
}

const overrides = {
  'X-HTTP-Method-Override': 'GET',
  'X-Original-URL': '/health',
  'X-Rewrite-URL': '/health',
};

describe('a path similar to one that needs no key', () => {
  test.each(mutations)('gives no access to anything else: %s', async (path) => {
    const target = guarded();
    const { request } = target;
    await request('/messages', {
      method: 'POST',
      body: '{"customer_id": "canary", "message": "canary"}',
      headers: { 'X-Api-Key': 'beta', 'Content-Type': 'application/json' },
    });
    for (const method of ['GET', 'POST']) {
      for (const headers of [{}, overrides]) {
        const responses = [
          await request(path, { method, headers }),
          await raw(target, path, { method, headers }),
        ];
        for (const response of responses) await expectHarmless(response);
      }
    }
  });
});

/** Expects the response of a health check or of the metrics, or an error without details. */
async function expectHarmless(response: Response): Promise<void> {
  if (response.status !== 200) {
    expect([401, 404, 405, 422]).toContain(response.status);
    expect(await expectError(response, response.status)).not.toContain('canary');
    return;
  }
  const text = await response.text();
  if (text === 'up 1\n') return;
  expect(Object.keys(JSON.parse(text))).toEqual(['status', 'version', 'uptime_seconds', 'checks']);
}

describe('the key check', () => {
  function spied(accepted: readonly string[]) {
    const compared: [number, number][] = [];
    const isAccepted = createKeyCheck(accepted, (one, other) => {
      compared.push([one.length, other.length]);
      return timingSafeEqual(one, other);
    });
    return { compared, isAccepted };
  }

  test.each<[string, string | undefined, boolean]>([
    ['the first key', 'k1', true],
    ['the third key', 'k3', true],
    ['the last key', 'k5', true],
    ['no such key', 'k6', false],
    ['a long key', 'k1'.repeat(10_000), false],
    ['an empty key', '', false],
    ['no key', undefined, false],
  ])('compares the digest with that of every key, for %s', (_name, presented, accepted) => {
    const { compared, isAccepted } = spied(['k1', 'k2', 'k3', 'k4', 'k5']);
    expect(isAccepted(presented)).toBe(accepted);
    expect(compared).toEqual(Array(5).fill([32, 32]));
  });

  test('rejects an empty key, even if one is configured, and every key if none is configured', () => {
    for (const accepted of [[''], ['', 'k1'], []]) {
      const { isAccepted } = spied(accepted);
      expect([isAccepted(''), isAccepted(undefined)]).toEqual([false, false]);
    }
  });

  test('accepts a key that is configured twice', () => {
    expect(spied(['k1', 'k1', 'k2']).isAccepted('k1')).toBe(true);
  });
});
