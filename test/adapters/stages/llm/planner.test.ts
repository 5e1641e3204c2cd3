import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { PlaybookDefinition } from '../../../../src/adapters/playbook/definition.ts';
import type { Tool } from '../../../../src/ports/tool.ts';
import { assessed, type FakeModel, modelWith } from '../../../support/llm/fake-model.ts';
import { spyTool } from '../../../support/llm/model-places.ts';
import { llmRig } from './llm-rig.ts';

/** An office with tools for all messages, and with intents that call some of their own. */
const office: PlaybookDefinition = {
  company: { name: 'Rosen Office', languages: ['en'] },
  message_tools: ['lookup', 'pay_out', 'undeclared', 'strange'],
  intents: [
    {
      name: 'billing',
      description: 'Asks about an invoice.',
      examples: ['Where is my invoice?', 'Invoice 7, please', 'I need an invoice'],
      replies: { en: 'It is on its way.' },
    },
    {
      name: 'payout',
      description: 'Wants a deposit back.',
      examples: ['Please pay my deposit back', 'Where is my deposit?', 'deposit please'],
      tool: { name: 'pay_out', input: { amount: 5 } },
      replies: { en: 'It is paid.' },
    },
    {
      name: 'visit',
      description: 'Asks for a visit.',
      examples: ['When can I visit you?', 'May I come on Monday?', 'visit please'],
      tools: [
        { name: 'free_rooms', input: { city: 'Bonn' } },
        { name: 'directions', input: {} },
        { name: 'remind', input: { city: 'Bonn' } },
      ],
      replies: { en: 'You are welcome.' },
    },
    {
      name: 'complaint',
      description: 'Complains about an employee.',
      examples: ['Your employee was rude', 'I complain about your employee', 'rude people'],
      handover: 'always',
    },
  ],
};

const lookup = spyTool('lookup', 'read', z.object({ id: z.string().min(1), limit: z.number().optional() }));
const payOut = spyTool('pay_out', 'write', z.object({ amount: z.number() }));

const tools: readonly Tool[] = [
  ...[lookup, payOut, spyTool('undeclared', undefined)],
  spyTool('strange', 'read', z.object({ at: z.date().optional() })),
  spyTool('free_rooms', undefined, z.object({ city: z.string(), day: z.number().optional() })),
  spyTool('directions', 'read', z.object({})),
  spyTool('remind', 'idempotent', z.object({ city: z.string(), day: z.number().optional() })),
  spyTool('elsewhere', 'read', z.object({ secret: z.string() })),
];

/** A call as a model proposes it, with its input as text. */
function call(tool_name: string, input: unknown) {
  return { tool_name, input: typeof input === 'string' ? input : JSON.stringify(input) };
}

interface Asked {
  readonly intent?: string;
  readonly message?: string;
  readonly tools?: readonly Tool[];
  readonly stages?: readonly ('classifier' | 'planner')[];
  readonly more?: Parameters<typeof assessed>[1];
}

/** The plan for a message, and the model that proposed these calls for it. */
async function plan(calls: readonly unknown[], asked: Asked = {}) {
  const { intent = 'billing', message = 'I look for invoice 7', stages = ['classifier', 'planner'] } = asked;
  const reply = assessed(intent, { ...asked.more, tool_calls: JSON.parse(JSON.stringify(calls)) });
  const model = modelWith({ classifier: reply, planner: reply });
  const rig = llmRig(model, { playbook: office, tools: asked.tools ?? tools, stages });
  const decided = await rig.run(message);
  return { ...decided.plan, model, observer: rig.observer };
}

const purposes = ({ requests }: FakeModel) => requests.map(({ purpose }) => purpose);

const seven = { toolName: 'lookup', input: { id: '7' } };
const paid = { toolName: 'pay_out', input: { amount: 5 } };
const deposit = { intent: 'payout', message: 'Please pay my deposit back' };
const visit = { intent: 'visit', message: 'When can I visit you?' };
const directions = { toolName: 'directions', input: {} };
const reminder = { toolName: 'remind', input: { city: 'Bonn' } };
const rooms = { toolName: 'free_rooms', input: { city: 'Bonn' } };

describe('a plan of a language model', () => {
  test('is proposed in its first reply, and accepted when it calls reading tools with valid input', async () => {
    const decided = await plan([call('lookup', { id: '7' }), call('lookup', { id: '8', limit: 2 })]);
    expect(decided).toMatchObject({
      source: 'llm',
      value: { toolCalls: [seven, { toolName: 'lookup', input: { id: '8', limit: 2 } }] },
      data: { intent: 'billing', tools: ['lookup', 'lookup'] },
    });
    expect(purposes(decided.model)).toEqual(['classifier']);
    expect(decided.data['calls']).toBeUndefined();
  });

  test('is asked for in a call of its own where only the planner uses the model', async () => {
    const decided = await plan([call('lookup', { id: '7' })], { stages: ['planner'] });
    expect(decided).toMatchObject({ source: 'llm', value: { toolCalls: [seven] }, data: { calls: 1 } });
    expect(purposes(decided.model)).toEqual(['planner']);
  });

  test('is not used where only the classifier uses the model', async () => {
    const decided = await plan([call('lookup', { id: '7' })], { stages: ['classifier'] });
    expect(decided).toMatchObject({ source: 'deterministic', value: { toolCalls: [] } });
    expect(decided.model.requests[0]?.instructions).not.toContain('"lookup"');
  });

  test.each([
    ['an object', { id: '7' }],
    ['JSON text', '{"id":"7"}'],
    ['null where a member is left out', { id: '7', limit: null }],
  ])('may have an input as %s', async (_name, input) => {
    const decided = await plan([{ tool_name: 'lookup', input }]);
    expect(decided).toMatchObject({ source: 'llm', value: { toolCalls: [seven] } });
  });

  test('may call nothing', async () => {
    expect(await plan([])).toMatchObject({ source: 'llm', value: { toolCalls: [] } });
  });

  test('calls each tool once with the same input', async () => {
    const decided = await plan(Array.from({ length: 8 }, () => call('lookup', { id: '7' })));
    expect(decided.value.toolCalls).toEqual([seven]);
  });

  const refused = [
    ['an unknown tool', call('wipe', {})],
    ['a tool that the playbook does not give to the message', call('elsewhere', { secret: '7' })],
    ['a tool of another intent that may write', call('remind', { city: 'Bonn' })],
    ['a property name of every object', call('constructor', {})],
    ['a tool that writes', call('pay_out', { amount: 5 })],
    ['a tool without an effect', call('undeclared', {})],
    ['no name of a tool', { input: {} }],
    ['invalid input', call('lookup', { id: '' })],
    ['input of another type', call('lookup', '["7"]')],
    ['input that is not JSON', call('lookup', 'id 7')],
    ['input that is empty', call('lookup', '')],
    ['input with numbers that are not finite', call('lookup', '{"id":"7","limit":1e999}')],
    ['input that is nested too deeply', call('lookup', `{"id":"7","x":${'['.repeat(70)}${']'.repeat(70)}}`)],
    ['input that is too large', call('lookup', { id: 'x'.repeat(20_000) })],
  ] as const;

  test.each(refused)('is rejected as a whole with %s', async (_name, bad) => {
    const decided = await plan([call('lookup', { id: '7' }), bad]);
    expect(decided).toMatchObject({
      source: 'fallback',
      value: { toolCalls: [] },
      data: { reason: 'bad_plan' },
    });
    expect(decided.observer.fallbacks).toEqual([{ stage: 'planner', reason: 'bad_plan' }]);
  });

  test.each(refused.slice(0, 2))('that is rejected leaves the calls of the rules: %s', async (_name, bad) => {
    const decided = await plan([bad], visit);
    expect(decided).toMatchObject({
      source: 'fallback',
      value: { toolCalls: [rooms, directions, reminder] },
    });
  });

  test('is rejected when it has too many calls', async () => {
    const calls = Array.from({ length: 9 }, (_, id) => call('lookup', { id: String(id) }));
    expect(await plan(calls)).toMatchObject({
      source: 'fallback',
      value: { toolCalls: [] },
      data: { reason: 'bad_plan' },
    });
  });

  test('is rejected when it has too many calls together with those of the rules', async () => {
    const calls = Array.from({ length: 6 }, (_, id) => call('lookup', { id: String(id) }));
    const decided = await plan(calls, visit);
    expect(decided).toMatchObject({
      source: 'fallback',
      value: { toolCalls: [rooms, directions, reminder] },
    });
  });

  test('keeps the calls of the rules that are complete, whatever it proposes', async () => {
    const nothing = await plan([], visit);
    expect(nothing).toMatchObject({
      source: 'llm',
      value: { toolCalls: [rooms, directions, reminder] },
    });
    const more = await plan([call('lookup', { id: '7' })], visit);
    expect(more.value.toolCalls).toEqual([rooms, directions, reminder, seven]);
  });

  test('may call a writing tool only exactly as the rules do', async () => {
    const same = await plan([call('lookup', { id: '7' }), call('pay_out', { amount: 5 })], deposit);
    expect(same.source).toBe('llm');
    expect(same.value.toolCalls).toEqual([seven, paid]);
    for (const input of [{ amount: 500 }, { amount: 5, to: 'me' }]) {
      const other = await plan([call('pay_out', input)], deposit);
      expect(other).toMatchObject({ source: 'fallback', value: { toolCalls: [paid] } });
    }
    const reminded = await plan([call('remind', { day: 2 })], visit);
    expect(reminded).toMatchObject({
      source: 'fallback',
      value: { toolCalls: [rooms, directions, reminder] },
    });
  });

  test('may fill in what the rules leave open in the input of a tool that does not write', async () => {
    const decided = await plan([call('free_rooms', { day: 2, city: 'Rome' })], visit);
    expect(decided.source).toBe('llm');
    expect(decided.value.toolCalls).toEqual([
      directions,
      reminder,
      { toolName: 'free_rooms', input: { city: 'Bonn', day: 2 } },
    ]);
  });

  test.each([
    ['spam', 'spam', {}],
    ['somebody who asks for a person', 'human_agent', {}],
    ['an intent that always goes to a person', 'complaint', {}],
    ['a concern', 'billing', { concerns: [{ name: 'legal', words: 'invoice' }] }],
  ])('is not used where no tool can help: %s', async (_name, intent, more) => {
    const decided = await plan([call('lookup', { id: '7' })], { intent, more });
    expect(decided).toMatchObject({ source: 'deterministic', value: { toolCalls: [] } });
  });

  test.each([
    ['thanks', 'Thank you very much!'],
    ['a greeting', 'Good morning'],
    ['an automatic reply', 'I am out of the office until Monday. This is an automatic reply.'],
    ['an unmistakable concern', 'My lawyer will sue you because of invoice 7.'],
  ])('is not requested for %s', async (_name, message) => {
    const decided = await plan([call('lookup', { id: '7' })], { message, stages: ['planner'] });
    expect(decided).toMatchObject({ source: 'deterministic', value: { toolCalls: [] } });
    expect(decided.model.requests).toEqual([]);
  });

  test('falls back to no call where the tool of the rules is not registered', async () => {
    const decided = await plan([call('pay_out', { amount: 5 })], { ...deposit, tools: [lookup] });
    expect(decided).toMatchObject({ source: 'fallback', value: { toolCalls: [] } });
  });

  test('of the rules says why where the model did not judge the message', async () => {
    const model = modelWith({ classifier: { intent: 'boredom' } });
    const rig = llmRig(model, { playbook: office, tools, stages: ['classifier', 'planner'] });
    const { plan: decided } = await rig.run(visit.message);
    expect(decided).toMatchObject({
      source: 'fallback',
      value: { toolCalls: [rooms, directions, reminder] },
      data: { reason: 'bad_reply' },
    });
    expect(rig.observer.fallbacks).toEqual([{ stage: 'classifier', reason: 'bad_reply' }]);
  });
});

/** The tools that instructions list, by their names. */
function listed(model: FakeModel): Readonly<Record<string, unknown>> {
  const line =
    model.requests[0]?.instructions.split('\n').find((text) => text.startsWith('[{"name"')) ?? '[]';
  const all = JSON.parse(line) as readonly { readonly name: string; readonly input_schema: unknown }[];
  return Object.fromEntries(all.map(({ name, input_schema }) => [name, input_schema]));
}

describe('the tools in the instructions of a language model', () => {
  test('are those of all intents in which something is open, and those of all messages', async () => {
    const { model } = await plan([]);
    expect(listed(model)).toMatchObject({
      lookup: { properties: { id: { type: 'string', minLength: 1 }, limit: { type: 'number' } } },
      strange: {},
      free_rooms: { properties: { day: { type: 'number' } }, required: [], additionalProperties: false },
    });
    expect(JSON.stringify(listed(model))).not.toContain('city');
  });

  test.each(['directions', 'pay_out', 'remind', 'elsewhere', 'undeclared'])(
    'lack what writes, what has nothing open, and what no message gets: %s',
    async (name) => {
      for (const asked of [{}, visit, deposit]) {
        const { model } = await plan([], asked);
        expect(listed(model)).not.toHaveProperty(name);
        expect(model.requests[0]?.instructions).not.toContain(`"${name}"`);
      }
    },
  );

  test('are the same for all messages, which are data', async () => {
    const first = await plan([]);
    const second = await plan([], visit);
    expect(second.model.requests[0]?.instructions).toBe(first.model.requests[0]?.instructions);
    expect(first.model.requests[0]?.instructions).not.toContain('look for invoice');
    expect(first.model.requests[0]?.data).toMatchObject({ message: 'I look for invoice 7', language: 'en' });
  });

  test('are those that are registered', async () => {
    const { model } = await plan([], { tools: [payOut] });
    expect(listed(model)).toEqual({});
    expect(model.requests[0]?.instructions).toContain('"tool_calls" is empty.');
  });
});
