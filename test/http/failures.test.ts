import { describe, expect, test } from 'vitest';
import type { HttpMetrics } from '../../src/adapters/http/options.ts';
import { createLogger } from '../../src/adapters/logging/logger.ts';
import { memoryStorage } from '../../src/adapters/memory/storage.ts';
import { OrchestrationError, unavailable } from '../../src/domain/errors.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { Ports } from '../../src/ports/ports.ts';
import { recordLogs } from '../support/fakes.ts';
import { createTestApp, expectError, jsonOf, type TestAppOverrides } from '../support/http/app.ts';

const secret = 'canary-5b7e';
const unexpected = 'an unexpected failure; the request id leads to it in the log';
const message = { customer_id: 'customer-1', message: 'hello' };

/** An app whose store of traces fails with whatever `thrown` makes, and the log that it writes. */
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

const trap = () => {
  throw new Error(secret);
};
const unreadable = new Proxy(new Error(secret), { get: trap, has: trap, getPrototypeOf: trap });

const thrown: readonly (readonly [string, () => unknown])[] = [
  ['an error', () => new Error(secret)],
  ['an error with a cause', () => new Error('outer', { cause: new Error(secret) })],
  ['an error that says it is safe to show', () => Object.assign(new Error(secret), { expose: true })],
  ['an error with a status', () => Object.assign(new Error(secret), { status: 200, statusCode: 200 })],
  ['a TypeError', () => new TypeError(secret)],
  ['a range error of the stack', () => new RangeError(secret)],
  ['an error of the core that is nobody’s fault', () => new OrchestrationError('invalid_transition', secret)],
  ['a text', () => secret],
  ['null', () => null],
  ['undefined', () => undefined],
  ['a number', () => 42],
  ['a symbol', () => Symbol(secret)],
  ['an object', () => ({ message: secret })],
  ['an object without a prototype', () => Object.assign(Object.create(null), { message: secret })],
  ['an object whose toString throws', () => ({ toString: trap, toJSON: trap, message: secret })],
  ['a function', () => () => secret],
  ['a response', () => new Response(secret, { status: 200 })],
];

describe('an unexpected failure', () => {
  test.each(thrown)('is answered with 500 and nothing of it: %s', async (_name, make) => {
    const { request, written, finished } = failing(make);
    const reply = await request('/trace/some-id', { headers: { 'X-Request-Id': 'mine' } });
    expect(JSON.stringify([...reply.headers])).not.toContain(secret);
    expect(reply.headers.get('x-request-id')).toBe('mine');
    await expectError(reply, 500, unexpected);
    expect(finished).toMatchObject([{ route: '/trace/{trace_id}', status: 500 }]);
    const lines = written.map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.map(({ msg, level, request_id }) => ({ msg, level, request_id }))).toEqual([
      { msg: 'unexpected failure in a route', level: 'error', request_id: 'mine' },
      { msg: 'request', level: 'warn', request_id: 'mine' },
    ]);
  });

  test.each(thrown.filter(([name]) => /^(?:an error|a text|a TypeError)/.test(name)))(
    'is in the log, on one line: %s',
    async (_name, make) => {
      const { request, written } = failing(make);
      await request('/trace/some-id');
      expect(written.filter((line) => line.includes(secret))).toHaveLength(1);
    },
  );

  test('that cannot even be looked at is answered all the same', async () => {
    const { request } = failing(() => unreadable);
    await expectError(await request('/trace/some-id'), 500, unexpected);
  });

  test('harms no other request', async () => {
    const { request, post } = failing(() => null);
    const replies = await Promise.all([
      request('/trace/some-id'),
      post('/messages', message),
      request('/trace/'),
      request('/tools'),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([500, 200, 500, 200]);
  });

  test('has a HEAD reply without a body', async () => {
    const { request } = failing(() => null);
    const reply = await request('/trace/some-id', { method: 'HEAD' });
    expect([reply.status, await reply.text()]).toEqual([500, '']);
  });
});

describe('a store that is out of reach', () => {
  test.each(['/trace/', '/trace/some-id'])('is answered with 503 and when to come back: %s', async (path) => {
    const cause = new Error(secret);
    const { request, written } = failing(() =>
      unavailable('the key-value store cannot be reached', 5, cause),
    );
    const reply = await request(path);
    expect(reply.headers.get('retry-after')).toBe('5');
    await expectError(reply, 503, 'the key-value store cannot be reached');
    expect(written).toHaveLength(1);
  });
});

describe('a body that ends before it is whole', () => {
  test.each([{}, { 'Content-Length': '1000' }])('is its sender’s fault, not ours: %o', async (framing) => {
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
    const reply = await request('/messages', { method: 'POST', headers, body, duplex: 'half' });
    await expectError(reply, 400, 'body: ended before it was whole');
    expect(finished).toMatchObject([{ status: 400 }]);
    expect(logger.lines).toMatchObject([{ level: 'info', message: 'request' }]);
  });
});

const boom = (): never => {
  throw new Error(secret);
};

function brokenLogger(broken: Partial<Logger>): Logger {
  const { lines: _, ...logger } = recordLogs();
  return { ...logger, ...broken };
}

const exposition: HttpMetrics['exposition'] = async () => ({ contentType: 'text/plain', body: '' });

const broken: readonly (readonly [string, TestAppOverrides['http'] & object])[] = [
  ['a logger that throws', { logger: brokenLogger({ debug: boom, info: boom, warn: boom, error: boom }) }],
  ['a logger that cannot bind', { logger: brokenLogger({ bind: boom }) }],
  ['metrics that throw', { metrics: { requestFinished: boom, exposition } }],
  [
    'metrics that cannot be told',
    { metrics: { requestFinished: boom, exposition: () => Promise.reject(null) } },
  ],
  ['a limiter that throws', { limiter: { consume: boom } }],
  ['a limiter that rejects', { limiter: { consume: () => Promise.reject(secret) } }],
  ['no more identifiers', { newId: boom }],
];

describe('an app with a part that breaks its promise', () => {
  test.each(broken)('still answers everything in shape: %s', async (_name, http) => {
    for (const overrides of [{}, { traces: { ...memoryStorage().traces, get: async () => boom() } }]) {
      const { request, post } = createTestApp({ ports: overrides, http });
      const replies = [
        await request('/tools'),
        await request('/metrics'),
        await request('/health'),
        await request('/nobody'),
        await request('/trace/some-id'),
        await post('/messages', message),
        await post('/messages', '{'),
      ];
      for (const reply of replies) {
        const text = await reply.text();
        expect(text + JSON.stringify([...reply.headers])).not.toContain(secret);
        expect([200, 404, 422, 500]).toContain(reply.status);
        if (reply.status >= 400) {
          expect(JSON.parse(text)).toEqual({ error: expect.any(String), detail: expect.any(String) });
          expect(reply.headers.get('content-type')).toBe('application/json');
          expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
        }
      }
    }
  });

  test.each(
    broken.filter(([name]) => name.startsWith('a logger that throws') || name === 'metrics that throw'),
  )('does not answer worse for what only reports: %s', async (_name, http) => {
    const { request, post } = createTestApp({ http });
    expect((await request('/tools')).status).toBe(200);
    expect(await jsonOf(await post('/messages', message))).toMatchObject({ status: 'COMPLETED' });
    expect((await request('/nobody')).status).toBe(404);
  });
});
