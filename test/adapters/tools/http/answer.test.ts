import { describe, expect, test } from 'vitest';
import { createOutbound } from '../../../../src/adapters/shared/outbound/outbound.ts';
import { createHttpTool } from '../../../../src/adapters/tools/http/http-tool.ts';
import { createSecretMask } from '../../../../src/adapters/tools/http/secret-mask.ts';
import { noMessage } from '../../../../src/domain/message/call-context.ts';
import { pick } from '../../../../src/lib/json/pointer.ts';
import { cpuTime } from '../../../support/event-loop.ts';
import { define, json, setUpTool } from './http-tool-under-test.ts';

const post = { method: 'POST', url: 'http://HOST/' };

describe('an answer of 2xx', () => {
  test.each([
    ['an object', { a: 1 }, undefined, { a: 1 }],
    ['a list', [1, 2], undefined, { value: [1, 2] }],
    ['a text', 'x', undefined, { value: 'x' }],
    ['null', null, undefined, { value: null }],
    ['an object within it', { data: { a: 1 } }, '/data', { a: 1 }],
    ['a value within it', { data: [{ a: 7 }] }, '/data/0/a', { value: 7 }],
    ['a member with a slash and a tilde', { 'a/b~c': { d: 1 } }, '/a~1b~0c', { d: 1 }],
    ['all of it', { a: 1 }, '', { a: 1 }],
  ])('gives %s', async (_what, body, pointer, output) => {
    const { call } = await setUpTool({ url: 'http://HOST/' }, json(body), {
      output: { pick: pointer },
    });
    expect(await call()).toMatchObject({ status: 'success', output });
  });

  test.each([200, 204])('of status %i without a body gives an empty object', async (status) => {
    const { call } = await setUpTool({ url: 'http://HOST/' }, (_request, response) =>
      response.writeHead(status).end(),
    );
    expect(await call()).toMatchObject({ status: 'success', output: {} });
  });

  test.each([
    '/nothing',
    '/data/2',
    '/data/-',
    '/data/00',
    '/data/length',
    '/constructor',
    '/__proto__',
    '/data/0/x',
  ])('has nothing at %j, which is permanent', async (pointer) => {
    const { call } = await setUpTool({ url: 'http://HOST/' }, json({ data: ['hidden', 1] }), {
      output: { pick: pointer },
    });
    expect(await call()).toMatchObject({
      attempts: 1,
      error: `the answer of host "erp.example" has nothing at "${pointer}" (output.pick)`,
    });
  });

  test.each(['<html>hidden</html>', '{"a": hidden', 'hidden', '\ufeff\ufeff{}'])(
    'of %j is not JSON, which is permanent',
    async (body) => {
      const { call } = await setUpTool({ url: 'http://HOST/' }, (_request, response) => response.end(body));
      const outcome = await call();
      expect(outcome).toMatchObject({ attempts: 1, error: 'host "erp.example" did not answer with JSON' });
    },
  );

  test('of more than a mebibyte is not read, which is permanent', async () => {
    const { call } = await setUpTool({ url: 'http://HOST/' }, json({ a: 'x'.repeat(1_100_000) }));
    expect(await call()).toMatchObject({
      attempts: 1,
      error: 'the request to host "erp.example" was answered with more than 1048576 bytes',
    });
  });
});

describe('an answer with a schema', () => {
  const schema = {
    type: 'object',
    required: ['state'],
    properties: { state: { enum: ['ready', 'open'] }, parts: { type: 'array', items: { type: 'string' } } },
    additionalProperties: false,
  };
  const answer = async (body: unknown, given: object = schema) => {
    const tool = await setUpTool({ url: 'http://HOST/' }, json({ data: body }), {
      output: { pick: '/data', schema: given },
    });
    return { ...tool, outcome: await tool.call() };
  };

  test('that it fits is the output, whose schema the tool has', async () => {
    const { outcome, tool } = await answer({ state: 'ready' });
    expect(outcome).toMatchObject({ status: 'success', output: { state: 'ready' } });
    expect(tool.output?.toJSONSchema()).toEqual(schema);
  });

  test.each<readonly [unknown, string]>([
    [{}, 'state is missing'],
    [{ state: 'hidden' }, 'state must be '],
    [{ state: 'open', parts: ['a', 7] }, 'parts.1 must be '],
    [{ state: 'open', hidden: 7 }, '… is not expected'],
    [['hidden'], 'must be an object'],
  ])('that it does not fit fails the call for good, without anything of it: %j', async (body, problem) => {
    const { outcome, server } = await answer(body);
    expect(outcome).toMatchObject({ status: 'error', output: null, attempts: 1 });
    expect(outcome.error).toContain(
      `the answer of host "erp.example" does not fit output.schema: ${problem}`,
    );
    expect(outcome.error).not.toContain('hidden');
    expect(server.received).toHaveLength(1);
  });

  test('of a value that is no object tells the schema of the output around it', async () => {
    const list = { type: 'array', items: { type: 'string' } };
    const { outcome, tool } = await answer(['a'], list);
    expect(outcome).toMatchObject({ status: 'success', output: { value: ['a'] } });
    expect(tool.output?.toJSONSchema()).toMatchObject({ properties: { value: list } });
    expect((await answer([7], list)).outcome.error).toContain('0 must be text');
    const either = await answer(null, { type: ['object', 'null'] });
    expect(either.outcome).toMatchObject({ output: { value: null } });
    expect(either.tool.output).toBeUndefined();
  });
});

describe('an answer of 4xx or 5xx', () => {
  const error = (status: number) => `host "erp.example" answered with status ${status}`;

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 422, 451])(
    'of status %i is permanent',
    async (status) => {
      const { call } = await setUpTool({ url: 'http://HOST/' }, json({ hidden: 'hidden' }, status));
      const outcome = await call();
      expect(outcome).toMatchObject({ status: 'error', attempts: 1, error: error(status) });
      expect(outcome).not.toHaveProperty('notFound');
    },
  );

  test.each([408, 425, 429, 500, 502, 503, 504])('of status %i is tried again', async (status) => {
    const { call } = await setUpTool({ url: 'http://HOST/' }, json({}, status));
    expect(await call()).toMatchObject({ status: 'error', attempts: 3, error: error(status) });
  });

  test.each([
    [408, 1],
    [425, 3],
    [429, 3],
    [500, 1],
    [503, 1],
  ])('of status %i to a write is tried %i times in all', async (status, attempts) => {
    const { call } = await setUpTool(post, json({}, status));
    expect(await call()).toMatchObject({ attempts, error: error(status) });
  });

  test('means that there is nothing where the definition says so', async () => {
    const output = { status: { 404: 'not_found', 410: 'not_found', 204: 'not_found' } };
    for (const status of [404, 410, 204]) {
      const { call } = await setUpTool({ url: 'http://HOST/' }, json({}, status), { output });
      expect(await call()).toMatchObject({
        status: 'error',
        attempts: 1,
        notFound: true,
        error: `host "erp.example" has no such thing (status ${status})`,
      });
    }
  });
});

describe('a request without an answer', () => {
  test('that was never sent is tried again, also by a write', async () => {
    const outbound = createOutbound({
      allow: [],
      resolve: () => Promise.reject(Object.assign(new Error('hidden'), { code: 'EAI_AGAIN' })),
    });
    const tool = createHttpTool(define({ method: 'POST', url: 'https://erp.example/' }), {
      outbound,
      env: {},
    });
    const context = { ...noMessage, signal: new AbortController().signal, attempt: 1, idempotencyKey: 'k' };
    await expect(tool.execute({}, context as never)).rejects.toMatchObject({
      name: 'ToolError',
      permanent: false,
      safeToRetry: true,
      message: 'the request to host "erp.example" failed: no connection could be made (EAI_AGAIN)',
    });
    outbound.close();
  });

  test('that may have been received is not tried again by a write', async () => {
    const { server, call } = await setUpTool(post, (request) => request.socket.destroy());
    expect(await call()).toMatchObject({
      attempts: 1,
      error: expect.stringContaining('the connection broke'),
    });
    expect(server.received).toHaveLength(1);
  });

  test('is refused for good where the target is not allowed', async () => {
    const { server, call } = await setUpTool({ url: 'http://169.254.169.254/latest' });
    expect(await call()).toMatchObject({
      attempts: 1,
      error: 'requests to host "169.254.169.254" are refused: it serves the credentials of a cloud',
    });
    expect(server.connections()).toBe(0);
  });

  test('is refused for good where it is redirected', async () => {
    const { server, call } = await setUpTool({ url: 'http://HOST/' }, (_request, response) =>
      response.writeHead(302, { Location: '/elsewhere' }).end(),
    );
    expect(await call()).toMatchObject({ attempts: 1, error: expect.stringContaining('redirect (302)') });
    expect(server.received).toHaveLength(1);
  });

  test('times out after the time of the definition', async () => {
    const { call } = await setUpTool({ url: 'http://HOST/' }, () => {}, {
      timeout_ms: 50,
      retry: { max_attempts: 1 },
    });
    expect((await call()).error).toMatch(/timed out after 50 ms$/);
  });
});

describe('a secret', () => {
  const SECRET = 'canary-"secret"-4711';
  const options = { env: { TOKEN: `${SECRET}\n` } };
  const request = {
    url: 'http://HOST/',
    headers: { Authorization: 'Bearer env:TOKEN', 'X-Key': 'env:TOKEN' },
  };

  test('is sent in its header, without the line break of the file that it came from', async () => {
    const { server, call } = await setUpTool(request, undefined, options);
    await call();
    expect(server.received[0]?.headers).toMatchObject({ authorization: `Bearer ${SECRET}`, 'x-key': SECRET });
  });

  test.each([
    ['an answer that repeats the headers', 200],
    ['an error that repeats the headers', 500],
    ['a refusal that repeats the headers', 401],
  ])('is in no outcome, event or log line after %s', async (_what, status) => {
    const { call, logger, recorded } = await setUpTool(
      request,
      (received, response) => {
        response.writeHead(status, { 'X-Echo': received.headers.authorization ?? '' });
        response.end(JSON.stringify({ headers: received.headers }));
      },
      options,
    );
    const outcome = await call();
    expect(outcome.status).toBe(status === 200 ? 'success' : 'error');
    const told = JSON.stringify([outcome, recorded.events, logger.lines], (_key, value: unknown) =>
      value instanceof Error ? `${value.stack} ${String(value.cause)}` : value,
    );
    expect(told).not.toMatch(/canary|4711/);
  });

  const token = 's3cr3t/Tok+en==Value9';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const unicode = (text: string) =>
    [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

  test.each([
    ['as it is', `"Bearer ${token}"`, 'Bearer [secret]'],
    [
      'with an escaped slash, as PHP writes it',
      `"Bearer ${token.replaceAll('/', '\\/')}"`,
      'Bearer [secret]',
    ],
    ['with an escaped plus, as .NET writes it', `"${token.replaceAll('+', '\\u002B')}"`, '[secret]'],
    ['with every character escaped', `"x${unicode(token)}y"`, 'x[secret]y'],
    ['in JSON within JSON', JSON.stringify(`{"a":"${unicode(token)}"}`), '{"a":"[secret]"}'],
    ['in upper case', `"${token.toUpperCase()}"`, '[secret]'],
    ['percent-encoded', `"?t=${encodeURIComponent(token)}&u=1"`, '?t=[secret]&u=1'],
    ['percent-encoded in lower case', `"${encodeURIComponent(token).toLowerCase()}"`, '[secret]'],
    ['in Base64', `"${base64(token)}"`, '[secret]'],
    ['with its scheme in Base64', `"${base64(`Bearer ${token}`)}"`, '[secret]'],
    ['in Base64 with escaped slashes', `"${base64(token).replaceAll('/', '\\/')}"`, '[secret]'],
    ['in Base64url', `"${Buffer.from(`Bearer ${token}`).toString('base64url')}"`, '[secret]'],
    ['in percent-encoded Base64', `"${encodeURIComponent(base64(token))}"`, '[secret]'],
    ['as the name of a member', `{"${token}":1}`, { '[secret]': 1 }],
    ['deep inside', `{"a":[{"b":["${token}"]}]}`, { a: [{ b: ['[secret]'] }] }],
    ['twice in one text', `"${token} and ${token}"`, '[secret] and [secret]'],
  ])('that an answer repeats %s is masked', async (_how, echoed, expected) => {
    const { call } = await setUpTool(
      request,
      (_request, response) => response.end(`{"echo":${echoed},"kept":"Value9 \\u00e9 100%"}`),
      { env: { TOKEN: token } },
    );
    expect((await call()).output).toEqual({ echo: expected, kept: 'Value9 é 100%' });
  });

  test('is masked where it stands within a longer text in Base64, at any place', async () => {
    const { call } = await setUpTool(
      request,
      (_request, response) =>
        response.end(JSON.stringify(['', 'a', 'ab', 'abc'].map((before) => base64(`${before}${token}xyz`)))),
      { env: { TOKEN: token } },
    );
    const { output } = await call();
    const texts = JSON.stringify(output);
    expect(texts.match(/\[secret\]/g)).toHaveLength(4);
    for (const part of texts.split('[secret]')) expect(part.length).toBeLessThan(16);
  });

  test('of digits is masked where it comes as a number', async () => {
    const { call } = await setUpTool(request, json({ small: 1234567890, other: 123 }), {
      env: { TOKEN: '1234567890' },
    });
    expect((await call()).output).toEqual({ small: '[secret]', other: 123 });
  });

  test('of Basic is masked also where the server knows the password in it', async () => {
    const basic = { ...request, headers: { Authorization: 'Basic env:TOKEN' } };
    const { call } = await setUpTool(basic, json({ user: 'shop', password: 'pass-word-77' }), {
      env: { TOKEN: base64('shop:pass-word-77') },
    });
    expect((await call()).output).toEqual({ user: 'shop', password: '[secret]' });
  });

  test.each([
    ['a text that is no JSON', 200, `oops Bearer ${token}`],
    ['a status with the secret as its text', 502, '{}'],
  ])('is in no outcome of %s', async (_what, status, body) => {
    const { call } = await setUpTool(
      request,
      (_request, response) => response.writeHead(status, token).end(body),
      { env: { TOKEN: token }, retry: { max_attempts: 1 } },
    );
    const outcome = await call();
    expect(outcome.status).toBe('error');
    expect(JSON.stringify(outcome)).not.toContain('s3cr3t');
  });

  test.each([
    ['beginnings of the secret', (secret: string) => secret.slice(0, -1)],
    ['the secret', (secret: string) => secret],
    ['backslashes', () => '\\'],
    ['percent signs', () => '%'],
  ])('takes time for the length of an answer only: %s', async (_what, part) => {
    const secret = 'a'.repeat(4_000);
    const mask = createSecretMask([{ scheme: 'Bearer', value: secret }]);
    const text = part(secret).repeat(Math.ceil(1_000_000 / part(secret).length));
    const { ms } = cpuTime(() => mask.json([text]));
    // Comparing the secret at each place would take minutes. A generous bound for a busy machine.
    expect(ms).toBeLessThan(5_000);
  });

  test('cannot be read by an expression', async () => {
    const { call } = await setUpTool(
      { ...request, url: 'http://HOST/${{ input.text }}' },
      undefined,
      options,
    );
    expect(await call({ text: 'env:TOKEN' })).toMatchObject({ status: 'success' });
    expect(() => define({ url: 'http://x/${{ env.TOKEN }}' })).not.toThrow();
  });
});

test('a pointer finds own members only', () => {
  expect(pick({ a: { b: [null, 0] } }, '/a/b/1')).toBe(0);
  expect(pick({ a: { b: [null, 0] } }, '/a/b/0')).toBeNull();
  expect(pick('text', '/length')).toBeUndefined();
  expect(pick({}, '/toString')).toBeUndefined();
});
