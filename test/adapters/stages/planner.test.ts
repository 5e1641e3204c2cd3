import { describe, expect, test } from 'vitest';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { planToolCalls } from '../../../src/adapters/stages/rule-based.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import { type Intent, intents } from '../../../src/domain/message/message.ts';
import type { PreparedMessage } from '../../../src/domain/message/prepared.ts';
import { assessor, messageOf, twoIntents } from './stage-inputs.ts';

function planFor(intent: Intent, message: PreparedMessage, hasTool: (name: string) => boolean = () => true) {
  return planToolCalls({ message, classification: { intent, confidence: 0.9 }, hasTool }, assessor);
}

function plan(intent: Intent, text: string, hasTool?: (name: string) => boolean) {
  return planFor(intent, messageOf(text), hasTool);
}

describe('the planner', () => {
  test('calls the refund policy for a refund, with the reason that the message gives', () => {
    expect(plan('refund', 'I want my money back for order 5512').value.toolCalls).toEqual([
      { toolName: 'refund_policy', input: {} },
    ]);
    expect(plan('refund', 'I want a refund, the lamp arrived broken').value.toolCalls).toEqual([
      { toolName: 'refund_policy', input: { reason: 'damaged' } },
    ]);
  });

  test('looks up the order whose status is requested', () => {
    expect(plan('order_status', 'Where is order #A-1234?').value.toolCalls).toEqual([
      { toolName: 'check_order_status', input: { order_id: 'A-1234' } },
    ]);
    const message = messageOf('Where is it?', {}, { subject: 'Order A-1234' });
    expect(planFor('order_status', message).value.toolCalls).toContainEqual({
      toolName: 'check_order_status',
      input: { order_id: 'A-1234' },
    });
  });

  test('calls nothing for the status of an order without an id', () => {
    const { value, summary, data } = plan('order_status', 'Where is my order?');
    expect(value.toolCalls).toEqual([]);
    expect(summary).toBe('Nothing to call for order_status.');
    expect(data).toEqual({ intent: 'order_status', wishes: ['order_status'], tools: [], entities: {} });
  });

  test.each<Intent>(['spam', 'human_agent', 'feedback'])('calls nothing for %s', (intent) => {
    expect(plan(intent, 'order 5512').value.toolCalls).toEqual([]);
  });

  const searched = intents.filter((intent) => assessor.intentOf(intent).articles);
  test.each(searched)('searches the articles for %s with the message', (intent) => {
    // The message is classified as something else, as a language model may do: then that is the only wish.
    const text = intent === 'general_question' ? 'I want a refund' : 'What are your opening hours?';
    const { value, source, summary, data } = plan(intent, text);
    expect(value.toolCalls).toEqual([{ toolName: 'search_help_center', input: { query: text, intent } }]);
    expect(source).toBe('deterministic');
    expect(summary).toBe(`Calls search_help_center for ${intent}.`);
    expect(data).toMatchObject({ intent, wishes: [intent], tools: ['search_help_center'] });
  });

  test('searches with the newest text, without what was set apart', () => {
    const message = messageOf('How do I pay?\n\n> some quote', { text: 'How do I pay?' });
    const [call] = planFor('billing', message).value.toolCalls;
    expect(call?.input['query']).toBe('How do I pay?');
  });

  test.each<[Intent, string, string]>([
    ['refund', 'refund_policy', 'What are your opening hours?'],
    ['order_status', 'check_order_status', 'What are your opening hours? My order is 5512.'],
    ['billing', 'search_help_center', 'What are your opening hours?'],
  ])('leaves out the tool for %s when %s is not registered', (intent, tool, text) => {
    const { value, summary, data } = plan(intent, text, (name) => name !== tool);
    expect(value.toolCalls).toEqual([]);
    expect(summary).toBe(`Nothing to call for ${intent}: ${tool} is not registered.`);
    expect(data).toMatchObject({ intent, tools: [] });
  });

  test('makes a call for each of two wishes', () => {
    const { message, classification, intents } = twoIntents();
    const { value, summary, data } = planToolCalls(
      { message, classification, hasTool: () => true },
      assessor,
    );
    expect(value.toolCalls).toHaveLength(2);
    expect(summary).toBe(
      `Calls ${value.toolCalls.map((call) => call.toolName).join(', ')} for ${intents.join(' and ')}.`,
    );
    expect(data['wishes']).toEqual(intents);
  });

  test.each(['ok thanks', 'Hello'])('calls nothing for %j', (text) => {
    const { value, summary } = plan(text === 'Hello' ? 'general_question' : 'feedback', text);
    expect(value.toolCalls).toEqual([]);
    expect(summary).toMatch(/^Nothing to call/);
  });

  test.each(['auto_reply', 'bounce', 'empty'] as const)(
    'calls nothing for an automatic message (%s): it is not answered',
    (automatic) => {
      const text = automatic === 'empty' ? '' : 'I am out of the office until Monday.';
      for (const intent of intents) {
        const message = messageOf(text, { automatic });
        expect(planFor(intent, message).value.toolCalls, intent).toEqual([]);
      }
    },
  );

  test('calls a tool for a message that only looks like an automatic one', () => {
    const message = messageOf('Where do I find the invoice for my last order?', { automatic: 'auto_reply' });
    const { toolCalls } = planFor('billing', message).value;
    expect(toolCalls.map(({ toolName }) => toolName)).toEqual(['search_help_center']);
  });

  test('calls nothing for a message with a concern, whoever found it', () => {
    expect(plan('refund', 'The kettle exploded and burned my hand, I want a refund').value.toolCalls).toEqual(
      [],
    );
    const { value } = planToolCalls(
      {
        message: messageOf('I want a refund'),
        classification: { intent: 'refund', confidence: 0.9, concerns: ['fraud'] },
        hasTool: () => true,
      },
      assessor,
    );
    expect(value.toolCalls).toEqual([]);
  });

  test('never searches for nothing', () => {
    for (const text of ['', ' ', '\n']) expect(plan('billing', text).value.toolCalls).toEqual([]);
  });
});

describe('messages of an orchestrator', () => {
  const raw = (message: string) => ({ source: 'chat', customerId: 'customer-1', message });
  const wantsRefund = raw('I want a refund for my broken blender');

  test('are escalated, not failed, when no tool is registered', async () => {
    const { messages } = createOrchestrator(defaultPorts());
    for (const text of ['I want a refund', 'Where is order A-1234?', 'How do I reset my password?']) {
      const trace = await messages.process(raw(text));
      expect(trace).toMatchObject({
        status: 'COMPLETED',
        escalated: true,
        disposition: 'escalated',
        error: null,
      });
      expect(trace.response).toContain('A colleague will read your message and answer it.');
    }
  });

  test('need no tool where there is nothing to answer', async () => {
    const { messages } = createOrchestrator(defaultPorts());
    expect(await messages.process(raw('You won a prize, click here http://win.example'))).toMatchObject({
      status: 'COMPLETED',
      intent: 'spam',
      escalated: false,
      disposition: 'no_reply',
      response: '',
    });
    expect(await messages.process(raw('ok thanks!'))).toMatchObject({ disposition: 'answered' });
  });

  test('are answered with the tools that are registered, whenever that happens', async () => {
    const { messages, tools } = createOrchestrator(defaultPorts());
    expect(await messages.process(wantsRefund)).toMatchObject({ status: 'COMPLETED', escalated: true });
    for (const tool of exampleTools) tools.register(tool);
    const trace = await messages.process(wantsRefund);
    expect(trace).toMatchObject({ status: 'COMPLETED', escalated: false });
    expect(trace.response).toContain('within 60 days');
  });

  test('about an order that does not exist ask to check the number', async () => {
    const { messages, tools } = createOrchestrator(defaultPorts());
    for (const tool of exampleTools) tools.register(tool);
    const trace = await messages.process(raw('Where is my order missing-42?'));
    expect(trace).toMatchObject({
      status: 'COMPLETED',
      escalated: false,
      disposition: 'answered',
      error: null,
    });
    expect(trace.response).toMatch(/cannot find .*missing-42.*check the number/s);
  });

  test('with a concern get its reply although a tool fails', async () => {
    const { messages, tools } = createOrchestrator(defaultPorts());
    for (const tool of exampleTools) {
      tools.register({ ...tool, execute: () => Promise.reject(new Error('out of order')) });
    }
    expect(await messages.process(wantsRefund)).toMatchObject({ status: 'FAILED', escalated: true });
    const trace = await messages.process(
      raw('I want to kill myself. I want a refund for my broken blender.'),
    );
    expect(trace).toMatchObject({ status: 'COMPLETED', escalated: true, concerns: ['self_harm'] });
    expect(trace.response).toContain('116 123');
  });

  test('without any newest text are not answered, and not failed', async () => {
    const { messages, tools } = createOrchestrator(defaultPorts());
    for (const tool of exampleTools) tools.register(tool);
    for (const text of ['<p> </p>', '<div><br></div>', '-- \nSent from my phone', '​']) {
      const trace = await messages.process(raw(text));
      expect({ text, status: trace.status, error: trace.error }).toEqual({
        text,
        status: 'COMPLETED',
        error: null,
      });
    }
  });
});
