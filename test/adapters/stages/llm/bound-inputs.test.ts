import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { PlaybookDefinition } from '../../../../src/adapters/playbook/definition.ts';
import { createPlaybook } from '../../../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../../../src/adapters/playbook-context.ts';
import { createAssessorFor } from '../../../../src/adapters/rule-based.ts';
import { createLlmStages } from '../../../../src/adapters/stages/llm/stages.ts';
import { createStagesOf } from '../../../../src/adapters/stages/rule-based.ts';
import { defineTool } from '../../../../src/adapters/tools/define-tool.ts';
import type { ConversationEntry } from '../../../../src/domain/message/conversation.ts';
import type { CustomerMessage } from '../../../../src/domain/message/message.ts';
import { reachableTools } from '../../../../src/domain/playbook/playbook.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import type { Tool } from '../../../../src/ports/tool.ts';
import { recordLogs } from '../../../support/fakes.ts';
import { assessed, obedientModel } from '../../../support/llm/fake-model.ts';
import { placeClock, prepared, recordModelUse, spyTool } from '../../../support/llm/model-places.ts';

/** A workshop whose look-ups are for the asker: a day, or a bike, is left open. */
const workshop: PlaybookDefinition = {
  company: { name: 'Tannenhof Cycles' },
  message_tools: ['opening_hours', 'invoice'],
  entities: [{ name: 'job', pattern: '(?i)\\bWJ-[0-9]{5}\\b' }],
  intents: [
    {
      name: 'repair',
      description: 'Asks how far a repair is.',
      examples: ['How far is my repair?', 'Is my bike ready?', 'repair state please'],
      required: [{ entity: 'job', question: { en: 'Which job?' } }],
      tool: { name: 'job', input: { job: '${{ entities.job }}', customer: '${{ customer.id }}' } },
      replies: { en: 'It is {{ tool.state }}.' },
    },
    {
      name: 'rental',
      description: 'Asks for a bike to rent.',
      examples: ['Can I rent a bike on Friday?', 'rent two bikes', 'Do you have rental bikes?'],
      tool: { name: 'bikes', input: { customer: '${{ customer.id }}', size: '${{ entities.job }}' } },
      replies: { en: 'There are {{ tool.count }}.' },
    },
    {
      name: 'booking',
      description: 'Asks about a booking of a bike.',
      examples: ['What about my booking?', 'When does my booking begin?', 'booking of a tandem'],
      tool: { name: 'booking', input: { customer: '${{ customer.id }}' } },
      replies: { en: 'It begins on {{ tool.from }}.' },
    },
    {
      name: 'billing',
      description: 'Asks for an invoice.',
      examples: ['I need an invoice', 'Where is my invoice?', 'invoice please'],
      tool: { name: 'invoice', input: { customer: '${{ customer.id }}' } },
      replies: { en: 'It is {{ tool.amount }}.' },
    },
  ],
};

const text = z.string().min(1);

const tools: readonly Tool[] = [
  spyTool('job', 'read', z.object({ job: text, customer: text, detail: z.boolean().optional() })),
  spyTool('bikes', 'read', z.object({ customer: text, size: text.optional(), day: text })),
  defineTool({
    name: 'booking',
    description: 'A booking.',
    effect: 'read',
    input: z.object({ customer: text, booking: text, notes: text.optional() }),
    fromMessage: ['booking'],
    execute: () => ({ from: 'Friday' }),
  }),
  spyTool('invoice', 'read', z.object({ customer: text, number: text.meta({ format: 'id' }) })),
  spyTool('opening_hours', 'read', z.object({ day: text.optional() })),
];

interface Asked extends Partial<CustomerMessage> {
  readonly intent: string;
  readonly otherIntents?: readonly string[];
  readonly entries?: readonly ConversationEntry[];
  readonly tools?: readonly Tool[];
  readonly playbook?: PlaybookDefinition;
}

/** A tool as the instructions of a model list it. */
interface Listed {
  readonly name: string;
  readonly input_schema: unknown;
}

/** The plan where a model proposes these calls, by tool; and the tools that its instructions list. */
async function plan(calls: readonly (readonly [string, JsonObject])[], asked: Asked) {
  const { intent, otherIntents = [], entries, message = '', ...more } = asked;
  const { playbook } = createPlaybook(asked.playbook ?? workshop, playbookContext('warning', {}) as never);
  const assessor = createAssessorFor({ playbook });
  const model = obedientModel(() =>
    assessed(intent, {
      other_intents: [...otherIntents],
      tool_calls: calls.map(([tool_name, input]) => ({ tool_name, input })),
    }),
  );
  const registered = asked.tools ?? tools;
  const stages = createLlmStages({
    findArticles: () => [],
    assessor,
    model: model.ask,
    rules: createStagesOf(assessor, 0.45),
    enabled: new Set(['classifier', 'planner']),
    tools: () => registered,
    clock: placeClock,
    logger: recordLogs(),
    observer: recordModelUse(),
  });
  const bare = prepared(message, { customerId: 'ada-4711', ...more });
  const own = entries === undefined ? bare : { ...bare, history: { entries, isHeld: false } };
  const context = { signal: new AbortController().signal };
  const { value: classification } = await stages.classify(own, context);
  const reachable = reachableTools(playbook, [intent, ...otherIntents]);
  const hasTool = (name: string) => reachable.has(name) && registered.some((tool) => tool.name === name);
  const decision = await stages.plan({ message: own, classification, hasTool }, context);
  const [request] = model.requests;
  const line = request?.instructions.split('\n').find((text) => text.startsWith('[{"name"')) ?? '[]';
  const listed = JSON.parse(line) as readonly Listed[];
  const offered = Object.fromEntries(listed.map(({ name, input_schema }) => [name, input_schema]));
  return { ...decision, calls: decision.value.toolCalls, offered, asked: JSON.stringify(request) };
}

function entry(from: ConversationEntry['from'], said: string): ConversationEntry {
  return {
    from,
    text: said,
    intent: 'booking',
    at: '2026-01-14T09:00:00.000Z',
    traceId: 't',
    itemId: null,
    disposition: 'answered',
    reasons: ['answerable'],
  };
}

const repair = { intent: 'repair', message: 'How far is my repair WJ-20113?' };
const own = { job: 'WJ-20113', customer: 'ada-4711' };

describe('what a playbook states in the input of a tool', () => {
  test('is set by the service, whatever a model replies', async () => {
    for (const filled of [{}, { customer: 'bob' }, { job: 'WJ-99999', customer: 'bob' }, own]) {
      const { calls, source } = await plan([['job', filled]], repair);
      expect(calls).toEqual([{ toolName: 'job', input: own }]);
      expect(source).toBe('llm');
    }
  });

  test('is not in the instructions, but what it leaves open is', async () => {
    const { offered, asked } = await plan([], repair);
    expect(offered).toMatchObject({
      job: { type: 'object', properties: { detail: { type: 'boolean' } }, additionalProperties: false },
      bikes: { properties: { day: { type: 'string' } }, required: ['day'] },
    });
    expect(JSON.stringify(offered)).not.toMatch(/customer|"job":\{"type":"string"|"size"/);
    expect(asked).not.toContain('ada-4711');
    const { calls } = await plan([['job', { detail: true }]], repair);
    expect(calls).toEqual([{ toolName: 'job', input: { ...own, detail: true } }]);
  });

  test('cannot be filled in where the message does not name it', async () => {
    const rental = { intent: 'rental', message: 'Can I rent a bike on Friday?' };
    const { calls } = await plan([['bikes', { size: 'XXL', customer: 'bob', day: 'Friday' }]], rental);
    expect(calls).toEqual([{ toolName: 'bikes', input: { customer: 'ada-4711', day: 'Friday' } }]);
  });

  test('takes the tool from the model where the message does not name what the intent asks for', async () => {
    const asked = { intent: 'repair', message: 'How far is my repair?' };
    for (const filled of [{ job: 'WJ-99999' }, { detail: true }, {}]) {
      const { calls, source } = await plan([['job', filled]], asked);
      expect({ calls, source }).toEqual({ calls: [], source: 'llm' });
    }
  });

  test('is called where the model proposes nothing, if nothing else is mandatory', async () => {
    expect(await plan([], repair)).toMatchObject({ source: 'llm', calls: [{ toolName: 'job', input: own }] });
    const { calls } = await plan([], { intent: 'rental', message: 'Can I rent a bike on Friday?' });
    expect(calls).toEqual([]);
  });

  test('holds for a message tool too, also in messages of other intents', async () => {
    const message = 'Is my bike WJ-20113 ready? I also wonder about invoice R-77.';
    const { calls, offered } = await plan([['invoice', { customer: 'bob', number: 'R-77' }]], {
      intent: 'repair',
      message,
    });
    expect(calls).toEqual([
      { toolName: 'job', input: own },
      { toolName: 'invoice', input: { customer: 'ada-4711', number: 'R-77' } },
    ]);
    expect(offered['invoice']).toMatchObject({ properties: { number: {} }, required: ['number'] });
  });

  test('makes one call for each intent that states another input', async () => {
    const twice: PlaybookDefinition = {
      intents: ['repair', 'service'].map((name) => ({
        name,
        description: name,
        tool: { name: 'bikes', input: { customer: '${{ customer.id }}', size: name } },
        replies: { en: '{{ tool.count }}' },
      })),
    };
    const { calls } = await plan([['bikes', { day: 'Friday' }]], {
      playbook: twice,
      intent: 'repair',
      otherIntents: ['service'],
      message: 'How about Friday for my bike?',
    });
    expect(calls).toEqual(
      ['repair', 'service'].map((size) => ({
        toolName: 'bikes',
        input: { customer: 'ada-4711', size, day: 'Friday' },
      })),
    );
  });

  test('is all of the input of a tool that may write', async () => {
    const writing = tools.map((tool) => (tool.name === 'job' ? { ...tool, effect: 'write' as const } : tool));
    const { offered, calls } = await plan([['job', {}]], { ...repair, tools: writing });
    expect(offered).not.toHaveProperty('job');
    expect(calls).toEqual([{ toolName: 'job', input: own }]);
    const changed = await plan([['job', { detail: true }]], { ...repair, tools: writing });
    expect(changed).toMatchObject({ source: 'fallback', calls: [{ toolName: 'job', input: own }] });
  });

  test('leaves a call out where the model does not fill in what is mandatory', async () => {
    const asked = { intent: 'booking', message: 'When does my booking begin?' };
    const { source, calls, summary } = await plan([['booking', {}]], asked);
    expect({ source, calls }).toEqual({ source: 'fallback', calls: [] });
    expect(summary).toContain('left out');
    expect(await plan([], asked)).toMatchObject({ source: 'llm', calls: [] });
  });
});

/** Plans the look-up of a booking for a message. */
const lookUp = async (booking: string, message: string, more: Partial<Asked> = {}) => {
  const { calls } = await plan([['booking', { booking }]], { intent: 'booking', message, ...more });
  return calls.length > 0;
};

describe('an identifier that a model fills in', () => {
  test.each([
    ['HB-2231', 'When does my booking HB-2231 begin?'],
    ['hb2231', 'When does my booking HB-2231 begin?'],
    ['HB-2231', 'booking hb 2231 please'],
    ['HB 22 31', 'my booking hb2231.'],
    ['2231', 'my booking HB-2231'],
    ['HB‑2231', 'my booking (HB – 2231)!'],
    ['ＨＢ2231', 'my booking hb-2231'],
    ['ada@post.example', 'my booking is under Ada@Post.example, thanks'],
    ['Grün', 'my booking under the name GRÜN'],
  ])('counts where it stands in the message: %j in %j', async (booking, message) => {
    expect(await lookUp(booking, message)).toBe(true);
  });

  test.each([
    ['HB-9999', 'When does my booking HB-2231 begin?'],
    ['HB-223', 'my booking HB-2231'],
    ['231', 'my booking HB-2231'],
    ['B2231', 'my booking HB-2231'],
    ['ook', 'my booking'],
    ['12', 'my booking of 3, 12th, no 512'],
    ['HB-2231', 'my booking HB-2231X'],
    ['HB-2231', 'my booking is HB 22, 31'],
    ['', 'my booking'],
    [' - ', 'my booking - please'],
    ['x'.repeat(300), `my booking ${'x'.repeat(300)}`],
  ])('is refused where it does not: %j in %j', async (booking, message) => {
    expect(await lookUp(booking, message)).toBe(false);
  });

  test('may stand in the subject, and in what the customer said before', async () => {
    expect(await lookUp('HB-2231', 'When does it begin?', { subject: 'Booking HB-2231' })).toBe(true);
    const said = [entry('customer', 'It is booking HB 2231.'), entry('service', 'Thank you.')];
    expect(await lookUp('HB-2231', 'When does it begin?', { entries: said })).toBe(true);
  });

  test('may not stand only in what we said, or in what the customer quotes or forwards', async () => {
    for (const from of ['service', 'person'] as const) {
      const said = [entry('customer', 'My booking?'), entry(from, 'Is it HB-2231, or HB 7?')];
      expect(await lookUp('HB-2231', 'When does it begin?', { entries: said })).toBe(false);
    }
    const quoting = 'When does my booking begin?\n\nOn Monday Bob wrote:\n> My booking is HB-2231.\n';
    expect(await lookUp('HB-2231', quoting)).toBe(false);
  });

  test('is one by the format of its schema too, which the instructions tell of both', async () => {
    const message = 'Where is my invoice R-77?';
    const ask = (number: string) => plan([['invoice', { number }]], { intent: 'billing', message });
    expect((await ask('R 77')).calls).toEqual([
      { toolName: 'invoice', input: { customer: 'ada-4711', number: 'R 77' } },
    ]);
    const refused = await ask('R-78');
    expect(refused).toMatchObject({ source: 'fallback', calls: [], data: { reason: 'bad_plan' } });
    const id = { type: 'string', minLength: 1, format: 'id' };
    expect(refused.offered).toMatchObject({
      invoice: { properties: { number: id } },
      booking: { properties: { booking: id } },
    });
  });

  test('refuses no other value', async () => {
    const { calls } = await plan([['booking', { booking: 'HB-1', notes: 'in the evening' }]], {
      intent: 'booking',
      message: 'My booking HB-1?',
    });
    expect(calls).toHaveLength(1);
  });
});
