import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRuleBasedStages } from '../../../../src/adapters/rule-based.ts';
import { createLlmStages } from '../../../../src/adapters/stages/llm/stages.ts';
import type { Concern, Decision, Intent, Plan } from '../../../../src/domain/message/message.ts';
import type { Stages } from '../../../../src/ports/stages.ts';
import type { Tool } from '../../../../src/ports/tool.ts';
import { recordLogs } from '../../../support/fakes.ts';
import { type FakeModel, obedientModel } from '../../../support/llm/fake-model.ts';
import { fixedRules, prepared, recordModelUse, spyTool } from '../../../support/llm/model-places.ts';
import { assessor } from '../stage-inputs.ts';

const lookup = spyTool('lookup', 'read', z.object({ id: z.string().min(1), limit: z.number().optional() }));
const payOut = spyTool('pay_out', 'write', z.object({ amount: z.number() }));
const undeclared = spyTool('undeclared', undefined);
const strange = spyTool('strange', 'read', z.object({ at: z.date().optional() }));

function call(toolName: string, input: unknown): { tool_name: string; input: string } {
  return { tool_name: toolName, input: typeof input === 'string' ? input : JSON.stringify(input) };
}

interface Asked {
  readonly tools?: readonly Tool[];
  readonly intent?: Intent;
  readonly concerns?: readonly Concern[];
  readonly message?: string;
  readonly byRules?: Plan;
}

async function plan(model: FakeModel, asked: Asked = {}): Promise<Decision<Plan>> {
  const {
    tools = [lookup, payOut, undeclared, strange],
    intent = 'billing',
    byRules = { toolCalls: [] },
  } = asked;
  const rules: Stages = {
    ...fixedRules,
    plan: () => ({ value: byRules, source: 'deterministic', summary: 'By rule.', data: {} }),
  };
  const stages = createLlmStages({
    assessor,
    model: model.ask,
    rules,
    enabled: new Set(['planner']),
    tools: () => tools,
    logger: recordLogs(),
    observer: recordModelUse(),
  });
  const message = prepared(asked.message ?? 'Invoice 7, please');
  const context = { signal: new AbortController().signal };
  const classification = { intent, confidence: 0.9, concerns: asked.concerns };
  return stages.plan({ message, classification, hasTool: () => true }, context);
}

const planning = (...calls: readonly unknown[]) => obedientModel(() => ({ tool_calls: calls }));

describe('a plan of a language model', () => {
  test('is accepted when it calls reading tools with valid input', async () => {
    const decided = await plan(planning(call('lookup', { id: '7' }), call('lookup', { id: '8', limit: 2 })));
    expect(decided.source).toBe('llm');
    expect(decided.value.toolCalls).toEqual([
      { toolName: 'lookup', input: { id: '7' } },
      { toolName: 'lookup', input: { id: '8', limit: 2 } },
    ]);
  });

  test('may call nothing', async () => {
    const decided = await plan(planning());
    expect(decided).toMatchObject({ source: 'llm', value: { toolCalls: [] } });
  });

  test('calls each tool once with the same input', async () => {
    const decided = await plan(planning(...Array.from({ length: 8 }, () => call('lookup', { id: '7' }))));
    expect(decided.value.toolCalls).toEqual([{ toolName: 'lookup', input: { id: '7' } }]);
  });

  test.each([
    ['an unknown tool', call('wipe', {})],
    ['a property name of every object', call('constructor', {})],
    ['a tool that writes', call('pay_out', { amount: 5 })],
    ['a tool without an effect', call('undeclared', {})],
    ['invalid input', call('lookup', { id: '' })],
    ['input of another type', call('lookup', '["7"]')],
    ['input that is not JSON', call('lookup', 'id 7')],
    ['input that is empty', call('lookup', '')],
    ['input with numbers that are not finite', call('lookup', '{"id":"7","limit":1e999}')],
    ['input that is nested too deeply', call('lookup', `{"id":"7","x":${'['.repeat(70)}${']'.repeat(70)}}`)],
    ['input that is too large', call('lookup', { id: 'x'.repeat(20_000) })],
  ])('is rejected as a whole with %s', async (_name, bad) => {
    const decided = await plan(planning(call('lookup', { id: '7' }), bad));
    expect(decided.value.toolCalls).toEqual([]);
    expect(decided).toMatchObject({ source: 'fallback', data: { reason: 'bad_plan' } });
  });

  test('is rejected when it has too many calls', async () => {
    const calls = Array.from({ length: 10_000 }, (_, id) => call('lookup', { id: String(id) }));
    expect(await plan(planning(...calls))).toMatchObject({
      source: 'fallback',
      data: { reason: 'bad_reply' },
    });
  });

  test('may call a writing tool only exactly as the rules do', async () => {
    const byRules = { toolCalls: [{ toolName: 'pay_out', input: { amount: 5 } }] };
    const same = await plan(planning(call('lookup', { id: '7' }), call('pay_out', { amount: 5 })), {
      byRules,
    });
    expect(same.source).toBe('llm');
    expect(same.value.toolCalls).toHaveLength(2);
    const other = await plan(planning(call('pay_out', { amount: 500 })), { byRules });
    expect(other).toMatchObject({ source: 'fallback', value: byRules });
  });

  test('may choose the input of a tool of the rules that does not write', async () => {
    const remind = spyTool('remind', 'idempotent', z.object({ day: z.number() }));
    const ask = spyTool('ask', undefined, z.object({ about: z.string() }));
    const byRules = {
      toolCalls: [
        { toolName: 'ask', input: { about: 'it' } },
        { toolName: 'remind', input: { day: 1 } },
      ],
    };
    const asked = { byRules, tools: [remind, ask] };
    const reading = await plan(planning(call('ask', { about: 'that' })), asked);
    expect(reading).toMatchObject({ source: 'llm', value: { toolCalls: [{ input: { about: 'that' } }] } });
    expect(await plan(planning(call('remind', { day: 2 })), asked)).toMatchObject({ source: 'fallback' });
    expect(await plan(planning(call('remind', { day: 1 })), asked)).toMatchObject({ source: 'llm' });
  });

  test.each(['spam', 'human_agent'] as const)(
    'is not requested where no tool can help: %s',
    async (intent) => {
      const model = planning(call('lookup', { id: '7' }));
      expect(await plan(model, { intent })).toMatchObject({
        source: 'deterministic',
        value: { toolCalls: [] },
      });
      expect(model.requests).toEqual([]);
    },
  );

  test.each([
    ['thanks', 'Thank you very much!'],
    ['a greeting', 'Good morning'],
    ['an automatic reply', 'I am out of the office until Monday. This is an automatic reply.'],
  ])('is not requested for %s', async (_name, message) => {
    const model = planning(call('lookup', { id: '7' }));
    expect(await plan(model, { message })).toMatchObject({ source: 'deterministic' });
    expect(model.requests).toEqual([]);
  });

  test('is not requested for a message with a concern, which a person answers', async () => {
    const model = planning(call('lookup', { id: '7' }));
    expect(await plan(model, { concerns: ['legal'] })).toMatchObject({ source: 'deterministic' });
    expect(model.requests).toEqual([]);
  });

  test('is not requested without a callable tool', async () => {
    const model = planning(call('pay_out', { amount: 5 }));
    expect(await plan(model, { tools: [payOut, undeclared] })).toMatchObject({ source: 'deterministic' });
    expect(model.requests).toEqual([]);
  });

  test('is made from the tools that may be called, with their schemas, and the message as data', async () => {
    const model = planning();
    await plan(model);
    const [request] = model.requests;
    expect(request?.instructions).toContain('"name":"lookup"');
    expect(request?.instructions).toContain('"minLength":1');
    expect(request?.instructions).toContain('"name":"strange"');
    expect(request?.instructions).not.toContain('pay_out');
    expect(request?.instructions).not.toContain('undeclared');
    expect(request?.instructions).not.toContain('Invoice 7');
    expect(request?.data).toEqual({ intent: 'billing', message: 'Invoice 7, please', language: 'en' });
  });

  test('falls back to no call where the tool of the rules is not registered', async () => {
    const model = planning(call('refund_policy', {}));
    const stages = createLlmStages({
      assessor,
      model: model.ask,
      rules: createRuleBasedStages(),
      enabled: new Set(['planner']),
      tools: () => [lookup],
      logger: recordLogs(),
      observer: recordModelUse(),
    });
    const input = {
      message: prepared('I want a refund'),
      classification: { intent: 'refund', confidence: 0.9 },
      hasTool: (name: string) => name === 'lookup',
    } as const;
    const decided = await stages.plan(input, { signal: new AbortController().signal });
    expect(decided).toMatchObject({ source: 'fallback', value: { toolCalls: [] } });
  });
});
