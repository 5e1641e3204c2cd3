import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../../src/adapters/memory-storage.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import type { IdempotencyStore } from '../../../src/ports/storage/record-store.ts';
import type { Tool } from '../../../src/ports/tool.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { createTestApp, expectError, jsonOf, lookup, type TestApp } from '../../support/http/app.ts';
import { scriptedStages } from '../../support/stages.ts';

const message = { customer_id: 'c-1', message: 'I want a refund.' };
const key = { 'Idempotency-Key': '8e03978e-40d5-43dd-bc93-6894a57f9324' };

/** A store that notes each call, and whose members fail on request. */
function watchedStore(clock = createFakeClock()) {
  const store = createMemoryStorage({ clock }).idempotency;
  const calls: string[] = [];
  const failing = new Set<keyof IdempotencyStore>();
  const watch = <Name extends keyof IdempotencyStore>(name: Name): IdempotencyStore[Name] =>
    ((...args: never[]) => {
      calls.push(`${name} ${JSON.stringify(args)}`);
      if (failing.has(name)) return Promise.reject(unavailable('the store cannot be reached', 1));
      return (store[name] as (...all: never[]) => unknown)(...args);
    }) as IdempotencyStore[Name];
  const watched: IdempotencyStore = {
    claim: watch('claim'),
    complete: watch('complete'),
    release: watch('release'),
    abandon: watch('abandon'),
  };
  return { store: watched, calls, failing, clock };
}

/** A tool that counts its calls, and waits until it may end. */
function countingTool() {
  let calls = 0;
  let isOpen = true;
  const gates: (() => void)[] = [];
  const tool: Tool = {
    ...lookup,
    effect: 'write',
    async execute() {
      calls++;
      if (!isOpen) await new Promise<void>((resolve) => gates.push(resolve));
      return { calls };
    },
  };
  return {
    tool,
    calls: () => calls,
    shut: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
      for (const gate of gates.splice(0)) gate();
    },
  };
}

async function createWorkflow({ post }: TestApp): Promise<string> {
  const steps = [{ id: 'one', tool_name: 'lookup' }];
  return (await jsonOf<{ id: string }>(await post('/workflows', { name: 'w', steps }))).id;
}

/** Headers that a repeat must have, apart from those of every response. */
const kept = ['content-type', 'location', 'x-trace-id'];
const headersOf = (response: Response) => kept.map((name) => response.headers.get(name));

describe('a repeated request with an Idempotency-Key', () => {
  const cases = [
    ['POST /messages', '/messages', message],
    ['POST /messages/batch', '/messages/batch', { messages: [message, message] }],
    ['POST /workflows', '/workflows', { name: 'w', steps: [{ id: 'a', tool_name: 'lookup' }] }],
    ['a run', '/workflows/{id}/run', {}],
    ['a background run', '/workflows/{id}/run', { background: true }],
    ['POST /agents/route', '/agents/route', { goal: 'g', subtasks: [{ agent_name: 'echo', payload: {} }] }],
    ['a dry run', '/agents/route?dry_run=true', { goal: 'echo this' }],
    ['POST /tools/{name}/call', '/tools/lookup/call', { input: { a: 1 } }],
  ] as const;

  test.each(cases)('gets the first answer again, byte for byte: %s', async (_name, path, body) => {
    const app = createTestApp();
    const url = path.replace('{id}', await createWorkflow(app));
    const first = await app.post(url, body, key);
    expect(first.status).toBeLessThan(300);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const events = app.recorded.events.length;
    const repeat = await app.post(url, body, { ...key, 'X-Request-Id': 'repeat' });
    expect(repeat.status).toBe(first.status);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.headers.get('x-request-id')).toBe('repeat');
    expect(headersOf(repeat)).toEqual(headersOf(first));
    expect(await repeat.text()).toBe(await first.text());
    if (!path.endsWith('run')) expect(app.recorded.events).toHaveLength(events);
    expect(app.idempotent).toEqual(['claimed', 'replayed']);
  });

  test.each(cases)(
    'does its work once when it is sent fifty times at once: %s',
    async (_name, path, body) => {
      const counting = countingTool();
      const app = createTestApp({ tools: [counting.tool] });
      const url = path.replace('{id}', await createWorkflow(app));
      const before = app.recorded.events.length;
      const replies = await Promise.all(Array.from({ length: 50 }, () => app.post(url, body, key)));
      const answered = replies.filter(({ status }) => status < 300);
      const texts = new Set(await Promise.all(answered.map((reply) => reply.text())));
      expect(answered.filter((reply) => !reply.headers.has('idempotency-replayed'))).toHaveLength(1);
      if (!path.endsWith('run')) expect(texts.size).toBe(1);
      for (const reply of replies.filter(({ status }) => status >= 300)) {
        expect(reply.headers.get('retry-after')).toBe('1');
        await expectError(reply, 409, /under way/);
      }
      await settle();
      const single = createTestApp();
      const own = path.replace('{id}', await createWorkflow(single));
      const singleBefore = single.recorded.events.length;
      await single.post(own, body);
      await settle();
      expect(app.recorded.events.length - before).toBe(single.recorded.events.length - singleBefore);
    },
  );

  test('is the same whether its key is bare or in quotes', async () => {
    const { post, idempotent } = createTestApp();
    for (const text of ['a\\"b', '"a\\\\\\"b"'])
      await post('/messages', message, { 'Idempotency-Key': text });
    expect(idempotent).toEqual(['claimed', 'replayed']);
  });

  test('is another one on another route, for another record, and with another parameter', async () => {
    const app = createTestApp();
    const [one, two] = [await createWorkflow(app), await createWorkflow(app)];
    const goal = { goal: 'echo', subtasks: [] };
    for (const url of [`/workflows/${one}/run`, `/workflows/${two}/run`])
      expect((await app.post(url, {}, key)).status).toBe(200);
    for (const url of ['/agents/route', '/agents/route?dry_run=true'])
      expect((await app.post(url, goal, key)).status).toBe(200);
    expect(app.idempotent).toEqual(['claimed', 'claimed', 'claimed', 'claimed']);
  });

  test('is another one with another API key, also with another body', async () => {
    const { post, idempotent } = createTestApp({ http: { apiKeys: ['one', 'two'] } });
    const other = { ...message, message: 'Where is my parcel?' };
    const replies = [
      await post('/messages', message, { ...key, 'X-Api-Key': 'one' }),
      await post('/messages', message, { ...key, 'X-Api-Key': 'two' }),
      await post('/messages', message, { ...key, 'X-Api-Key': 'one' }),
      await post('/messages', other, { ...key, 'X-Api-Key': 'one' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 422]);
    expect(idempotent).toEqual(['claimed', 'claimed', 'replayed', 'mismatch']);
    const ids = replies.slice(0, 3).map(({ headers }) => headers.get('x-trace-id'));
    expect(ids[1]).not.toBe(ids[0]);
    expect(ids[2]).toBe(ids[0]);
  });

  test('is the same with any X-Api-Key while none is needed', async () => {
    const { post, idempotent } = createTestApp();
    for (const apiKey of ['one', 'two']) await post('/messages', message, { ...key, 'X-Api-Key': apiKey });
    expect(idempotent).toEqual(['claimed', 'replayed']);
  });

  test('is stored without the API key', async () => {
    const { store, calls } = watchedStore();
    const apiKey = 'canary-key-0123456789';
    const { post } = createTestApp({ http: { apiKeys: [apiKey] }, ports: { idempotency: store } });
    expect((await post('/messages', message, { ...key, 'X-Api-Key': apiKey })).status).toBe(200);
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.join()).not.toContain(apiKey);
  });

  test('with another body is rejected, while the first is under way and afterwards', async () => {
    const counting = countingTool();
    const app = createTestApp({ tools: [counting.tool] });
    const url = `/workflows/${await createWorkflow(app)}/run`;
    counting.shut();
    const first = app.post(url, { input: { a: 1 } }, key);
    await settle();
    await expectError(
      await app.post(url, '{"input":{"a": 1}}', key),
      422,
      /^Idempotency-Key: .*another body/,
    );
    counting.open();
    expect((await first).status).toBe(200);
    await expectError(await app.post(url, {}, key), 422, /^Idempotency-Key: .*another body/);
    expect(counting.calls()).toBe(1);
  });

  test('is told where the execution is while it is under way', async () => {
    const counting = countingTool();
    const app = createTestApp({ tools: [counting.tool] });
    const id = await createWorkflow(app);
    counting.shut();
    const first = app.post(`/workflows/${id}/run`, {}, key);
    await settle();
    const repeat = await app.post(`/workflows/${id}/run`, {}, key);
    const location = repeat.headers.get('location') ?? '';
    expect(repeat.headers.get('retry-after')).toBe('1');
    await expectError(repeat, 409, /under way/);
    expect(await jsonOf(await app.request(location))).toMatchObject({ status: 'RUNNING' });
    counting.open();
    expect(location).toContain((await jsonOf<{ execution_id: string }>(await first)).execution_id);
  });

  test('does the work again after IDEMPOTENCY_TTL_SECONDS', async () => {
    const { store, clock } = watchedStore();
    const { post, idempotent } = createTestApp({
      ports: { idempotency: store },
      limits: { idempotencyTtlMs: 5_000 },
    });
    await post('/messages', message, key);
    await clock.advance(4_999);
    await post('/messages', message, key);
    await clock.advance(1);
    await post('/messages', message, key);
    expect(idempotent).toEqual(['claimed', 'replayed', 'claimed']);
  });

  test('gets the record of work whose answer is too large to be kept', async () => {
    const tool: Tool = { ...lookup, execute: () => ({ text: 'x'.repeat(600_000) }) };
    const app = createTestApp({ tools: [tool] });
    const steps = ['a', 'b'].map((id) => ({ id, tool_name: 'lookup' }));
    const { id } = await jsonOf<{ id: string }>(await app.post('/workflows', { name: 'w', steps }));
    const first = await (await app.post(`/workflows/${id}/run`, {}, key)).text();
    const repeat = await app.post(`/workflows/${id}/run`, {}, key);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(await repeat.text()).toBe(first);
    expect(app.idempotent).toEqual(['claimed', 'recalled']);
  });

  test('is rejected when such an answer has no record any more', async () => {
    const texts = Array.from({ length: 40 }, () => 'x'.repeat(30_000));
    const app = createTestApp({ http: { maxBodyBytes: 4_000_000 } });
    const goal = { goal: 'g', subtasks: texts.map((text) => ({ agent_name: 'echo', payload: { text } })) };
    const plan = await app.post('/agents/route?dry_run=true', goal, key);
    expect((await plan.text()).length).toBeGreaterThan(1_048_576);
    const repeat = await app.post('/agents/route?dry_run=true', goal, key);
    expect(repeat.headers.get('retry-after')).toBeNull();
    await expectError(repeat, 409, /its answer is not kept/);
  });
});

describe('an Idempotency-Key', () => {
  test.each([
    ['one character', '!'],
    ['255 characters', '~'.repeat(255)],
    ['255 characters in quotes', `"${'~'.repeat(255)}"`],
    ['255 escaped characters', `"${'\\"'.repeat(255)}"`],
    ['what looks like code', "'; DROP TABLE x; --"].map((text) => text.replaceAll(' ', '_')),
    ['what looks like a key of the store', 'orchestration:traces:*'],
  ])('may be %s', async (_name, text) => {
    const { post } = createTestApp();
    expect((await post('/messages', message, { 'Idempotency-Key': text })).status).toBe(200);
  });

  test.each([
    ['empty', ''],
    ['empty in quotes', '""'],
    ['256 characters', '~'.repeat(256)],
    ['256 characters in quotes', `"${'~'.repeat(256)}"`],
    ['very long in quotes', `"${'\\"'.repeat(7_000)}"`],
    ['two keys', 'a, b'],
    ['two strings', '"a", "b"'],
    ['a string with a parameter', '"a";b=1'],
    ['an open quote', '"a'],
    ['only a quote', '"'],
    ['an unescaped quote', '"a"b"'],
    ['an escape of nothing', '"a\\b"'],
    ['a blank', 'a b'],
    ['a blank in quotes', '"a b"'],
    ['a tab', 'a\tb'],
    ['text beyond ASCII', 'ключ'.replaceAll(/./g, '\u00e9')],
    ['a control character', 'a\u0001'],
  ])('is rejected before any work when it is %s', async (_name, text) => {
    const { store, calls } = watchedStore();
    const { post, recorded } = createTestApp({ ports: { idempotency: store } });
    const reply = await post('/messages', message, { 'Idempotency-Key': text });
    await expectError(reply, 422, /^Idempotency-Key: must have 1 to 255 visible ASCII characters/);
    expect(recorded.events).toEqual([]);
    expect(calls).toEqual([]);
  });

  test('is in no store, log or metric', async () => {
    const { store, calls } = watchedStore();
    const app = createTestApp({ ports: { idempotency: store } });
    const headers = { 'Idempotency-Key': 'canary-key' };
    await app.post('/messages', message, headers);
    await app.post('/messages', message, headers);
    const rejected = await (await app.post('/messages', { ...message, message: 'Other.' }, headers)).text();
    expect(calls.length).toBeGreaterThan(0);
    expect(JSON.stringify([calls, app.logger.lines, app.finished, app.idempotent, rejected])).not.toContain(
      'canary',
    );
  });

  test('is ignored by other routes', async () => {
    const { store, calls } = watchedStore();
    const { post, request } = createTestApp({ ports: { idempotency: store } });
    await request('/trace/', { headers: { 'Idempotency-Key': '' } });
    expect((await post('/evaluation', { size: 1 }, { 'Idempotency-Key': 'a b' })).status).toBe(200);
    expect(calls).toEqual([]);
  });

  test('costs nothing where a request has none', async () => {
    const { store, calls } = watchedStore();
    const app = createTestApp({ ports: { idempotency: store } });
    const id = await createWorkflow(app);
    for (const [url, body] of [
      ['/messages', message],
      ['/messages/batch', { messages: [message] }],
      [`/workflows/${id}/run`, {}],
      ['/agents/route', { goal: 'echo' }],
      ['/tools/lookup/call', { input: {} }],
    ] as const) {
      expect((await app.post(url, body)).status).toBe(200);
    }
    expect(calls).toEqual([]);
    expect(app.idempotent).toEqual([]);
  });

  test('does not pass the rate limit or the authentication', async () => {
    const { store, calls } = watchedStore();
    const { post } = createTestApp({
      ports: { idempotency: store },
      http: { apiKeys: ['k'] },
      requestLimit: 1,
    });
    expect((await post('/messages', message, key)).status).toBe(401);
    expect((await post('/messages', message, { ...key, 'X-Api-Key': 'k' })).status).toBe(429);
    expect(calls).toEqual([]);
  });
});

describe('an Idempotency-Key is free again', () => {
  test('after an invalid body', async () => {
    const { post } = createTestApp();
    await expectError(await post('/messages', { message: '' }, key), 422);
    expect((await post('/messages', message, key)).status).toBe(200);
  });

  test('after a record that does not exist', async () => {
    const app = createTestApp();
    await expectError(await app.post('/workflows/unknown/run', {}, key), 404);
    await expectError(await app.post('/workflows/unknown/run', { background: true }, key), 404);
  });

  test('after work that failed without a record', async () => {
    const { post, orchestrator, idempotent } = createTestApp();
    const { create } = orchestrator.workflows;
    const workflow = { name: 'w', steps: [{ id: 'a', tool_name: 'lookup' }] };
    Object.assign(orchestrator.workflows, { create: () => Promise.reject(new Error('a bug')) });
    await expectError(await post('/workflows', workflow, key), 500);
    Object.assign(orchestrator.workflows, { create });
    expect((await post('/workflows', workflow, key)).status).toBe(201);
    expect(idempotent).toEqual(['claimed', 'claimed']);
  });

  test('after a store that was unavailable before the work', async () => {
    const { store } = watchedStore();
    let isAvailable = false;
    const { post } = createTestApp({
      ports: {
        idempotency: store,
        storage: {
          assertAvailable() {
            if (!isAvailable) throw unavailable('the store cannot be reached', 1);
          },
        },
      },
    });
    await expectError(await post('/messages', message, key), 503);
    isAvailable = true;
    expect((await post('/messages', message, key)).status).toBe(200);
  });

  test('not after work that failed when it had been done: the repeat gets the record', async () => {
    const { post, orchestrator, idempotent } = createTestApp();
    const { process: processMessage } = orchestrator.messages;
    let done = 0;
    Object.assign(orchestrator.messages, {
      async process(...args: Parameters<typeof processMessage>) {
        done++;
        await processMessage(...args);
        throw new Error('a bug');
      },
    });
    await expectError(await post('/messages', message, key), 500);
    const repeat = await post('/messages', message, key);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(await jsonOf(repeat)).toMatchObject({ status: 'COMPLETED' });
    expect(done).toBe(1);
    expect(idempotent).toEqual(['claimed', 'recalled']);
  });
});

describe('a message that failed', () => {
  test('is an answer like any other', async () => {
    const { post, recorded } = createTestApp({
      ports: {
        stages: scriptedStages({}, { classify: () => Promise.reject(new Error('a bug')) }),
      },
    });
    const first = await jsonOf(await post('/messages', message, key));
    expect(first).toMatchObject({ status: 'FAILED' });
    const events = recorded.events.length;
    expect(await jsonOf(await post('/messages', message, key))).toEqual(first);
    expect(recorded.events).toHaveLength(events);
  });
});

describe('when the store of keys is unavailable', () => {
  test('a request with a key is rejected before any work', async () => {
    const { store, failing } = watchedStore();
    const { post, recorded, idempotent } = createTestApp({ ports: { idempotency: store } });
    failing.add('claim');
    const reply = await post('/messages', message, key);
    expect(reply.headers.get('retry-after')).toBe('1');
    await expectError(reply, 503);
    expect(recorded.events).toEqual([]);
    expect(idempotent).toEqual(['unavailable']);
    expect((await post('/messages', message)).status).toBe(200);
  });

  test('after the work, the caller still gets the answer, and a repeat the record', async () => {
    const { store, failing } = watchedStore();
    const { post, recorded, idempotent } = createTestApp({ ports: { idempotency: store } });
    failing.add('complete');
    const first = await post('/messages', message, key);
    expect(first.status).toBe(200);
    const events = recorded.events.length;
    const repeat = await post('/messages', message, key);
    expect(headersOf(repeat)).toEqual(headersOf(first));
    expect(await repeat.text()).toBe(await first.text());
    expect(recorded.events).toHaveLength(events);
    expect(idempotent).toEqual(['claimed', 'recalled']);
  });

  test('a request that is rejected says why, although its key cannot be freed', async () => {
    const { store, failing } = watchedStore();
    const { post } = createTestApp({ ports: { idempotency: store } });
    failing.add('release');
    await expectError(await post('/workflows/unknown/run', {}, key), 404);
  });
});

describe('a claim that has lapsed', () => {
  /** Leaves a lapsed claim behind, as a process does that ended before its work. Returns its reference. */
  async function leaveLapsed(
    store: IdempotencyStore,
    calls: string[],
    body: object,
    path: string,
    app: TestApp,
  ) {
    const { claim } = store;
    let reference = '';
    const died = new Error('the process died');
    Object.assign(store, {
      async claim(...args: Parameters<typeof claim>) {
        await claim(...args);
        reference = args[0].reference;
        store.abandon(args[0]);
        throw died;
      },
    });
    await app.post(path, body, key);
    Object.assign(store, { claim });
    calls.length = 0;
    return reference;
  }

  test('without a record is done again, under the same ids', async () => {
    const { store, calls } = watchedStore();
    const app = createTestApp({ ports: { idempotency: store } });
    const reference = await leaveLapsed(store, calls, message, '/messages', app);
    expect(await jsonOf(await app.post('/messages', message, key))).toMatchObject({ trace_id: reference });
    expect(app.idempotent).toEqual(['unavailable', 'claimed']);
  });

  test('without a record gives its key to another body, under other ids', async () => {
    const { store, calls } = watchedStore();
    const app = createTestApp({ ports: { idempotency: store } });
    const reference = await leaveLapsed(store, calls, message, '/messages', app);
    const reply = await jsonOf(await app.post('/messages', { ...message, message: 'Other.' }, key));
    expect(reply['trace_id']).not.toBe(reference);
  });

  test('with a record gives it to the same body, and rejects another one', async () => {
    const { store, calls } = watchedStore();
    const app = createTestApp({ ports: { idempotency: store } });
    const reference = await leaveLapsed(store, calls, message, '/messages', app);
    const customer = { source: 'other', customerId: 'c-1', message: 'I want a refund.' };
    await app.orchestrator.messages.process(customer, { traceIds: [reference] });
    const events = app.recorded.events.length;
    const repeat = await app.post('/messages', message, key);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(await jsonOf(repeat)).toMatchObject({ trace_id: reference });
    await expectError(
      await app.post('/messages', { ...message, message: 'Other.' }, key),
      422,
      /another body/,
    );
    expect(app.recorded.events).toHaveLength(events);
  });

  test('of a batch processes only the messages that have no trace yet', async () => {
    const { store, calls } = watchedStore();
    const app = createTestApp({ ports: { idempotency: store } });
    const batch = {
      messages: ['First.', 'Second.', 'Third.'].map((text) => ({ ...message, message: text })),
    };
    const ids = (await leaveLapsed(store, calls, batch, '/messages/batch', app)).split(',');
    const second = { source: 'other', customerId: 'c-1', message: 'Second.' };
    await app.orchestrator.messages.process(second, { traceIds: [ids[1] ?? ''] });
    const before = app.recorded.events.filter(({ type }) => type === 'message.finished').length;
    const reply = await jsonOf<{ results: { trace_id: string }[] }>(
      await app.post('/messages/batch', batch, key),
    );
    expect(reply.results.map(({ trace_id }) => trace_id)).toEqual(ids);
    const after = app.recorded.events.filter(({ type }) => type === 'message.finished').length;
    expect(after - before).toBe(2);
    const texts = await Promise.all(ids.map(async (id) => (await app.orchestrator.traces.get(id)).message));
    expect(texts).toEqual(['First.', 'Second.', 'Third.']);
  });
});
