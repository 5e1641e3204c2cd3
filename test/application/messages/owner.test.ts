import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createPlaybook } from '../../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../../src/adapters/playbook-context.ts';
import { playbookPorts } from '../../../src/adapters/playbook-ports.ts';
import { createAssessorFor } from '../../../src/adapters/rule-based.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createLlmStages } from '../../../src/adapters/stages/llm/stages.ts';
import { createStagesOf } from '../../../src/adapters/stages/rule-based.ts';
import { defineTool } from '../../../src/adapters/tools/define-tool.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { recordLogs } from '../../support/fakes.ts';
import { createTestApp, jsonOf } from '../../support/http/app.ts';
import { assessed, fits, obedientModel } from '../../support/llm/fake-model.ts';
import { recordModelUse } from '../../support/llm/model-places.ts';

const { playbook } = createPlaybook(
  {
    entities: [{ name: 'booking', pattern: '(?i)\\bHB-[0-9]+\\b' }],
    intents: [
      {
        name: 'booking',
        description: 'Asks about a booking.',
        examples: ['When does my booking begin?', 'What about my booking?', 'my booking please'],
        tool: { name: 'booking', input: { booking: '${{ entities.booking }}' } },
        replies: { en: 'It is for {{ tool.guest }}.' },
        not_found: { en: 'We find no {{ entities.booking }}.' },
      },
    ],
  },
  playbookContext('fault', {}),
);

/** A tool whose output is `data`, of the customer at `/owner/id`. */
const bookings = (data: JsonObject, owner: string | undefined = '/owner/id') =>
  defineTool({
    name: 'booking',
    description: 'A booking.',
    effect: 'read',
    owner,
    input: z.object({ booking: z.string() }),
    execute: () => data,
  });

const ofAda = { guest: 'Ada Lovelace', owner: { id: 'ada' } };

/** The service with one tool, and what a message of a customer becomes. */
function setUp(data: JsonObject, owner?: string) {
  const ports = playbookPorts({ playbook, classifier: undefined });
  const app = createTestApp({ ports, tools: [bookings(data, owner)] });
  const ask = async (customer_id: string) => {
    const message = 'When does my booking HB-12 begin?';
    const { trace_id } = await jsonOf(await app.post('/messages', { customer_id, message }));
    return jsonOf(await app.request(`/trace/${trace_id}`));
  };
  return { ...app, ask };
}

describe('an output of another customer than the message', () => {
  test('is dropped: the reply is that of nothing found, and the trace has nothing of it', async () => {
    const { ask, recorded, logger } = setUp(ofAda);
    const trace = await ask('bob');
    expect(trace).toMatchObject({
      status: 'COMPLETED',
      disposition: 'answered',
      tool_calls: [
        {
          tool_name: 'booking',
          status: 'not_found',
          output: null,
          attempts: 1,
          error: 'the output is of another customer',
        },
      ],
    });
    expect(trace).toHaveProperty('response', expect.stringContaining('We find no HB-12.'));
    expect(JSON.stringify([trace, recorded.events, logger.lines])).not.toMatch(/Lovelace|"ada"/);
    const [call] = recorded.events.filter(({ type }) => type === 'tool.executed');
    expect(call).toMatchObject({ outcome: { status: 'not_found', notFound: true } });
  });

  test.each<readonly [string, JsonObject]>([
    ['nobody', { guest: 'Ada Lovelace' }],
    ['null', { guest: 'Ada Lovelace', owner: { id: null } }],
    ['an object', { guest: 'Ada Lovelace', owner: { id: { bob: 'bob' } } }],
    ['another spelling', { guest: 'Ada Lovelace', owner: { id: 'Bob' } }],
    ['an inherited member', { guest: 'Ada Lovelace', owner: 'constructor' }],
  ])('is also one of %s', async (_who, data) => {
    const trace = await setUp(data).ask('bob');
    expect(trace).toMatchObject({ tool_calls: [{ status: 'not_found', output: null }] });
  });

  test('is also dropped where a language model writes the replies, which it is not asked for', async () => {
    const planned = assessed('booking', { tool_calls: [{ tool_name: 'booking', input: {} }] });
    const model = obedientModel(({ purpose, data }) => {
      if (purpose === 'classifier') return planned;
      return purpose === 'verifier' ? fits : { reply: JSON.stringify(data), used: [], left_open: [] };
    });
    const assessor = createAssessorFor({ playbook });
    const tool = bookings(ofAda);
    const stages = createLlmStages({
      findArticles: () => [],
      assessor,
      model: model.ask,
      rules: createStagesOf(assessor, 0.45),
      enabled: new Set(['classifier', 'planner', 'verifier', 'responder']),
      tools: () => [tool],
      clock: systemClock,
      logger: recordLogs(),
      observer: recordModelUse(),
    });
    const ports = { ...playbookPorts({ playbook, classifier: undefined }), stages };
    const { post } = createTestApp({ ports, tools: [tool] });
    const message = 'When does my booking HB-12 begin?';
    const { response } = await jsonOf(await post('/messages', { customer_id: 'bob', message }));
    expect(response).toContain('We find no HB-12.');
    expect(model.requests.map(({ purpose }) => purpose)).toEqual(['classifier']);
    expect(JSON.stringify(model.requests.map(({ data }) => data))).not.toContain('Lovelace');
  });

  test('is an output for workflows and for whoever tries the tool', async () => {
    const { orchestrator, post } = setUp(ofAda);
    const step = { id: 'a', kind: 'tool', toolName: 'booking', staticInput: { booking: 'HB-12' } } as const;
    const { id } = await orchestrator.workflows.create({ name: 'nightly', steps: [step] });
    const run = await orchestrator.workflows.run(id, { input: {}, customerId: 'bob' });
    expect(run).toMatchObject({ stepResults: [{ output: ofAda }] });
    const tried = await jsonOf(await post('/tools/booking/call', { input: { booking: 'HB-12' } }));
    expect(tried).toMatchObject({ status: 'success', output: ofAda, not_found: false });
  });
});

describe('an output of the customer of the message', () => {
  test.each<readonly [string, JsonObject, string, string]>([
    ['by a text', ofAda, '/owner/id', 'ada'],
    ['by a number', { guest: 'Ada Lovelace', of: [7] }, '/of/0', '7'],
  ])('answers it: %s', async (_how, data, owner, customer) => {
    const trace = await setUp(data, owner).ask(customer);
    expect(trace).toMatchObject({
      disposition: 'answered',
      tool_calls: [{ status: 'success', output: data }],
    });
    expect(trace).toHaveProperty('response', expect.stringContaining('It is for Ada Lovelace.'));
  });
});
