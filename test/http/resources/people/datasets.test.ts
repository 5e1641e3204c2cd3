import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readTickets } from '../../../../src/adapters/classifier/tickets.ts';
import { startServer } from '../../../../src/adapters/http/listener/server.ts';
import type { DatasetExample } from '../../../../src/domain/inbox/example.ts';
import { expectError, jsonOf, type TestApp } from '../../../support/http/app.ts';
import { createPeopleApp, send, stepItem } from '../../../support/http/people.ts';
import { runToEnd } from '../../../support/process/service.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const examplesPath = '/datasets/inbox/examples';
const csv = { headers: { Accept: 'text/csv' } };

/** Stores examples as decisions in the inbox would, accepted unless they say otherwise. */
async function addExamples(app: TestApp, examples: readonly Partial<DatasetExample>[]): Promise<void> {
  for (const [n, members] of examples.entries()) {
    const item = stepItem({ itemId: `item-${n}` });
    await app.ports.inbox.create(item);
    const example: DatasetExample = {
      exampleId: item.itemId,
      datasetId: 'inbox',
      status: 'accepted',
      message: `message ${n}`,
      intent: 'refund',
      escalated: null,
      traceId: `trace-${n}`,
      customerId: 'ann',
      createdAt: item.openedAt,
      decidedBy: 'tom',
      decidedAt: item.openedAt,
      ...members,
    };
    await app.ports.inbox.update({ item: { ...item, version: 2 }, expectedVersion: 1, example });
  }
}

interface ExamplesBody {
  readonly examples: readonly { readonly example_id: string; readonly status: string }[];
  readonly limit: number;
  readonly next_cursor: string | null;
}

const pageAt = async (app: TestApp, query = '') =>
  jsonOf<ExamplesBody>(await app.request(`${examplesPath}${query}`));

describe('GET /datasets', () => {
  test('counts the examples by their status', async () => {
    const app = createPeopleApp();
    const empty = { dataset_id: 'inbox', total: 0, proposed: 0, accepted: 0, rejected: 0 };
    expect(await jsonOf(await app.request('/datasets'))).toEqual({ datasets: [empty] });
    await addExamples(app, [{}, { status: 'proposed' }, { status: 'proposed' }, { status: 'rejected' }]);
    expect(await jsonOf(await app.request('/datasets'))).toEqual({
      datasets: [{ dataset_id: 'inbox', total: 4, proposed: 2, accepted: 1, rejected: 1 }],
    });
  });
});

describe('GET /datasets/{id}/examples', () => {
  test('has the example of a decision, as proposed', async () => {
    const app = createPeopleApp();
    const { item_id, trace_id } = await send(app);
    const decision = { outcome: 'answered', by: 'maria', response: 'Yes.', intent: 'billing' };
    await app.post(`/inbox/${item_id}/resolve`, { ...decision, escalation_right: false });
    expect(await pageAt(app)).toEqual({
      limit: 50,
      next_cursor: null,
      examples: [
        {
          example_id: item_id,
          dataset_id: 'inbox',
          status: 'proposed',
          intent: 'billing',
          message: 'I want to talk to somebody',
          expected_escalated: false,
          trace_id,
          customer_id: 'ann',
          created_at: '2026-01-01T00:00:00.000Z',
          decided_by: null,
          decided_at: null,
        },
      ],
    });
  });

  test('leads through all examples of a status by links, the oldest first', async () => {
    const app = createPeopleApp();
    await addExamples(app, [{}, { status: 'rejected' }, {}, {}]);
    const seen: string[] = [];
    let next: string | undefined = `${examplesPath}?status=accepted&limit=1`;
    while (next !== undefined) {
      const response: Response = await app.request(next);
      seen.push(...(await jsonOf<ExamplesBody>(response)).examples.map(({ example_id }) => example_id));
      next = /^<([^<>]*)>/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(['item-0', 'item-2', 'item-3']);
  });

  test.each([
    ['status=new', 'status: must be one of proposed, accepted, rejected'],
    ['status=', 'status: must be one of proposed, accepted, rejected'],
    ['status=accepted&status=accepted', 'status: must be given once'],
    ['limit=0', 'limit: must be from 1 to 200'],
    ['cursor=x', 'cursor: must be the next_cursor of a page'],
  ])('rejects %s, as JSON and as CSV', async (query, detail) => {
    const { request } = createPeopleApp();
    await expectError(await request(`${examplesPath}?${query}`), 422, detail);
    await expectError(await request(`${examplesPath}?${query}`, csv), 422, detail);
  });

  test.each(['other', '__proto__', 'in%2Fbox'])('is 404 for the dataset %s', async (id) => {
    const { request, post } = createPeopleApp();
    const detail = `dataset "${decodeURIComponent(id)}" not found`;
    await expectError(await request(`/datasets/${id}/examples`), 404, detail);
    await expectError(await request(`/datasets/${id}/examples`, csv), 404, detail);
    await expectError(await post(`/datasets/${id}/examples/x/accept`, {}), 404, detail);
  });
});

describe.each([
  ['accept', 'accepted'],
  ['reject', 'rejected'],
])('POST /datasets/{id}/examples/{example_id}/%s', (action, status) => {
  const path = `${examplesPath}/item-0/${action}`;

  test('decides about an example, whatever was decided before', async () => {
    const app = createPeopleApp();
    await addExamples(app, [{ status: 'proposed', decidedBy: null, decidedAt: null }]);
    await app.post(`${examplesPath}/item-0/${action === 'accept' ? 'reject' : 'accept'}`, { by: 'tom' });
    const response = await app.post(path, { by: 'maria' });
    expect(response.status).toBe(200);
    const example = await jsonOf(response);
    expect(example).toMatchObject({
      example_id: 'item-0',
      status,
      decided_by: 'maria',
      decided_at: '2026-01-01T00:00:00.000Z',
    });
    expect((await pageAt(app, `?status=${status}`)).examples).toEqual([example]);
  });

  test.each([[undefined], [{}]])('is by `api` where the body is %j', async (body) => {
    const app = createPeopleApp();
    await addExamples(app, [{}]);
    expect(await jsonOf(await app.post(path, body))).toMatchObject({ status, decided_by: 'api' });
  });

  test.each([
    [{ by: '' }, 'by: must not be empty'],
    [{ by: null }, 'by: must be a string'],
    [[], 'body: must be an object'],
  ])('rejects %j', async (body, detail) => {
    await expectError(await createPeopleApp().post(path, body), 422, detail);
  });

  test('is 404 for an unknown example', async () => {
    await expectError(await createPeopleApp().post(path, {}), 404, 'example "item-0" not found');
  });
});

describe('the export of examples as CSV', () => {
  const header = 'message,intent,expected_escalated,status,example_id\r\n';

  test('has only accepted examples, unless a status is named', async () => {
    const app = createPeopleApp();
    await addExamples(app, [{ escalated: true }, { status: 'proposed' }, { escalated: false }]);
    const response = await app.request(examplesPath, csv);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    expect(response.headers.get('vary')).toBe('Accept');
    expect(await response.text()).toBe(
      `${header}message 0,refund,true,accepted,item-0\r\nmessage 2,refund,false,accepted,item-2\r\n`,
    );
    const proposed = await app.request(`${examplesPath}?status=proposed&limit=1&cursor=0`, csv);
    expect(await proposed.text()).toBe(`${header}message 1,refund,,proposed,item-1\r\n`);
  });

  test('has only a header where there are no examples', async () => {
    expect(await (await createPeopleApp().request(examplesPath, csv)).text()).toBe(header);
  });

  test('has all examples, however many pages they take', async () => {
    const app = createPeopleApp();
    await addExamples(
      app,
      Array.from({ length: 1_001 }, () => ({})),
    );
    const text = await (await app.request(`${examplesPath}?limit=1`, csv)).text();
    expect(text.split('\r\n').slice(1, -1)).toHaveLength(1_001);
  });

  test.each([
    ['text/csv', true],
    ['text/csv, application/json;q=0.9', true],
    ['text/*', true],
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/csv', false],
    ['text/csv;q=0', false],
  ])('is sent for the Accept header %s: %s', async (accept, isCsv) => {
    const response = await createPeopleApp().request(examplesPath, { headers: { Accept: accept } });
    expect(response.headers.get('content-type')?.startsWith('text/csv')).toBe(isCsv);
  });

  test('breaks the connection off where the store fails in between, and logs why', async () => {
    const app = createPeopleApp();
    await addExamples(
      app,
      Array.from({ length: 201 }, () => ({ message: 'x'.repeat(1_000) })),
    );
    const { list } = app.ports.examples;
    const examples = {
      ...app.ports.examples,
      list: (...[id, filter, page]: Parameters<typeof list>) =>
        page.cursor === undefined ? list(id, filter, page) : Promise.reject(new Error('canary-away')),
    };
    const { app: failing, logger } = createPeopleApp({}, { ports: { examples } });
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      fetch: failing.fetch,
      logger,
      newId: app.ports.newId,
      onErrorResponse: () => undefined,
      onListenerError: () => undefined,
    });
    try {
      const response = await fetch(`http://127.0.0.1:${server.port}${examplesPath}`, csv);
      expect(response.status).toBe(200);
      let received = '';
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of response.body ?? []) received += decoder.decode(chunk, { stream: true });
      })();
      await expect(reading).rejects.toThrow();
      expect(received).not.toContain('canary');
      expect(logger.lines.map(({ message }) => message)).toContain('a response was broken off');
    } finally {
      await server.drain(0);
    }
  });

  /** The content that `train` reads of an export with these messages. */
  async function exported(messages: readonly string[]): Promise<readonly string[]> {
    const app = createPeopleApp();
    await addExamples(
      app,
      messages.map((message) => ({ message })),
    );
    const bytes = new Uint8Array(await (await app.request(examplesPath, csv)).arrayBuffer());
    return (await readTickets(bytes)).map(({ message }) => message);
  }

  test('keeps quotation marks, commas and line breaks', async () => {
    const messages = ['a "quoted" word', '"', '""', 'a, b;\tc', 'one\ntwo\n\nthree', "it's", ' spaces '];
    expect(await exported(messages)).toEqual(messages);
    expect(await exported(['one\r\ntwo\rthree', '\ufeffmark', 'Grüße 👋🏽'])).toEqual([
      ...['one\ntwo\nthree', '\ufeffmark', 'Grüße 👋🏽'],
    ]);
  });

  test('gives no spreadsheet a formula', async () => {
    const formulas = ['=1+1', '+49 170 1', '-5 pieces', '@you', '\t=1', '=HYPERLINK("http://x","y")'];
    formulas.push('＝1+1', '＋49', '－5', '＠you', '"=1"', '"＝1"', '""@you');
    const texts = ['a=b', '"a"=b', '"quoted"'];
    expect(await exported([...formulas, ...texts])).toEqual([
      ...formulas.map((message) => `'${message}`),
      ...texts,
    ]);
  });

  test('has no message that is too long to be read', async () => {
    const [cut = '', whole] = await exported(['👋'.repeat(32_768), 'x'.repeat(32_768)]);
    expect([cut.length <= 32_768, cut.endsWith('👋…'), whole?.length]).toEqual([true, true, 32_768]);
  });

  test('trains a classifier', async () => {
    const app = createPeopleApp();
    const wishes = {
      refund: 'I want my money back for order',
      shipping: 'when does the parcel arrive with number',
      billing: 'there is a mistake in the invoice, "again", =SUM(A1)\nplease check',
    };
    const examples = Object.entries(wishes).flatMap(([intent, text]) =>
      Array.from({ length: 40 }, (_, n) => ({ intent, message: `${text} ${n * 7}` })),
    );
    await addExamples(app, examples);
    const folder = await mkdtemp(join(tmpdir(), 'export-'));
    folders.push(folder);
    await writeFile(join(folder, 'tickets.csv'), await (await app.request(examplesPath, csv)).text());
    const ended = await runToEnd({}, folder, ['train', 'tickets.csv', '--out', 'model.json']);
    expect([ended.code, ended.stderr]).toEqual([0, expect.any(String)]);
    expect(ended.stdout).toMatch(/120/);
  });
});
