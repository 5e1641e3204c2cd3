import { describe, expect, test } from 'vitest';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { planToolCalls } from '../../../src/adapters/stages/planner.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import { type Intent, intents } from '../../../src/domain/message/message.ts';
import { messageOf } from './stage-inputs.ts';

function plan(intent: Intent, text: string, hasTool: (name: string) => boolean = () => true) {
  const classification = { intent, confidence: 0.9 };
  return planToolCalls({ message: messageOf(text), classification, hasTool });
}

describe('the planner', () => {
  test('calls the refund policy for a refund', () => {
    expect(plan('refund', 'I want my money back for order 5512').value.toolCalls).toEqual([
      { toolName: 'refund_policy', input: {} },
    ]);
  });

  test('looks up the order whose status is requested', () => {
    expect(plan('order_status', 'Where is order #A-1234?').value.toolCalls).toEqual([
      { toolName: 'check_order_status', input: { order_id: 'A-1234' } },
    ]);
  });

  test('calls nothing for the status of an order without an id', () => {
    const { value, summary, data } = plan('order_status', 'Is my order missing?');
    expect(value.toolCalls).toEqual([]);
    expect(summary).toBe('Nothing to call for order_status.');
    expect(data).toEqual({ intent: 'order_status', tools: [] });
  });

  test.each<Intent>(['spam', 'human_agent'])('calls nothing for %s', (intent) => {
    expect(plan(intent, 'order 5512').value.toolCalls).toEqual([]);
  });

  const searched = intents.filter(
    (intent) => !['refund', 'order_status', 'spam', 'human_agent'].includes(intent),
  );
  test.each(searched)('searches the help center with the message for %s', (intent) => {
    const { value, source, summary, data } = plan(intent, 'How does <this> work?\n');
    expect(value.toolCalls).toEqual([
      { toolName: 'search_help_center', input: { query: 'How does <this> work?\n' } },
    ]);
    expect(source).toBe('deterministic');
    expect(summary).toBe(`Calls search_help_center for ${intent}.`);
    expect(data).toEqual({ intent, tools: ['search_help_center'] });
  });

  test.each<[Intent, string]>([
    ['refund', 'refund_policy'],
    ['order_status', 'check_order_status'],
    ['billing', 'search_help_center'],
  ])('leaves out the tool for %s when %s is not registered', (intent, tool) => {
    const { value, summary, data } = plan(intent, 'About order 5512', (name) => name !== tool);
    expect(value.toolCalls).toEqual([]);
    expect(summary).toBe(`Nothing to call for ${intent}: ${tool} is not registered.`);
    expect(data).toEqual({ intent, tools: [] });
  });
});

describe('messages of an orchestrator', () => {
  const wantsRefund = messageOf('I want a refund for my broken blender');

  test('are escalated, not failed, when no tool is registered', async () => {
    const { messages } = createOrchestrator(defaultPorts());
    for (const text of ['I want a refund', 'Where is order A-1234?', 'How do I reset my password?']) {
      const trace = await messages.process(messageOf(text));
      expect(trace).toMatchObject({ status: 'COMPLETED', escalated: true, error: null });
      expect(trace.response).toContain('A colleague will take over');
    }
  });

  test('are answered without a tool where none is needed', async () => {
    const { messages } = createOrchestrator(defaultPorts());
    expect(await messages.process(messageOf('You won a prize, click here http://win.example'))).toMatchObject(
      {
        status: 'COMPLETED',
        intent: 'spam',
        escalated: false,
      },
    );
  });

  test('are answered with the tools that are registered, whenever that happens', async () => {
    const { messages, tools } = createOrchestrator(defaultPorts());
    expect(await messages.process(wantsRefund)).toMatchObject({ status: 'COMPLETED', escalated: true });
    for (const tool of exampleTools) tools.register(tool);
    const trace = await messages.process(wantsRefund);
    expect(trace).toMatchObject({ status: 'COMPLETED', escalated: false });
    expect(trace.response).toContain('within 30 days');
  });
});
