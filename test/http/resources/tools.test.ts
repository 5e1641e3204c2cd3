import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { Tool, ToolContext } from '../../../src/ports/tool.ts';
import { createTestApp, expectError, jsonOf } from '../../support/http/app.ts';

function probe(execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  return {
    name: 'probe',
    description: 'A tool under test',
    input: z.object({ n: z.number() }),
    execute,
    ...more,
  };
}

const notThere: Tool = probe(
  () => {
    throw new ToolError('order 7 not found', { notFound: true });
  },
  { name: 'not_there' },
);

describe('POST /tools/{name}/call', () => {
  test('calls the tool once and returns the outcome, with the members of a tool call in a trace', async () => {
    const contexts: ToolContext[] = [];
    const tool = probe((input, context) => {
      contexts.push(context);
      return { got: input as never };
    });
    const { post } = createTestApp({ tools: [tool] });
    const response = await post('/tools/probe/call', { input: { n: 1 }, idempotency_key: 'try-1' });
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toEqual({
      tool_name: 'probe',
      input: { n: 1 },
      output: { got: { n: 1 } },
      status: 'success',
      attempts: 1,
      error: null,
      not_found: false,
      duration_ms: 0,
    });
    expect(contexts).toMatchObject([{ idempotencyKey: 'try-1', customerId: null, message: null }]);
  });

  test('answers 200 to a call that fails, with the text that is safe to show', async () => {
    const tool = probe(() => Promise.reject(new ToolError('closed on Sundays', { permanent: true })));
    const { post } = createTestApp({ tools: [tool] });
    const response = await post('/tools/probe/call', { input: { n: 1 } });
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toMatchObject({
      status: 'error',
      output: null,
      attempts: 1,
      error: 'closed on Sundays',
      not_found: false,
    });
  });

  test('says that nothing was found', async () => {
    const { post } = createTestApp({ tools: [notThere] });
    expect(await jsonOf(await post('/tools/not_there/call', { input: { n: 1 } }))).toMatchObject({
      status: 'error',
      error: 'order 7 not found',
      not_found: true,
    });
  });

  test('answers 200 to an input that the schema of the tool refuses, and does not call it', async () => {
    const { post } = createTestApp({ tools: [probe(() => expect.fail('was called'))] });
    const response = await post('/tools/probe/call', { input: { n: 'one' } });
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toMatchObject({
      status: 'error',
      attempts: 0,
      output: null,
      error: expect.stringMatching(/^invalid input: n: /),
    });
  });

  test.each(['nothing', 'constructor', '__proto__', 'a%2Fb'])('answers 404 to the tool %s', async (name) => {
    const { post } = createTestApp();
    const detail = `tool ${JSON.stringify(decodeURIComponent(name))} not found`;
    await expectError(await post(`/tools/${name}/call`, { input: {} }), 404, detail);
  });

  test.each([
    [{}, 'input: must be an object'],
    [{ input: [] }, 'input: must be an object'],
    [{ input: {}, idempotency_key: '' }, 'idempotency_key: must be 1 to 255 visible ASCII characters'],
    [{ input: {}, idempotency_key: 'a\r\nb' }, 'idempotency_key: must be 1 to 255 visible ASCII characters'],
    [{ input: {}, idempotency_key: 'ä' }, 'idempotency_key: must be 1 to 255 visible ASCII characters'],
    [{ input: {}, idempotency_key: 1 }, 'idempotency_key: must be a string'],
    [[], 'body: must be an object'],
    ['{', /^body: /],
  ])('answers 422 to the body %j', async (body, detail) => {
    const { post } = createTestApp();
    await expectError(await post('/tools/lookup/call', body), 422, detail);
  });
});

describe('GET /tools', () => {
  test('lists tools with types that JSON Schema cannot express', async () => {
    const odd = probe(() => ({}), {
      input: z.object({ at: z.coerce.date(), n: z.number() }),
      output: z.object({ at: z.date(), big: z.bigint(), text: z.string().transform(Number) }),
    });
    const { request } = createTestApp({ tools: [odd] });
    const response = await request('/tools');
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toMatchObject({
      tools: [
        {
          input_schema: { properties: { at: {}, n: { type: 'number' } } },
          output_schema: { properties: { at: {}, big: {}, text: {} } },
        },
      ],
    });
  });
});

describe('GET /tools?include=…', () => {
  const described = async (query: string) => {
    const { request, post } = createTestApp({
      tools: [probe(() => ({}), { effect: 'write' }), notThere],
    });
    for (const n of [1, 'two']) await post('/tools/probe/call', { input: { n } });
    await post('/tools/not_there/call', { input: { n: 1 } });
    const { tools } = await jsonOf<{ tools: object[] }>(await request(`/tools${query}`));
    return tools;
  };

  test('adds what is asked for, and nothing else', async () => {
    const base = ['name', 'description', 'input_schema'];
    const keys = async (query: string) => (await described(query)).map((tool) => Object.keys(tool));
    expect(await keys('')).toEqual([base, base]);
    expect(await keys('?include=source')).toEqual(Array(2).fill([...base, 'source']));
    expect(await keys('?include=effect,stats')).toEqual(Array(2).fill([...base, 'effect', 'stats']));
  });

  test('names the effect, who registered the tool, and how its calls ended', async () => {
    expect(await described('?include=effect,source,stats')).toMatchObject([
      {
        name: 'probe',
        effect: 'write',
        source: 'code',
        stats: { success: 1, error: 1, not_found: 0, mean_duration_ms: 0 },
      },
      {
        name: 'not_there',
        effect: 'read',
        source: 'code',
        stats: { success: 0, error: 0, not_found: 1, mean_duration_ms: 0 },
      },
    ]);
  });

  test('names example tools as such, without a mean before the first call', async () => {
    const { request, orchestrator } = createTestApp({ tools: [] });
    for (const tool of exampleTools) orchestrator.tools.register(tool, 'example');
    const { tools } = await jsonOf<{ tools: object[] }>(await request('/tools?include=source,stats'));
    const stats = { success: 0, error: 0, not_found: 0, mean_duration_ms: null };
    expect(tools).toMatchObject(Array(3).fill({ source: 'example', stats }));
  });

  test.each([
    ['include=', 'include: must be a list of effect, source, stats'],
    ['include=effect,', 'include: must be a list of effect, source, stats'],
    ['include=secrets', 'include: must be a list of effect, source, stats'],
    ['include=effect&include=stats', 'include: must be given once'],
  ])('answers 422 to ?%s', async (query, detail) => {
    const { request } = createTestApp();
    await expectError(await request(`/tools?${query}`), 422, detail);
  });
});
