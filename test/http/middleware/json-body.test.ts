import { describe, expect, test } from 'vitest';
import type { DatasetExample } from '../../../src/domain/inbox/example.ts';
import { sampleOf } from '../../support/extent.ts';
import { createTestApp, expectError, jsonOf, type TestApp } from '../../support/http/app.ts';
import { createMemoryRuns, runIdAt, runRecord } from '../../support/http/memory-runs.ts';
import { stepItem } from '../../support/http/people.ts';

const LIMIT = 4_096;

const example: DatasetExample = {
  exampleId: 'item-1',
  datasetId: 'inbox',
  status: 'proposed',
  message: 'hello',
  intent: 'refund',
  escalated: null,
  traceId: 't',
  customerId: 'ann',
  createdAt: '2026-01-01T00:00:00.000Z',
  decidedBy: null,
  decidedAt: null,
};

/** Every route with a request body, and a valid body. */
const routes: readonly (readonly [string, object])[] = [
  ['/messages', { source: 'email', customer_id: 'customer-1', message: 'hello' }],
  ['/messages/batch', { messages: [{ customer_id: 'customer-1', message: 'hello' }] }],
  ['/workflows', { name: 'n', steps: [{ id: 'a', tool_name: 'lookup' }] }],
  ['/workflows/{id}', { name: 'n', steps: [{ id: 'a', tool_name: 'lookup' }] }],
  ['/workflows/validate', { name: 'n', steps: [{ id: 'a', tool_name: 'lookup' }] }],
  ['/workflows/{id}/run', { input: {} }],
  ['/workflows/{id}/simulate', { input: {} }],
  ['/schedules', { workflow_id: 'workflow-1', cron: '0 9 * * *' }],
  ['/runs/{execution_id}/cancel', { reason: 'too late' }],
  ['/runs/{execution_id}/rerun', { input: {} }],
  ['/runs/{execution_id}/steps/{step_id}/resolve', { outcome: 'retry' }],
  ['/inbox/next', { by: 'maria' }],
  ['/inbox/{item_id}/claim', { by: 'maria' }],
  ['/inbox/{item_id}/release', { by: 'maria' }],
  ['/inbox/{item_id}/assign', { by: 'maria', assignee: 'maria' }],
  ['/inbox/{item_id}/notes', { by: 'maria', note: 'x' }],
  ['/inbox/{item_id}/resolve', { by: 'maria', outcome: 'dismissed' }],
  ['/datasets/inbox/examples/{item_id}/accept', { by: 'maria' }],
  ['/datasets/inbox/examples/{item_id}/reject', { by: 'maria' }],
  ['/erase', { customer_id: 'ann' }],
  ['/agents/route', { goal: 'summarize this', subtasks: [] }],
  ['/tools/{name}/call', { input: {} }],
  ['/evaluation', { tickets: [{ message: 'hello', expected_intent: 'refund' }] }],
];

const methodOf = (route: string) => (route === '/workflows/{id}' ? 'PUT' : 'POST');

/** The routes whose body is optional. */
const optional = new Set([
  '/workflows/{id}/run',
  '/workflows/{id}/simulate',
  '/runs/{execution_id}/cancel',
  '/runs/{execution_id}/rerun',
  '/evaluation',
  '/datasets/inbox/examples/{item_id}/accept',
  '/datasets/inbox/examples/{item_id}/reject',
]);

/** The routes that take any JSON. */
const takesAnyJson = new Set(['/workflows/validate']);

/**
 * An app with a workflow, an execution, a tool, an item that maria has and its example, and the path of a route in it.
 */
async function appFor(route: string): Promise<TestApp & { readonly path: string }> {
  const wait = { kind: 'recovery', stepId: 'a', itemId: 'item-1', until: null } as const;
  const waiting = runRecord(1, { status: 'WAITING', waitingFor: [wait] });
  const { useCases } = createMemoryRuns([runRecord(), waiting]);
  const app = createTestApp({ http: { maxBodyBytes: LIMIT }, useCases });
  const id = 'workflow-1';
  const steps = [{ id: 'a', kind: 'tool', toolName: 'lookup' }] as const;
  await app.orchestrator.workflows.create({ name: 'n', steps }, id);
  const runId = runIdAt(route.includes('{step_id}') ? 1 : 0);
  const item_id = 'item-1';
  const item = stepItem({ itemId: item_id, kind: 'escalation', status: 'claimed', assignee: 'maria' });
  const subject = { kind: 'message', id: 't', stepId: null } as const;
  await app.ports.inbox.create({ ...item, subject });
  await app.ports.inbox.update({ item: { ...item, subject, version: 2 }, expectedVersion: 1, example });
  const ids: Readonly<Record<string, unknown>> = {
    id,
    item_id,
    name: 'lookup',
    execution_id: runId,
    step_id: 'a',
  };
  return {
    ...app,
    post: methodOf(route) === 'PUT' ? app.put : app.post,
    path: route.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name])),
  };
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16le = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'));
const utf16be = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le').swap16());
const bytes = (...values: number[]) => new Uint8Array(values);

const nested = (levels: number) => `${'['.repeat(levels - 1)}{}${']'.repeat(levels - 1)}`;

const notJson: readonly (readonly [string, string | Uint8Array])[] = [
  ['an open brace', '{'],
  ['an open bracket', '['],
  ['an open text', '"'],
  ['truncated after a value', '{"message": 1'],
  ['truncated within a text', '{"message": "he'],
  ['truncated within an escape', '{"message": "\\u12"}'],
  ['no colon', '{"message" 1}'],
  ['single quotes', "{'message': 1}"],
  ['no quotes', '{message: 1}'],
  ['a comma at the end', '{"message": 1,}'],
  ['a comma at the end of a list', '[1,]'],
  ['half a word', 'nul'],
  ['undefined', 'undefined'],
  ['NaN', '{"a": NaN}'],
  ['Infinity', '{"a": Infinity}'],
  ['a lone minus', '-'],
  ['a leading zero', '{"a": 01}'],
  ['a bare point', '{"a": 1.}'],
  ['a leading point', '{"a": .5}'],
  ['a plus', '{"a": +1}'],
  ['a hexadecimal number', '{"a": 0x10}'],
  ['two documents', '{}{}'],
  ['something behind', '{} x'],
  ['only blanks', ' \n\t'],
  ['a NUL', '\u0000'],
  ['a raw line feed in a text', '{"a": "\n"}'],
  ['an unknown escape', '{"a": "\\x41"}'],
  ['a comment', '// {}\n{}'],
  ['markup', '<message/>'],
  ['a form', 'message=hello&source=email'],
  ['a byte order mark', '\ufeff{}'],
  ['closing brackets only', ']]]]}}}}'],
  ['UTF-16, little end first', utf16le('{"message": "hello"}')],
  ['UTF-16, big end first', utf16be('{"message": "hello"}')],
];

const notUtf8: readonly (readonly [string, Uint8Array])[] = [
  ['UTF-16 with its mark', utf16le('\ufeff{"message": "hello"}')],
  ['a stray byte', bytes(0x22, 0xff, 0x22)],
  ['a Latin-1 letter', bytes(0x22, 0xe4, 0x22)],
  ['a cut-off character', bytes(0x22, 0xe2, 0x82)],
  ['an overlong NUL', bytes(0x22, 0xc0, 0x80, 0x22)],
  ['a surrogate', bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
  ['a character beyond Unicode', bytes(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22)],
];

const notObject = ['null', 'true', 'false', '0', '-1.5e3', '""', '"text"', '[]', '[{}]', '[[]]'];

const notFinite: readonly (readonly [string, string])[] = [
  ['1e999', '1e999'],
  ['-1e999', '-1e999'],
  ['1E+999', '1E+999'],
  ['1e0400', '1e0400'],
  ['of 310 digits', `1${'0'.repeat(309)}`],
  ['of 400 digits below zero', `-${'9'.repeat(400)}`],
  ['of 301 digits and an exponent of 10', `1${'0'.repeat(300)}e10`],
  ['of 306 digits, a fraction and an exponent of 9', `1${'0'.repeat(305)}.5e9`],
];

const finite: readonly (readonly [string, string])[] = [
  ['1e308', '1e308'],
  ['minus zero', '-0'],
  ['1e-999, which is zero', '1e-999'],
  ['2^53 + 1', '9007199254740993'],
  ['of 300 digits', '9'.repeat(300)],
  ['with 400 digits behind the point', `0.${'1'.repeat(400)}`],
  ['of 400 digits in a text', `"${'9'.repeat(400)}"`],
];

const foreignTypes = [
  undefined,
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/jsonx',
  'application/x+jsonx',
  'xapplication/json',
  'application/json, text/plain',
  '*/*',
  'json',
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1',
  'application/json; charset=',
];

/** Routes that ignore a body. */
const bodiless = new Set(['/runs/{execution_id}/retry', '/schedules/{id}/trigger', '/system/reload']);

/** Routes whose method is not POST, with the body of another one. */
const replacing = new Set(['/schedules/{id}']);

test('these tests cover every route with a body', () => {
  const { app } = createTestApp();
  const taking = app.routes.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method));
  const paths = new Set(
    taking.map(({ method, path }) =>
      path
        .replace(/^\/inbox\/:id$/, '/inbox/next')
        .replace(/^\/workflows\/:id$/, method === 'POST' ? '/workflows/validate' : '/workflows/:id')
        .replace('/inbox/:id', '/inbox/:item_id')
        .replace('/datasets/:id/examples/:example_id', '/datasets/inbox/examples/:item_id')
        .replaceAll(/:(\w+)/g, '{$1}'),
    ),
  );
  expect([...paths].filter((path) => !bodiless.has(path) && !replacing.has(path)).sort()).toEqual(
    routes.map(([path]) => path).sort(),
  );
});

/** The routes whose bodies are tested in every way. One function reads the bodies of all of them. */
const thorough = new Set(['/messages', '/workflows/{id}', '/evaluation']);

describe.each(routes)('a body of %s', (route, good) => {
  const method = methodOf(route);
  const index = routes.findIndex(([one]) => one === route);
  const some = <T>(items: readonly T[]) => (thorough.has(route) ? items : sampleOf(items, index));
  let shared: ReturnType<typeof appFor> | undefined;
  /** One app for all requests that are rejected: they change nothing. */
  const rejectingApp = (): ReturnType<typeof appFor> => {
    shared ??= appFor(route);
    return shared;
  };

  test('is accepted if it is valid', async () => {
    const { post, path } = await appFor(route);
    expect((await post(path, good)).status).toBeLessThan(300);
  });

  test.each(some(notJson))('is rejected if it is not JSON: %s', async (_name, body) => {
    const { post, path } = await rejectingApp();
    await expectError(await post(path, body), 422, 'body: must be well-formed JSON');
  });

  test.each(some(notUtf8))('is rejected if it is not UTF-8: %s', async (_name, body) => {
    const { post, path } = await rejectingApp();
    await expectError(await post(path, body), 422, 'body: is not UTF-8');
  });

  test.each(some(notObject))('is rejected if it is not an object: %s', async (body) => {
    const { post, path } = await rejectingApp();
    const response = await post(path, body);
    if (takesAnyJson.has(route)) expect(await jsonOf(response)).toMatchObject({ valid: false });
    else await expectError(response, 422, /^body: .*object/);
  });

  test('is rejected if it is empty, unless it is optional', async () => {
    const { post, path } = await appFor(route);
    const response = await post(path, '');
    if (optional.has(route)) expect(response.status).toBeLessThan(300);
    else await expectError(response, 422, /^body: /);
  });

  test.each(some(notFinite))(
    'is rejected if it has a number that is not finite: %s',
    async (_name, number) => {
      const { post, path } = await rejectingApp();
      const body = JSON.stringify({ ...good, surplus: '#' }).replace('"#"', `[{"deep": ${number}}]`);
      await expectError(await post(path, body), 422, 'body: must not contain numbers that are not finite');
    },
  );

  test('is rejected if it has a deeply nested number that is not finite', async () => {
    const { post, path } = await rejectingApp();
    const body = JSON.stringify({ ...good, surplus: [1, { a: 1e308, b: [{ c: '#' }] }] }).replace(
      '"#"',
      '1e999',
    );
    await expectError(await post(path, body), 422, 'body: must not contain numbers that are not finite');
  });

  test.each(some(finite))('may have a large finite number: %s', async (_name, number) => {
    const { post, path } = await appFor(route);
    const body = JSON.stringify({ ...good, surplus: '#' }).replace('"#"', number);
    expect((await post(path, body)).status).toBeLessThan(300);
  });

  test('may be nested 64 levels deep, but not deeper', async () => {
    const { post, path } = await appFor(route);
    const deep = (levels: number) =>
      JSON.stringify({ ...good, surplus: '#' }).replace('"#"', nested(levels - 1));
    expect((await post(path, deep(64))).status).toBeLessThan(300);
    for (const body of [deep(65), deep(1_000), '['.repeat(4_000), '{"a":'.repeat(800)]) {
      await expectError(await post(path, body), 422, 'body: must not be nested deeper than 64 levels');
    }
  });

  test('may have any number of brackets in strings', async () => {
    const { post, path } = await appFor(route);
    const surplus = `"\\${'['.repeat(500)}{"\\\\"`;
    expect((await post(path, { ...good, surplus })).status).toBeLessThan(300);
  });

  test.each(some(['', '\\', '"', '\\"', '"\\', '\\\\', '["']))(
    'has the same depth after the string %j',
    async (text) => {
      const { post, path } = await appFor(route);
      const body = (levels: number) =>
        JSON.stringify({ ...good, text, [`${text}member`]: text, deep: '#' }).replace(
          '"#"',
          nested(levels - 1),
        );
      expect((await post(path, body(64))).status).toBeLessThan(300);
      await expectError(await post(path, body(65)), 422, 'body: must not be nested deeper than 64 levels');
    },
  );

  test.each(some(foreignTypes))('is rejected with the content type %s', async (type) => {
    const { request, path } = await rejectingApp();
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const response = await request(path, { method, headers, body: utf8(JSON.stringify(good)) });
    await expectError(response, 415, /^body: must be /);
  });

  test.each(
    some([
      'application/json',
      'Application/JSON',
      'application/json;charset=utf-8',
      'application/json; charset="UTF-8"',
      'application/json ; q=1; charset=utf8',
      'application/vnd.example.v1+json',
    ]),
  )('is accepted with the content type %s', async (type) => {
    const { post, path } = await appFor(route);
    expect((await post(path, good, { 'Content-Type': type })).status).toBeLessThan(300);
  });

  test.each(some(['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'unheard-of']))(
    'is rejected, and not read, with the content encoding %s',
    async (encoding) => {
      const { post, path } = await rejectingApp();
      const response = await post(path, good, { 'Content-Encoding': encoding });
      await expectError(response, 415, 'a body with a Content-Encoding is not accepted');
    },
  );

  test.each(some(['identity', 'Identity']))('is accepted with the content encoding %s', async (encoding) => {
    const { post, path } = await appFor(route);
    expect((await post(path, good, { 'Content-Encoding': encoding })).status).toBeLessThan(300);
  });

  test.each(
    some([
      [LIMIT - 1, false],
      [LIMIT, false],
      [LIMIT + 1, true],
      [LIMIT * 10, true],
    ] as const),
  )('of %i bytes is accepted or rejected by its size, with any framing', async (size, rejected) => {
    const { request, post, path } = await appFor(route);
    const body = utf8(JSON.stringify(good).padEnd(size, ' '));
    const headers = { 'Content-Type': 'application/json' };
    const chunked = { method, headers, body: inChunks(body), duplex: 'half' } as const;
    const responses = [
      await post(path, body, { 'Content-Length': String(size) }),
      await post(path, body),
      await request(path, chunked),
      await request(path, {
        ...chunked,
        headers: { ...headers, 'Transfer-Encoding': 'chunked' },
        body: inChunks(body),
      }),
    ];
    for (const response of responses) {
      if (rejected) await expectError(response, 413, `body: must be at most ${LIMIT} bytes`);
      // A repeat of the same change can be a conflict.
      else expect(response.status < 300 || response.status === 409).toBe(true);
    }
  });

  test('is not read beyond the limit', async () => {
    const { request, path } = await appFor(route);
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1_024).fill(0x20));
        if (pulled === 1_000) controller.close();
      },
    });
    const headers = { 'Content-Type': 'application/json' };
    const response = await request(path, { method, headers, body: endless, duplex: 'half' });
    await expectError(response, 413);
    expect(pulled).toBeLessThan(10);
  });

  test('is not read if its declared length is too large', async () => {
    const { request, path } = await appFor(route);
    let pulled = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new Uint8Array(1));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '1000000000000' };
    await expectError(await request(path, { method, headers, body, duplex: 'half' }), 413);
    expect(pulled).toBe(0);
  });

  test('creates nothing if it is rejected', async () => {
    const { post, path, request, recorded } = await appFor(route);
    for (const [, body] of [...notJson, ...notUtf8]) await post(path, body);
    expect(recorded.events.filter(({ type }) => type !== 'workflow.created')).toEqual([]);
    for (const listing of ['/trace/', '/agents/routes', '/schedules']) {
      expect(await jsonOf(await request(listing))).toMatchObject({ total: 0 });
    }
    expect(await jsonOf(await request('/workflows'))).toMatchObject({ total: 1 });
  });
});

function inChunks(body: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= body.length) controller.close();
      else controller.enqueue(body.subarray(at, at + 1_000));
      at += 1_000;
    },
  });
}
