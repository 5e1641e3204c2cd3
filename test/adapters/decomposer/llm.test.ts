import { describe, expect, test } from 'vitest';
import { createLlmDecomposer } from '../../../src/adapters/decomposer/llm.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Decompose, Decomposed } from '../../../src/ports/decompose.ts';
import { recordLogs } from '../../support/fakes.ts';
import { type FakeModel, obedientModel } from '../../support/llm/fake-model.ts';
import { recordModelUse } from '../../support/llm/model-places.ts';

const goal = 'Echo hello, then summarise the report.';

type Agents = Parameters<Decompose>[1];

const agents: Agents = [
  { name: 'echo', description: 'Repeats.' },
  { name: 'summary', description: 'Summarises.' },
];

const orderSchema: JsonObject = {
  type: 'object',
  required: ['message', 'order_id'],
  properties: {
    message: { type: 'string' },
    order_id: { type: 'string', pattern: '^[A-Z]-[0-9]+$' },
    express: { type: 'boolean' },
  },
  additionalProperties: false,
};

const orders = {
  name: 'orders',
  description: 'Finds an order.',
  keywords: ['order'],
  inputSchema: orderSchema,
} as const;

const byKeyword: Decomposed = {
  decomposition: 'keyword',
  subtasks: [{ agentName: 'echo', payload: { goal } }],
};

const keyword: Decompose = () => byKeyword;

async function decompose(model: FakeModel, maxSubtasks = 100, listed: Agents = agents) {
  const observer = recordModelUse();
  const logger = recordLogs();
  const decomposer = createLlmDecomposer({ model: model.ask, keyword, logger, observer });
  const context = { signal: new AbortController().signal, maxSubtasks };
  const decomposed = await decomposer(goal, listed, context);
  return { decomposed, observer, logger, again: () => decomposer(goal, listed, context) };
}

const splitting = (...parts: readonly unknown[]) => obedientModel(() => ({ subtasks: parts }));

const part = (agent_name: string, text: string) => ({ agent_name, text });

describe('a goal split by a language model', () => {
  test('goes to registered agents in order, with the payload of the keyword decomposer', async () => {
    const { decomposed, observer } = await decompose(
      splitting(part('summary', 'the report'), part('echo', 'hello')),
    );
    expect(decomposed).toEqual({
      decomposition: 'llm',
      subtasks: [
        { agentName: 'summary', payload: { text: 'the report', message: 'the report', goal } },
        { agentName: 'echo', payload: { text: 'hello', message: 'hello', goal } },
      ],
      unassigned: [],
    });
    expect(observer.costs).toEqual([{ stage: 'decomposer', input: 3, output: 2 }]);
    expect(observer.fallbacks).toEqual([]);
  });

  test('sends each part once', async () => {
    const { decomposed } = await decompose(
      splitting(part('echo', 'a'), part('echo', 'a'), part('summary', 'a')),
    );
    expect(decomposed.subtasks).toHaveLength(2);
  });

  test.each([
    ['names an unknown agent', [part('echo', 'a'), part('root', 'b')]],
    ['names a property of every object', [part('__proto__', 'a')]],
    ['finds nothing', []],
    ['names an agent that the prompt has no place for', [part('last', 'a')]],
    ['makes too many parts', Array.from({ length: 11 }, (_, index) => part('echo', `part ${index}`))],
  ])('is split by keywords when the model %s', async (_name, parts) => {
    const many = Array.from({ length: 126 }, (_, index) => ({ name: `a${index}`, description: 'Works.' }));
    const listed = [...agents, ...many, { name: 'last', description: 'Works.' }];
    const { decomposed, observer } = await decompose(splitting(...parts), 10, listed);
    expect(decomposed).toEqual(byKeyword);
    expect(observer.fallbacks).toEqual([{ stage: 'decomposer', reason: 'bad_plan' }]);
  });

  test.each([
    ['makes a thousand parts', Array.from({ length: 1_000 }, (_, index) => part('echo', `part ${index}`))],
    ['makes an empty part', [part('echo', ' \n ')]],
    ['makes a part longer than a message', [part('echo', 'x'.repeat(32_769))]],
    ['adds a payload', [{ agent_name: 'echo', text: 'a', payload: { admin: true } }]],
    ['states an input that is no text', [{ agent_name: 'echo', text: 'a', input: { admin: true } }]],
  ])('is split by keywords when the model %s', async (_name, parts) => {
    const { decomposed, observer } = await decompose(splitting(...parts), 10_000);
    expect(decomposed).toEqual(byKeyword);
    expect(observer.fallbacks).toEqual([{ stage: 'decomposer', reason: 'bad_reply' }]);
  });

  test('is not sent to the model without agents', async () => {
    const model = splitting(part('echo', 'a'));
    const { decomposed } = await decompose(model, 100, []);
    expect(decomposed).toEqual(byKeyword);
    expect(model.requests).toEqual([]);
  });

  test('is sent to the model as data, and no word of it is among the instructions', async () => {
    const model = splitting(part('echo', 'a'));
    await decompose(model);
    expect(model.requests[0]?.data).toEqual({ goal });
    expect(model.requests[0]?.instructions).not.toContain('hello');
  });
});

/** The payload of a part for the agent of orders, with that input, or how the goal was split instead. */
async function inputOf(input: unknown, inputSchema: JsonObject | null = orderSchema): Promise<unknown> {
  const model = splitting({ agent_name: 'orders', text: 'my order', input });
  const { decomposed, observer } = await decompose(model, 100, [{ ...orders, inputSchema }]);
  if (decomposed.decomposition === 'llm') return decomposed.subtasks[0]?.payload;
  expect(decomposed).toEqual(byKeyword);
  return observer.fallbacks[0]?.reason;
}

const own = { text: 'my order', message: 'my order', goal };

describe('an input that a language model fills in', () => {
  test('is added to the payload of an agent with a schema', async () => {
    expect(await inputOf('{"order_id":"A-7","express":true}')).toEqual({
      ...own,
      order_id: 'A-7',
      express: true,
    });
  });

  test.each([
    ['lacks a member', '{"express":true}'],
    ['has a member of another type', '{"order_id":7}'],
    ['does not match a pattern', '{"order_id":"seven"}'],
    ['has a member that the schema forbids', '{"order_id":"A-7","admin":true}'],
    ['has a text that the schema forbids', '{"order_id":"A-7","text":"x"}'],
    ['is no JSON', 'order_id: A-7'],
    ['is a list', '["A-7"]'],
    ['is too large', JSON.stringify({ order_id: `A-${'7'.repeat(20_000)}` })],
    ['is null, while the schema demands a member', null],
  ])('that %s has the goal split by keywords', async (_name, input) => {
    expect(await inputOf(input)).toBe('bad_plan');
  });

  test('replaces neither the part nor the goal', async () => {
    const { additionalProperties, ...open } = orderSchema;
    expect(additionalProperties).toBe(false);
    const stated = { order_id: 'A-7', text: 'evil', message: 'evil', goal: 'evil' };
    expect(await inputOf(JSON.stringify(stated), open)).toEqual({ ...own, order_id: 'A-7' });
  });

  test('is checked as it is sent', async () => {
    expect(await inputOf('{"text":7}', { additionalProperties: { type: 'string' } })).toEqual(own);
    expect(await inputOf('{"text":"7"}', { patternProperties: { '^t': { const: '7' } } })).toBe('bad_plan');
  });

  test('may be null or absent where the schema demands nothing', async () => {
    const schema = { properties: { order_id: { type: 'string' } } };
    expect(await inputOf(null, schema)).toEqual(own);
    expect(await inputOf(undefined, schema)).toEqual(own);
  });

  test('is not used for an agent without a schema', async () => {
    expect(await inputOf('{"order_id":"A-7"}', null)).toEqual(own);
    expect(await inputOf('no JSON', null)).toEqual(own);
  });

  test('is data, whatever its members are called', async () => {
    const payload = await inputOf('{"__proto__":{"admin":true},"constructor":1}', { type: 'object' });
    expect(JSON.stringify(payload)).toBe(
      JSON.stringify({ ...own, ['__proto__']: { admin: true }, constructor: 1 }),
    );
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });

  test('tells parts of one text for one agent apart', async () => {
    const both = ['A-7', 'B-8', 'A-7'].map((order_id) => ({
      agent_name: 'orders',
      text: 'my orders',
      input: JSON.stringify({ order_id }),
    }));
    const { decomposed } = await decompose(splitting(...both), 100, [orders]);
    expect(decomposed.subtasks.map(({ payload }) => payload['order_id'])).toEqual(['A-7', 'B-8']);
  });
});

/** The parts that no agent takes, for a reply with these parts and a subtask. */
async function unassignedOf(...unassigned: readonly unknown[]): Promise<unknown> {
  const model = obedientModel(() => ({ subtasks: [part('echo', 'hello')], unassigned }));
  const { decomposed } = await decompose(model);
  return decomposed.decomposition === 'llm' ? decomposed.unassigned : decomposed.decomposition;
}

describe('what a language model says that no agent can do', () => {
  test('is told, each part once and in its order', async () => {
    expect(await unassignedOf('summarise the report', ' echo HELLO ', 'summarise the report')).toEqual([
      'summarise the report',
      'echo HELLO',
    ]);
  });

  test('is left out where fewer than four fifths of its words stand in the goal', async () => {
    expect(await unassignedOf('then summarise the report now', 'summarise the report now')).toEqual([
      'then summarise the report now',
    ]);
    expect(await unassignedOf('', ' .!? ', 'instructions')).toEqual([]);
  });

  test('is at most 50 parts of at most 2,000 characters', async () => {
    const parts = Array.from({ length: 60 }, (_, index) => 'hello '.repeat(400 + index));
    const told = await unassignedOf(...parts.map((text, index) => `${'then '.repeat(index)}${text}`));
    expect(told).toHaveLength(50);
    expect((told as readonly string[]).every((text) => text.length <= 2_000)).toBe(true);
  });

  test('may be the complete goal', async () => {
    const { decomposed, observer } = await decompose(
      obedientModel(() => ({ subtasks: [], unassigned: [goal] })),
    );
    expect(decomposed).toEqual({ decomposition: 'llm', subtasks: [], unassigned: [goal] });
    expect(observer.fallbacks).toEqual([]);
  });

  test('does not count without a subtask where it is none of the goal', async () => {
    const { decomposed, observer } = await decompose(
      obedientModel(() => ({ subtasks: [], unassigned: ['paint it'] })),
    );
    expect(decomposed).toEqual(byKeyword);
    expect(observer.fallbacks).toEqual([{ stage: 'decomposer', reason: 'bad_plan' }]);
  });
});

/** The list of agents in the instructions of a model, and the log. */
async function listOf(listed: Agents) {
  const model = splitting(part(listed[0]?.name ?? '', 'hello'));
  const { logger, again } = await decompose(model, 100, listed);
  await again();
  const text = model.requests[0]?.instructions.split('\n')[1] ?? '';
  return { text, listed: JSON.parse(text), logger };
}

describe('the prompt of the decomposer', () => {
  test('is the one that is written down', async () => {
    const model = splitting(part('echo', 'hello'));
    await decompose(model, 100, [
      { name: 'echo', description: 'Repeats.' },
      { name: 'summary', description: 'Summarises.\nIn short.', keywords: ['summarise', 'gist'] },
      orders,
    ]);
    await expect(model.requests[0]?.instructions).toMatchFileSnapshot('golden/instructions.txt');
  });

  test('lists at most 128 agents, with 16 keywords each', async () => {
    const keywords = Array.from({ length: 20 }, (_, index) => `w${index}`);
    const many = Array.from({ length: 130 }, (_, index) => ({
      name: `a${index}`,
      description: 'Works.',
      keywords,
    }));
    const { listed } = await listOf(many);
    expect(listed).toHaveLength(128);
    expect(listed[0]).toEqual({ name: 'a0', description: 'Works.', keywords: keywords.slice(0, 16) });
  });

  test('has at most 32,000 characters of agents: schemas are left out first, then keywords, then agents', async () => {
    const inputSchema = { type: 'object', description: 'x'.repeat(1_900) };
    const create = (count: number, description: string) =>
      Array.from({ length: count }, (_, index) => ({
        name: `a${index}`,
        description,
        keywords: ['k'.repeat(200)],
        inputSchema,
      }));
    const few = await listOf(create(20, 'Works.'));
    expect(few.text.length).toBeLessThanOrEqual(32_000);
    expect(few.listed).toHaveLength(20);
    expect(few.listed.at(-1)).toEqual({ name: 'a19', description: 'Works.', keywords: ['k'.repeat(200)] });
    expect(few.listed[0].input_schema).toEqual(inputSchema);
    const more = await listOf(create(100, 'y'.repeat(290)));
    expect(more.text.length).toBeLessThanOrEqual(32_000);
    expect(more.listed).toHaveLength(99);
    expect(more.listed.at(-1)).not.toHaveProperty('keywords');
  });

  test('cuts a long description', async () => {
    const { listed } = await listOf([{ name: 'a', description: 'y'.repeat(40_000) }]);
    expect(listed[0].description).toHaveLength(1_000);
  });

  test.each([
    ['is too long', { description: 'x'.repeat(2_000) }, 'it has more than 2000 characters'],
    ['is too large to be read', { description: 'x'.repeat(20_000) }, 'it is not valid: is larger than'],
    ['is not valid', { type: 'anything' }, 'it is not valid: /type'],
  ])('leaves out a schema that %s, and says so once in the log', async (_name, inputSchema, reason) => {
    const { listed, logger } = await listOf([{ ...orders, inputSchema }]);
    expect(listed).toEqual([{ name: 'orders', description: 'Finds an order.', keywords: ['order'] }]);
    const told = logger.lines.filter(({ message }) => String(message).includes('input schema'));
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).toContain(reason);
  });
});
