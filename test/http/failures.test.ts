import { describe, expect, test } from 'vitest';
import { createLogger } from '../../src/adapters/logging/logger.ts';
import { memoryStorage } from '../../src/adapters/memory-storage.ts';
import { OrchestrationError, unavailable } from '../../src/domain/errors.ts';
import type { Ports } from '../../src/ports/ports.ts';
import { createTestApp, expectError, type TestAppOverrides } from '../support/http/app.ts';

const secret = 'canary-5b7e';
const unexpected = 'an unexpected error occurred; search the log for the request id';
const message = { customer_id: 'customer-1', message: 'hello' };

/** An app whose trace store throws what `thrown` returns, and its log. */
function failing(thrown: () => unknown, overrides: TestAppOverrides = {}) {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line), flush: () => Promise.resolve() };
  const fail = async () => {
    throw thrown();
  };
  const ports: Partial<Ports> = {
    logger: createLogger({ level: 'info', destination }),
    traces: { ...memoryStorage().traces, get: fail, list: fail },
    ...overrides.ports,
  };
  return { written, ...createTestApp({ ...overrides, ports }) };
}

const thrown: readonly (readonly [string, () => unknown])[] = [
  ['an error', () => new Error(secret)],
  ['an error with a cause', () => new Error('outer', { cause: new Error(secret) })],
  ['an error that says it is safe to show', () => Object.assign(new Error(secret), { expose: true })],
  ['an error with a status', () => Object.assign(new Error(secret), { status: 200, statusCode: 200 })],
  ['a TypeError', () => new TypeError(secret)],
  ['a range error of the stack', () => new RangeError(secret)],
  ['an internal error of the core', () => new OrchestrationError('invalid_transition', secret)],
  ['a text', () => secret],
  ['null', () => null],
  ['undefined', () => undefined],
  ['a number', () => 42],
  ['a symbol', () => Symbol(secret)],
  ['an object', () => ({ message: secret })],
  ['an object without a prototype', () => Object.assign(Object.create(null), { message: secret })],
  ['a function', () => () => secret],
  ['a response', () => new Response(secret, { status: 200 })],
];

describe('an unexpected failure', () => {
  test.each(thrown)('returns 500 without its details: %s', async (_name, make) => {
    const { request, written, finished } = failing(make);
    const response = await request('/trace/some-id', { headers: { 'X-Request-Id': 'mine' } });
    expect(JSON.stringify([...response.headers])).not.toContain(secret);
    expect(response.headers.get('x-request-id')).toBe('mine');
    await expectError(response, 500, unexpected);
    expect(finished).toMatchObject([{ route: '/trace/{trace_id}', status: 500 }]);
    const lines = written.map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.map(({ msg, level, request_id }) => ({ msg, level, request_id }))).toEqual([
      { msg: 'unexpected error in a route', level: 'error', request_id: 'mine' },
      { msg: 'request', level: 'warn', request_id: 'mine' },
    ]);
  });

  test.each(thrown.filter(([name]) => /^(?:an error|a text|a TypeError)/.test(name)))(
    'is logged once: %s',
    async (_name, make) => {
      const { request, written } = failing(make);
      await request('/trace/some-id');
      expect(written.filter((line) => line.includes(secret))).toHaveLength(1);
    },
  );

  test('does not affect other requests', async () => {
    const { request, post } = failing(() => null);
    const responses = await Promise.all([
      request('/trace/some-id'),
      post('/messages', message),
      request('/trace/'),
      request('/tools'),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([500, 200, 500, 200]);
  });

  test('returns no body for HEAD', async () => {
    const { request } = failing(() => null);
    const response = await request('/trace/some-id', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([500, '']);
  });
});

describe('an unreachable store', () => {
  test.each(['/trace/', '/trace/some-id'])('returns 503 with Retry-After: %s', async (path) => {
    const cause = new Error(secret);
    const { request, written } = failing(() =>
      unavailable('the key-value store cannot be reached', 5, cause),
    );
    const response = await request(path);
    expect(response.headers.get('retry-after')).toBe('5');
    await expectError(response, 503, 'the key-value store cannot be reached');
    expect(written).toHaveLength(1);
  });
});

describe('a body that ends early', () => {
  test.each([{}, { 'Content-Length': '1000' }])(
    'is an error of the client, and not logged as a failure: %o',
    async (framing) => {
      const { request, finished, logger } = createTestApp();
      let pulls = 0;
      const body = new ReadableStream({
        pull(controller) {
          pulls += 1;
          if (pulls === 1) controller.enqueue(new TextEncoder().encode('{"message": "he'));
          else controller.error(new Error('aborted'));
        },
      });
      const headers = { 'Content-Type': 'application/json', ...framing };
      const response = await request('/messages', { method: 'POST', headers, body, duplex: 'half' });
      await expectError(response, 400, 'body: ended before it was complete');
      expect(finished).toMatchObject([{ status: 400 }]);
      expect(logger.lines).toMatchObject([{ level: 'info', message: 'request' }]);
    },
  );
});

describe('a rate limiter that rejects', () => {
  test('makes requests fail with 500, except health checks', async () => {
    const limiter = { consume: () => Promise.reject(new Error(secret)) };
    const { request, finished } = createTestApp({ http: { limiter } });
    await expectError(await request('/tools'), 500, unexpected);
    await expectError(await request('/metrics'), 500, unexpected);
    expect((await request('/health')).status).toBe(200);
    expect(finished.map(({ status }) => status)).toEqual([500, 500, 200]);
  });
});

describe('metrics that cannot be rendered', () => {
  test('return 500', async () => {
    const metrics = {
      requestFinished() {},
      idempotentRequest() {},
      eventStreams() {},
      eventsSent() {},
      eventStreamRejected() {},
      exposition: () => Promise.reject(new Error(secret)),
    };
    const { request } = createTestApp({ http: { metrics } });
    await expectError(await request('/metrics'), 500, unexpected);
  });
});
