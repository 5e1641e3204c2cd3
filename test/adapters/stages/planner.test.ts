import { describe, expect, test } from 'vitest';
import { decidePlan } from '../../../src/adapters/stages/planner.ts';
import { type Intent, intents } from '../../../src/domain/message/message.ts';
import { messageOf } from './stage-inputs.ts';

function plan(intent: Intent, text: string) {
  const classification = { intent, confidence: 0.9 };
  return decidePlan({ message: messageOf(text), classification, hasTool: () => true });
}

describe('the planner', () => {
  test('calls the refund policy for a refund', () => {
    expect(plan('refund', 'I want my money back for order 5512').value.toolCalls).toEqual([
      { toolName: 'refund_policy', input: {} },
    ]);
  });

  test('looks up the order that a message about its status names', () => {
    expect(plan('order_status', 'Where is order #A-1234?').value.toolCalls).toEqual([
      { toolName: 'check_order_status', input: { order_id: 'A-1234' } },
    ]);
  });

  test('calls nothing for the status of an order that is not named', () => {
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
});
