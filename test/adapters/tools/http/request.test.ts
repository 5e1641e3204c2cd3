import { describe, expect, test } from 'vitest';
import { createHttpTool } from '../../../../src/adapters/tools/http/http-tool.ts';
import type { CallContext } from '../../../../src/domain/message/call-context.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { hostilePieces } from '../../../support/hostile-texts.ts';
import { define, json, setUpTool } from './http-tool-under-test.ts';

const context: CallContext = {
  traceId: 'trace-1',
  conversationId: 'c/1',
  customerId: 'customer 1',
  source: 'email',
  metadata: { tenant: 'north&south' },
  message: { text: 'Where is\nit?', subject: 'My order' },
};

describe('the request of a tool', () => {
  test('has values in its path, query, headers and body, each encoded for its place', async () => {
    const { server, call } = await setUpTool({
      method: 'POST',
      url: 'http://HOST/jobs/${{ input.job }}/x-${{ conversation.id }}?by=${{ customer.id }}',
      query: {
        tenant: '${{ metadata.tenant }}',
        n: 2,
        on: true,
        all: '${{ input.list }}',
        none: '${{ [] }}',
      },
      headers: { 'X-Source': 'from ${{ message.source }}', Accept: 'text/json' },
      body: {
        text: '${{ message.text }}',
        subject: 'Re: ${{ message.subject }}',
        n: '${{ input.n + 1 }}',
        fixed: [null],
      },
    });
    const input = { job: 'a/b?c#d e', list: ['1', 2, 'x&y'], n: 1 };
    expect(await call(input, context)).toMatchObject({ status: 'success', output: { ok: true } });
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        url: '/jobs/a%2Fb%3Fc%23d%20e/x-c%2F1?by=customer%201&tenant=north%26south&n=2&on=true&all=1&all=2&all=x%26y',
        headers: {
          'x-source': 'from email',
          accept: 'text/json',
          'content-type': 'application/json',
          'idempotency-key': 'key-1',
          'user-agent': expect.stringMatching(/^orchestration-service\/\d/),
        },
      },
    ]);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      text: 'Where is\nit?',
      subject: 'Re: My order',
      n: 2,
      fixed: [null],
    });
  });

  test('is GET without a body and without a key, where the definition names no method', async () => {
    const { server, call } = await setUpTool({ url: 'http://HOST/' });
    await call();
    expect(server.received).toMatchObject([{ method: 'GET', url: '/', body: '' }]);
    expect(server.received[0]?.headers).toMatchObject({ accept: 'application/json' });
    for (const name of ['idempotency-key', 'content-type', 'content-length']) {
      expect(server.received[0]?.headers).not.toHaveProperty(name);
    }
  });

  test('of any text arrives as it was, in the path, the query, a form and JSON', async () => {
    const texts = [
      ...hostilePieces,
      '\0\r\n',
      '\ud800',
      '\u202e',
      '&=+%',
      '"\\',
      '</x>',
      '${{ 1 }}',
      '%2e%2e',
      'a;b',
      '🙂',
      'é',
    ].filter(
      (text) => !/^\.*$|(^|[/\\])\.\.?($|[/\\])/.test(text.replaceAll('%25', '%').replace(/%2e/gi, '.')),
    );
    const { server, call } = await setUpTool({
      method: 'POST',
      url: 'http://HOST/a/${{ input.text }}/b?c=${{ input.text }}&d=1',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'e=${{ input.text }}&f=1',
    });
    expect(texts.length).toBeGreaterThan(8);
    for (const text of texts) {
      const sent = text.toWellFormed();
      const outcome = await call({ text });
      expect(outcome.error).toBeNull();
      const { url = '', body = '' } = server.received.at(-1) ?? {};
      const { pathname, searchParams } = new URL(url, 'http://x');
      expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'a', sent, 'b']);
      expect([...searchParams]).toEqual([
        ['c', sent],
        ['d', '1'],
      ]);
      expect([...new URLSearchParams(body)]).toEqual([
        ['e', sent],
        ['f', '1'],
      ]);
    }
  });

  test.each([
    '.',
    '..',
    '%2e%2e',
    '%2E.',
    '../admin',
    'a/../../admin',
    '..\\admin',
    './',
    '%2e%2e%2fadmin',
    '..%2Fadmin',
    '..;',
    '.;x=1',
    'a/..;/admin',
    '..%3b',
    '..%253B',
  ])('with %j in its path is not sent', async (job) => {
    const { server, call } = await setUpTool({ url: 'http://HOST/jobs/${{ input.job }}/state' });
    expect(await call({ job })).toMatchObject({
      status: 'error',
      attempts: 1,
      error: 'request.url: a value makes a part of the path "." or ".."',
    });
    expect(server.connections()).toBe(0);
  });

  test('with parts of dots around a value is not sent either, and dots within a name are', async () => {
    const { server, call } = await setUpTool({ url: 'http://HOST/x/.${{ input.a }}/y' });
    expect(await call({ a: '.' })).toMatchObject({ status: 'error' });
    expect(await call({ a: 'config' })).toMatchObject({ status: 'success' });
    expect(await call({ a: '..' })).toMatchObject({ status: 'success' });
    expect(server.received.map(({ url }) => url)).toEqual(['/x/.config/y', '/x/.../y']);
  });

  test.each([
    ['an empty text', '', 'a value makes a part of the path empty'],
    ['null', null, 'a value is null, but must be a text, a number or a boolean'],
    ['a list', ['x'], 'a value is a list, but must be a text, a number or a boolean'],
    ['an object', {}, 'a value is an object, but must be a text, a number or a boolean'],
  ])('with %s in its path is not sent', async (_what, job, problem) => {
    const { server, call } = await setUpTool({
      method: 'DELETE',
      url: 'http://HOST/jobs/${{ input.job }}',
    });
    expect(await call({ job })).toMatchObject({ attempts: 1, error: `request.url: ${problem}` });
    expect(server.connections()).toBe(0);
  });

  test('for the customer of a message is not sent where there is none', async () => {
    for (const part of [
      { url: 'http://HOST/customers/${{ customer.id }}' },
      { url: 'http://HOST/?customer=${{ customer.id }}' },
      { url: 'http://HOST/', query: { customer: '${{ customer.id }}' } },
      { url: 'http://HOST/', headers: { 'X-Customer': '${{ customer.id }}' } },
    ]) {
      const { server, call } = await setUpTool(part);
      expect((await call()).error).toMatch(
        /^request\.(url|query\.customer|headers\.X-Customer): a value is null/,
      );
      expect(server.connections()).toBe(0);
      expect(await call({}, context)).toMatchObject({ status: 'success' });
    }
  });

  test.each(['a\r\nX-Injected: 1', 'a\nb', 'a\0', '\u2028', 'ü', '\ud800'])(
    'with %j in a header is not sent',
    async (text) => {
      const { server, call } = await setUpTool({
        url: 'http://HOST/',
        headers: { 'X-Text': 'a ${{ input.text }}' },
      });
      expect(await call({ text })).toMatchObject({
        attempts: 1,
        error: 'request.headers.X-Text: a value must be visible ASCII characters',
      });
      expect(server.connections()).toBe(0);
    },
  );

  test('with a value that makes its address too long is not sent', async () => {
    const { server, call } = await setUpTool({ url: 'http://HOST/${{ input.job }}' });
    expect(await call({ job: '/'.repeat(500_000) })).toMatchObject({
      attempts: 1,
      error: 'the URL is longer than 16384 characters',
    });
    expect(server.connections()).toBe(0);
  });

  test('names the part whose value is missing, and no value', async () => {
    const { call } = await setUpTool({ url: 'http://HOST/${{ input.job }}' });
    const outcome = await call({ other: 'hidden' });
    expect(outcome).toMatchObject({ attempts: 1, error: expect.stringMatching(/^request\.url: /) });
    expect(outcome.error).not.toContain('hidden');
  });
});

describe('a body that is a text', () => {
  const send = async (body: string, contentType: string | undefined, input: JsonObject) => {
    const headers = contentType === undefined ? {} : { 'Content-Type': contentType };
    const { server, call } = await setUpTool({ method: 'POST', url: 'http://HOST/', headers, body });
    const { error } = await call(input);
    const [received] = server.received;
    return { error, body: received?.body, type: received?.headers['content-type'] };
  };
  const a = `<"'&>\n{}`;

  test.each([
    ['{"a": "${{ input.a }}"}', 'application/json', '{"a": "<\\"\'&>\\n{}"}'],
    ['{"a": "${{ input.a }}"}', 'application/vnd.x+json; charset=utf-8', '{"a": "<\\"\'&>\\n{}"}'],
    ['a=${{ input.a }}', 'application/x-www-form-urlencoded', "a=%3C%22'%26%3E%0A%7B%7D"],
    ['<a b="${{ input.a }}"/>', 'text/xml', '<a b="&lt;&quot;&#39;&amp;&gt;\n{}"/>'],
    ['<a>${{ input.a }}</a>', 'application/soap+xml', '<a>&lt;&quot;&#39;&amp;&gt;\n{}</a>'],
    ['A: ${{ input.a }}', 'text/plain', `A: ${a}`],
  ])('%j as %s has values encoded for it', async (body, type, expected) => {
    expect(await send(body, type, { a })).toEqual({ error: null, body: expected, type });
  });

  test('is plain text where no type is named', async () => {
    const sent = await send('A: ${{ input.a }}', undefined, { a: 'x' });
    expect(sent).toEqual({ error: null, body: 'A: x', type: 'text/plain; charset=utf-8' });
  });

  test('that is one expression is its value as JSON', async () => {
    const sent = await send('${{ input }}', undefined, { a: ['x'] });
    expect(sent).toEqual({ error: null, body: '{"a":["x"]}', type: 'application/json' });
  });

  test('of XML refuses what XML cannot express', async () => {
    expect((await send('<a>${{ input.a }}</a>', 'text/xml', { a: '\0' })).error).toBe(
      'request.body: a value has a character that XML cannot express',
    );
  });
});

describe('the idempotency key', () => {
  test.each([
    ['GET', undefined, false],
    ['GET', 'idempotent', true],
    ['POST', undefined, true],
    ['POST', 'read', false],
    ['POST', 'idempotent', true],
    ['DELETE', 'write', true],
  ])('of %s with the effect %s is sent: %s', async (method, effect, expected) => {
    const { server, call, tool } = await setUpTool({ method, url: 'http://HOST/' }, undefined, {
      effect,
    });
    await call();
    expect(server.received[0]?.headers['idempotency-key']).toBe(expected ? 'key-1' : undefined);
    expect(tool.effect).toBe(effect ?? (method === 'GET' ? 'read' : 'write'));
  });

  test('is the same at each attempt', async () => {
    const { server, call } = await setUpTool({ method: 'PUT', url: 'http://HOST/' }, json({}, 500), {
      effect: 'idempotent',
    });
    await call();
    expect(server.received.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(3).fill('key-1'));
  });

  test('may be stated by the definition', async () => {
    const headers = { 'idempotency-key': '${{ input.key }}' };
    const { server, call } = await setUpTool({ method: 'POST', url: 'http://HOST/', headers });
    await call({ key: 'own' });
    expect(server.received[0]?.headers['idempotency-key']).toBe('own');
  });
});

test('the attempts and the time of a tool are those of its definition', () => {
  const definition = define(
    { url: 'https://erp.example/' },
    { timeout_ms: 50, retry: { max_attempts: 4, backoff_ms: 1, factor: 1, max_backoff_ms: 2 } },
  );
  const tool = createHttpTool(definition, { outbound: { request: () => expect.fail() }, env: {} });
  expect(tool).toMatchObject({
    name: 'probe',
    description: 'A tool under test',
    effect: 'read',
    timeoutMs: 50,
    retry: { maxAttempts: 4, backoffMs: 1, factor: 1, maxBackoffMs: 2 },
  });
});
