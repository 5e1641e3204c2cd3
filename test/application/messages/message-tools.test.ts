import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createPlaybook } from '../../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../../src/adapters/playbook-context.ts';
import { playbookPorts } from '../../../src/adapters/playbook-ports.ts';
import { createAssessorFor } from '../../../src/adapters/rule-based.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createLlmStages } from '../../../src/adapters/stages/llm/stages.ts';
import { createStagesOf } from '../../../src/adapters/stages/rule-based.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createOrchestrator, type Orchestrator } from '../../../src/application/orchestrator.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import { type Playbook, reachableTools } from '../../../src/domain/playbook/playbook.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Stages } from '../../../src/ports/stages.ts';
import type { Tool } from '../../../src/ports/tool.ts';
import { recordLogs } from '../../support/fakes.ts';
import {
  type AskedRequest,
  assessed,
  type FakeModel,
  fits,
  obedientModel,
} from '../../support/llm/fake-model.ts';
import { recordModelUse } from '../../support/llm/model-places.ts';
import { decided } from '../../support/stages.ts';

/** A hotel: one intent with a tool, one with two, one with a fixed text, and a tool for every message. */
const { playbook: hotel } = createPlaybook(
  {
    example_tools: true,
    message_tools: ['hotel_news'],
    intents: [
      {
        name: 'breakfast',
        description: 'Asks when there is breakfast.',
        examples: ['When is breakfast?', 'From when on can we have breakfast?', 'Is breakfast included?'],
        tool: { name: 'breakfast_times' },
        replies: { en: 'Breakfast is at {{ tool.from }}.' },
      },
      {
        name: 'transfer',
        description: 'Asks for the bus to the airport.',
        examples: [
          'Is there a bus to the airport?',
          'How do we get to the airport?',
          'airport shuttle please',
        ],
        tools: [{ name: 'bus_times' }, { name: 'bus_fares', input: { from: 'hotel' } }],
        replies: { en: 'The bus leaves at {{ tool.leaves }} and costs {{ tool.fare }}.' },
      },
      {
        name: 'parking',
        description: 'Asks where to park.',
        examples: ['Where can we park the car?', 'Do you have a garage?', 'parking space for our car'],
        replies: { en: 'Please park behind the house.' },
      },
    ],
  },
  playbookContext('fault', {}),
);

const guests = 'Ada Lovelace, room 12; Alan Turing, room 14';

/** All tools that are registered, with the names of those that were called. */
function registered() {
  const calls: string[] = [];
  const tool = (name: string, output: JsonObject, effect: Tool['effect'] = 'read'): Tool => ({
    name,
    description: `The tool ${name}.`,
    effect,
    input: z.object({}).loose(),
    execute() {
      calls.push(name);
      return output;
    },
  });
  const tools = [
    tool('breakfast_times', { from: '7:00' }),
    tool('bus_times', { leaves: '9:15' }),
    tool('bus_fares', { fare: '4 euros' }),
    tool('hotel_news', { news: 'The pool is open.' }),
    // Of a nightly workflow.
    tool('list_arrivals', { guests }),
    tool('close_day', { closed: true }, 'write'),
    ...exampleTools,
  ];
  return { calls, tools };
}

/** The names of the tools in a prompt. */
const toolsIn = (prompt: string): readonly string[] =>
  [...prompt.matchAll(/"name":"([a-z_]+)","description"/g)].flatMap(([, name]) => name ?? []);

/** A model that plans all of these tools, and tells everything that a tool brought. */
function hostileModel(intent: string, plan: (request: AskedRequest) => readonly string[]): FakeModel {
  return obedientModel((request) => {
    switch (request.purpose) {
      case 'classifier':
      case 'planner':
        return assessed(intent, { tool_calls: plan(request).map((tool_name) => ({ tool_name, input: {} })) });
      case 'verifier':
        return fits;
      default:
        return { reply: `This is what we know: ${JSON.stringify(request.data)}`, used: [], left_open: [] };
    }
  });
}

interface SetUp {
  readonly orchestrator: Orchestrator;
  readonly calls: readonly string[];
}

function setUp(playbook: Playbook, model?: FakeModel, planner?: Stages['plan']): SetUp {
  const { calls, tools } = registered();
  const assessor = createAssessorFor({ playbook });
  const rules = createStagesOf(assessor, 0.45);
  const stages =
    model === undefined
      ? rules
      : createLlmStages({
          findArticles: () => [],
          model: model.ask,
          assessor,
          rules,
          logger: recordLogs(),
          observer: recordModelUse(),
          enabled: new Set(['classifier', 'planner', 'verifier', 'responder']),
          tools: () => orchestrator.tools.list(),
          clock: systemClock,
        });
  const orchestrator = createOrchestrator(
    defaultPorts({
      ...playbookPorts({ playbook, classifier: undefined }),
      stages: planner === undefined ? stages : { ...stages, plan: planner },
    }),
  );
  for (const tool of tools) orchestrator.tools.register(tool);
  return { orchestrator, calls };
}

const message = { source: 'chat', customerId: 'stranger' };

/** All ways of asking: what was replied, or is a draft. */
const ways: Readonly<Record<string, (orchestrator: Orchestrator, text: string) => Promise<unknown>>> = {
  'a message': ({ messages }, text) => messages.process({ ...message, message: text }),
  'a batch': ({ messages }, text) =>
    messages.processBatch([
      { ...message, message: text },
      { ...message, message: `${text} Please.` },
    ]),
  'a draft': ({ messages }, text) => messages.process({ ...message, message: text, draft: true }),
  async 'a conversation'({ messages }, text) {
    const first = await messages.process({ ...message, conversationId: 'c-1', message: 'Hello there' });
    const second = await messages.process({ ...message, conversationId: 'c-1', message: text });
    return [
      first,
      second,
      await messages.process({ ...message, conversationId: 'c-1', message: `${text} And tomorrow?` }),
    ];
  },
  'a routed goal': ({ agents }, text) =>
    agents.route({ goal: text, subtasks: [{ agentName: 'support_pipeline', payload: { message: text } }] }),
  async 'a step of a workflow'({ workflows }, text) {
    const step = { id: 'a', kind: 'agent' as const, agentName: 'support_pipeline' };
    const { id } = await workflows.create({
      name: 'support',
      steps: [{ ...step, staticInput: { message: text } }],
    });
    return workflows.run(id, { input: {} });
  },
  'an evaluation': ({ evaluation }, text) =>
    evaluation.run({ tickets: [{ message: text, expectedIntent: 'breakfast' }] }),
};

const texts = {
  breakfast: 'When is breakfast?',
  transfer: 'Is there a bus to the airport?',
  parking: 'Where can we park the car?',
} as const;

const given = {
  breakfast: ['breakfast_times', 'hotel_news'],
  transfer: ['bus_times', 'bus_fares', 'hotel_news'],
  parking: ['hotel_news'],
} as const;

const cases = Object.keys(ways).flatMap((way) =>
  (Object.keys(texts) as (keyof typeof texts)[]).map((intent) => [way, intent] as const),
);

describe.each(cases)('%s about %s', (way, intent) => {
  const ask = (orchestrator: Orchestrator) => ways[way]?.(orchestrator, texts[intent]);

  test('reaches only the tools of its intent by the rules', async () => {
    const { orchestrator, calls } = setUp(hotel);
    const answer = await ask(orchestrator);
    expect(given[intent]).toEqual(expect.arrayContaining([...new Set(calls)]));
    expect(JSON.stringify(answer)).not.toContain('Lovelace');
    await orchestrator.close();
  });

  test('reaches no other tool by a model that plans every registered tool', async () => {
    const model = hostileModel(intent, () => registered().tools.map(({ name }) => name));
    const { orchestrator, calls } = setUp(hotel, model);
    const answer = await ask(orchestrator);
    expect(given[intent]).toEqual(expect.arrayContaining([...new Set(calls)]));
    expect(JSON.stringify(answer)).not.toContain('Lovelace');
    await orchestrator.close();
  });

  test('reaches what the playbook gives it, which alone is in the prompt', async () => {
    const model = hostileModel(intent, ({ instructions }) => toolsIn(instructions));
    const { orchestrator, calls } = setUp(hotel, model);
    expect(JSON.stringify(await ask(orchestrator))).not.toContain('Lovelace');
    expect(new Set(calls)).toEqual(new Set(given[intent]));
    const prompts = JSON.stringify(model.requests.map(({ instructions, data }) => [instructions, data]));
    for (const hidden of ['list_arrivals', 'close_day', ...exampleTools.map(({ name }) => name)]) {
      expect(prompts).not.toContain(hidden);
    }
    await orchestrator.close();
  });
});

describe('a plan of stages of an embedder', () => {
  const planning =
    (...names: readonly string[]): Stages['plan'] =>
    () =>
      decided({ toolCalls: names.map((toolName) => ({ toolName, input: {} })) });
  const ask = async (
    plan: Stages['plan'],
    text: string,
  ): Promise<{ trace: Trace; calls: readonly string[] }> => {
    const { orchestrator, calls } = setUp(hotel, undefined, plan);
    const trace = await orchestrator.messages.process({ ...message, message: text });
    await orchestrator.close();
    return { trace, calls };
  };

  test('is rejected as a whole where it names a tool that the message may not reach', async () => {
    for (const other of ['list_arrivals', 'close_day', 'bus_times', 'check_order_status']) {
      const { trace, calls } = await ask(planning('breakfast_times', other), texts.breakfast);
      expect(trace).toMatchObject({ status: 'FAILED', disposition: 'escalated' });
      expect(trace.error).toMatch(/^planner_error: /);
      expect(calls).toEqual([]);
    }
  });

  test('may call tools of the intent and message tools', async () => {
    const { trace, calls } = await ask(planning('breakfast_times', 'hotel_news'), texts.breakfast);
    expect(trace).toMatchObject({ status: 'COMPLETED', disposition: 'answered' });
    expect(calls).toEqual(['breakfast_times', 'hotel_news']);
  });

  test('is told which tools there are for the message', async () => {
    const seen: string[] = [];
    const names = registered().tools.map(({ name }) => name);
    const plan: Stages['plan'] = ({ hasTool }) => {
      seen.push(...names.filter(hasTool));
      return decided({ toolCalls: [] });
    };
    await ask(plan, texts.breakfast);
    expect(seen).toEqual(['breakfast_times', 'hotel_news']);
  });

  test('may call tools of further intents that the classifier names', async () => {
    const { orchestrator, calls } = setUp(hotel, undefined, planning('breakfast_times', 'bus_times'));
    const text = `${texts.breakfast} ${texts.transfer}`;
    const trace = await orchestrator.messages.process({ ...message, message: text });
    expect(trace.status).toBe('COMPLETED');
    expect(calls).toEqual(['breakfast_times', 'bus_times']);
    await orchestrator.close();
  });
});

describe('the tools of an intent', () => {
  test('are called one after the other, and answer together', async () => {
    const { orchestrator, calls } = setUp(hotel);
    const trace = await orchestrator.messages.process({ ...message, message: texts.transfer });
    expect(trace).toMatchObject({ disposition: 'answered' });
    expect(trace.response).toContain('The bus leaves at 9:15 and costs 4 euros.');
    expect(calls).toEqual(['bus_times', 'bus_fares']);
    await orchestrator.close();
  });
});

describe('the built-in playbook', () => {
  const { playbook } = defaultPorts();
  const ask = async (text: string, model?: FakeModel) => {
    const { orchestrator } = setUp(playbook, model);
    const trace = await orchestrator.messages.process({ ...message, message: text });
    await orchestrator.close();
    return trace.timeline.flatMap((event) => (event.type === 'tool.executed' ? [event.outcome] : []));
  };

  test('gives messages its three tools, each to its intents', () => {
    const all = [...playbook.intents.keys()];
    expect(reachableTools(playbook, all)).toEqual(new Set(exampleTools.map(({ name }) => name)));
    expect(reachableTools(playbook, ['refund'])).toEqual(new Set(['refund_policy']));
    expect(reachableTools(playbook, ['order_status'])).toEqual(new Set(['check_order_status']));
    expect(reachableTools(playbook, ['shipping'])).toEqual(new Set(['search_help_center']));
    expect(reachableTools(playbook, ['human_agent', 'spam'])).toEqual(new Set());
  });

  test('searches the articles of the intent itself, whatever a model plans', async () => {
    const text = 'What does express delivery cost?';
    for (const planned of [[], ['search_help_center'], ['check_order_status', 'refund_policy']]) {
      const model = hostileModel('shipping', () => planned);
      const outcomes = await ask(text, model);
      expect(outcomes).toMatchObject([
        { toolName: 'search_help_center', input: { query: text, intent: 'shipping' } },
      ]);
      const [asked] = model.requests;
      expect(asked?.purpose).toBe('classifier');
      expect(asked?.instructions).not.toContain('search_help_center');
    }
  });

  test('searches them also where a model may choose message tools beside', async () => {
    const withNews = { ...playbook, messageTools: new Set(['hotel_news']) };
    const model = hostileModel('shipping', () => ['hotel_news']);
    const { orchestrator, calls } = setUp(withNews, model);
    const trace = await orchestrator.messages.process({
      ...message,
      message: 'What does express delivery cost?',
    });
    const called = trace.timeline.flatMap((event) =>
      event.type === 'tool.executed' ? [event.outcome.toolName] : [],
    );
    expect(called).toEqual(['search_help_center', 'hotel_news']);
    expect(calls).toEqual(['hotel_news']);
    await orchestrator.close();
  });
});
