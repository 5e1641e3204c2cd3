import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkOrderStatus } from '../src/adapters/tools/check-order-status.ts';
import { defaultLimits } from '../src/domain/limits.ts';
import { ToolError } from '../src/domain/tool-error.ts';
import type { Step } from '../src/domain/workflow/definition.ts';
import type { JsonObject, JsonValue } from '../src/lib/json/json.ts';
import type { Tool } from '../src/ports/tool.ts';
import { runsOf } from './support/extent.ts';
import { settle } from './support/fake-clock.ts';
import { jsonOf, type TestApp } from './support/http/app.ts';
import {
  type AgentResult,
  callEveryWay,
  completedResult,
  expectSame,
  serviceApp,
  stepIds,
  toResult,
  withTemplates,
} from './support/http/every-way.ts';
import { misbehavingAgents, SECRET } from './support/misbehaving-agents.ts';

/** The example tool, out of order. */
const brokenOrderStatus: Tool = {
  ...checkOrderStatus,
  execute: () => Promise.reject(new ToolError('out of order', { permanent: true })),
};

const oddKeys = [
  ...['__proto__', 'constructor', 'toJSON', 'then', 'length', '', ' ', '0', '10', 'a.b', 'a.0', '$input'],
  ...['text', 'message', 'max_sentences', 'ключ', '😀', '\u0000', '\ud800'],
];

const key = fc.oneof(fc.constantFrom(...oddKeys), fc.string({ unit: 'binary' }));

const leaf = fc.oneof(
  fc.constantFrom('$input', '$input.text', '$step.up.text', '$', '$$', '$$$step.up.a', '</script>', '\ud83d'),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

const { json: anyValue } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'json' },
    leaf,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4 }),
  ),
}));

/** Parsed JSON, so that -0 is 0. */
const payloads = fc
  .dictionary(key, anyValue, { maxKeys: 6 })
  .map((payload): JsonObject => JSON.parse(JSON.stringify(payload)));

/** An object that is nested `levels` deep. */
function nested(levels: number): JsonObject {
  let object: JsonObject = { bottom: true };
  for (let level = 1; level < levels; level++) object = { object };
  return object;
}

describe('the echo agent', () => {
  test('replies with any payload unchanged, in a route and in a workflow', async () => {
    const app = serviceApp();
    await fc.assert(
      fc.asyncProperty(payloads, async (payload) => {
        const results = await callEveryWay(app, 'echo', payload);
        expectSame([{ status: 'completed', output: payload, error: null }, ...results]);
      }),
      { numRuns: runsOf(30, 100) },
    );
  });

  test('replies with a payload of the maximum depth', async () => {
    const app = serviceApp();
    // A body may be 64 levels deep, three of which are outside of the payload.
    expectSame([completedResult(nested(61)), ...(await callEveryWay(app, 'echo', nested(61)))]);

    const { agents, workflows } = app.orchestrator;
    const payload = nested(64);
    const step = (id: string, staticInput: JsonObject, ...dependsOn: string[]): Step => {
      return { id, kind: 'agent', agentName: 'echo', dependsOn, staticInput };
    };
    const steps = [
      step('constant', payload),
      step('from_input', withTemplates(payload, '$input')),
      step('from_a_step', withTemplates(payload, '$step.constant'), 'constant'),
    ];
    const { id } = await workflows.create({ name: 'deep', description: '', steps });
    const { stepResults } = await workflows.run(id, { input: payload });
    const { results } = await agents.route({ goal: 'deep', subtasks: [{ agentName: 'echo', payload }] });
    expectSame([completedResult(payload), ...[...results, ...stepResults].map(toResult)]);
  });
});

describe('the summary agent', () => {
  const sentences = fc
    .array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.lorem({ maxCount: 3, mode: 'sentences' })))
    .map((parts) => parts.join(' '));
  const texts = fc.oneof(
    fc.record({ text: sentences }),
    fc.record({
      text: sentences,
      max_sentences: fc.oneof(fc.integer({ min: -1, max: 4 }), fc.constantFrom(1.5, '2', null, true, [])),
    }),
    payloads,
  );

  test('has the same result for any payload in a route and in a workflow', async () => {
    const app = serviceApp();
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(texts, async (payload: JsonObject) => {
        const results = await callEveryWay(app, 'summary', payload);
        expectSame(results);
        seen.add(results[0]?.status ?? '');
      }),
      { numRuns: runsOf(40, 100) },
    );
    expect([...seen].sort()).toEqual(['completed', 'failed']);
  });
});

const messages: readonly string[] = [
  'I want my money back for the blender, it broke after a week.',
  'Where is my order A-1234? It should have been here on Monday.',
  'Where is my order missing-77?',
  'Where is my order?',
  'How do I reset my password?',
  'Let me talk to a human being, now.',
  'I will sue you and my lawyer says this is fraud.',
  'BUY CHEAP WATCHES, 90% OFF, VISIT WWW.BEST-DEALS.EXAMPLE',
  'Wo ist meine Bestellung? Ich möchte mein Geld zurück.',
  '我的订单在哪里？',
  'שלום 😀 \u202e\u0000 <b>refund</b> {{message}}',
  '\ud800 half a character, and a refund',
  '$input.message',
  '$step.up.message',
  '$$',
  'x'.repeat(32_768),
];

const invalidPayloads: readonly JsonObject[] = [
  {},
  { message: '' },
  { message: ' \n\u00a0 ' },
  { message: 7 },
  { message: null },
  { message: ['refund'] },
  { message: 'x'.repeat(32_769) },
  { message: 'refund', customer_id: '' },
  { message: 'refund', customer_id: 'c'.repeat(129) },
  { message: 'refund', customer_id: 42 },
  { message: 'refund', customer_id: null },
  { message: 'refund', source: '' },
  { message: 'refund', source: 's'.repeat(65) },
  { message: 'refund', source: null },
  JSON.parse('{"__proto__": {"message": "refund"}}'),
];

/** The defaults of the message agent. `POST /messages` requires some of them. */
const defaults = { customer_id: 'agent', source: 'other' };

/** The trace id of a result. A failed result has it in its error. */
function traceIdOf({ output, error }: AgentResult): string {
  const [, failedId] = /\(trace ([\da-f-]{36})\)/.exec(error ?? '') ?? [];
  return String(output?.['trace_id'] ?? failedId);
}

/** The complete trace of a result, without its id. */
async function traceOf(app: TestApp, answer: AgentResult): Promise<object> {
  const response = await app.request(`/trace/${traceIdOf(answer)}`);
  expect(response.status).toBe(200);
  const { trace_id, item_id, ...trace } = await jsonOf(response);
  expect(item_id === null).toBe(trace['disposition'] !== 'escalated');
  expect(trace_id).toBe(traceIdOf(answer));
  return trace;
}

/** A result without its trace id. */
function withoutTraceId(answer: AgentResult): object {
  const { output, error, status } = answer;
  return {
    status,
    error: error?.replace(traceIdOf(answer), '') ?? null,
    output: output === null ? null : { ...output, trace_id: '', item_id: '' },
  };
}

/** Processes a message in every way, expects equal results, and returns them with the trace. */
async function processEveryWay(app: TestApp, payload: JsonObject) {
  const agents = await callEveryWay(app, 'support_pipeline', payload);
  const [single, batch] = await Promise.all([
    app.post('/messages', { ...defaults, ...payload }).then((reply) => jsonOf<JsonObject>(reply)),
    app
      .post('/messages/batch', { messages: [{ ...defaults, ...payload }] })
      .then((reply) => jsonOf<{ results: JsonObject[] }>(reply)),
  ]);
  const messages = [single, ...batch.results].map(completedResult);
  const results = [...agents, ...messages];
  const traces = await Promise.all(results.map((one) => traceOf(app, one)));
  const ids = new Set(results.map(traceIdOf));
  expect({ results: results.length, ids: ids.size }).toEqual({ results: 6, ids: 6 });
  expectSame(traces);
  expectSame(messages.map(withoutTraceId));
  expectSame(agents.map(withoutTraceId));
  const [output] = messages.map((answer) => answer.output ?? expect.fail());
  const [agent] = agents.map(withoutTraceId);
  if (output?.['status'] === 'COMPLETED') expectSame([agent, withoutTraceId(messages[0] ?? expect.fail())]);
  return { output: output ?? expect.fail(), agent, trace: traces[0] ?? expect.fail() };
}

describe('the message pipeline', () => {
  test.each(messages.map((message) => [JSON.stringify(message.slice(0, 40)), message] as const))(
    'has the same result and trace in a route, a workflow, a request and a batch: %s',
    async (_name, message) => {
      const app = serviceApp();
      const { output, trace } = await processEveryWay(app, {
        message,
        customer_id: 'customer-7',
        source: 'chat',
      });
      const { status, intent, confidence, escalated, response } = output as Record<string, unknown>;
      expect(trace).toMatchObject({
        customer_id: 'customer-7',
        source: 'chat',
        message,
        status,
        intent,
        confidence,
        escalated,
        response,
      });
    },
  );

  test('has the same result and trace for any message', async () => {
    const app = serviceApp();
    const anyMessage = fc
      .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.constantFrom(...messages))
      .filter((message) => message.trim() !== '');
    await fc.assert(
      fc.asyncProperty(anyMessage, payloads, async (message, otherMembers) => {
        const { source: _source, customer_id: _customer, ...rest } = otherMembers;
        await processEveryWay(app, { ...rest, message });
      }),
      { numRuns: runsOf(20, 50) },
    );
  });

  test('replies the same when a tool finds nothing', async () => {
    const payload = { message: 'Where is my order missing-77?' };
    const { output, trace } = await processEveryWay(serviceApp(), payload);
    const expected = {
      status: 'COMPLETED',
      intent: 'order_status',
      disposition: 'answered',
      escalated: false,
    };
    expect(output).toMatchObject({ ...expected, response: expect.stringContaining('missing-77') });
    expect(trace).toMatchObject({ ...defaults, ...expected, error: null });
  });

  test('fails with the same error when a tool fails', async () => {
    const payload = { message: 'Where is my order A-77?' };
    const { output, agent, trace } = await processEveryWay(serviceApp([brokenOrderStatus]), payload);
    expect(output).toMatchObject({ status: 'FAILED', intent: 'order_status', escalated: true });
    expect(agent).toEqual({
      status: 'failed',
      output: null,
      error: 'the message pipeline failed: tool_error: check_order_status: out of order (trace )',
    });
    expect(trace).toMatchObject({
      ...defaults,
      status: 'FAILED',
      error: 'tool_error: check_order_status: out of order',
    });
  });

  test.each(invalidPayloads.map((payload) => [JSON.stringify(payload).slice(0, 60), payload] as const))(
    'rejects an invalid payload with the same error, and stores nothing: %s',
    async (_name, payload) => {
      const app = serviceApp();
      const results = await callEveryWay(app, 'support_pipeline', payload);
      expectSame(results);
      expect(results[0]).toMatchObject({ status: 'failed', output: null });
      expect(results[0]?.error).toMatch(/^(?:message|customer_id|source): /);
      expect((await app.post('/messages', { ...defaults, ...payload })).status).toBe(422);
      expect(await jsonOf(await app.request('/trace/'))).toMatchObject({ total: 0 });
    },
  );
});

describe('an agent that misbehaves', () => {
  test.each(misbehavingAgents)(
    'fails with the same error in a route and in a workflow when it $behavior',
    async ({ agent, error, hangs }) => {
      const app = serviceApp();
      let calls = 0;
      app.orchestrator.agents.register({
        ...agent,
        handle(message, context) {
          calls++;
          return agent.handle(message, context);
        },
      });
      const pending = callEveryWay(app, agent.name, { a: 1 });
      if (hangs) {
        while (calls < 1 + stepIds.length) await settle();
        await app.clock.advance(defaultLimits.agentTimeoutMs);
      }
      const results = await pending;
      expectSame([{ status: 'failed', output: null, error }, ...results]);
      expect(JSON.stringify(results)).not.toContain(SECRET);
    },
  );

  test('does not affect other agents in a route or in a workflow', async () => {
    const app = serviceApp();
    const rogue = misbehavingAgents[0]?.agent ?? expect.fail();
    app.orchestrator.agents.register(rogue);
    const names = ['echo', rogue.name, 'summary'];
    const payload = { text: 'One sentence.' };
    const subtasks = names.map((agent_name) => ({ agent_name, payload }));
    const routed = await jsonOf<{ status: string; results: AgentResult[] }>(
      await app.post('/agents/route', { goal: 'the same', subtasks }),
    );
    const steps = names.map((name) => ({ id: name, kind: 'agent', agent_name: name, static_input: payload }));
    const { id } = await jsonOf(await app.post('/workflows', { name: 'the same', steps }));
    const run = await jsonOf<{ status: string; step_results: Record<string, AgentResult> }>(
      await app.post(`/workflows/${id}/run`, {}),
    );
    expect([routed.status, run.status]).toEqual(['partial', 'FAILED']);
    const stepResults = names.map((name) => toResult(run.step_results[name] ?? expect.fail()));
    expectSame([routed.results.map(toResult), stepResults]);
    expect(stepResults.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
  });
});
