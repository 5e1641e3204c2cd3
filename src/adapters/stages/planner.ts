import type { Decision, Intent, Plan, ToolCall } from '../../domain/message/message.ts';
import type { PlanningInput } from '../../ports/stages.ts';
import { findOrderId } from './order-id.ts';

/** How the deterministic planner goes about each intent (decisions, section 2). */
const approaches = {
  refund: 'policy',
  order_status: 'order',
  order_change: 'articles',
  cancellation: 'articles',
  shipping: 'articles',
  billing: 'articles',
  account: 'articles',
  technical_issue: 'articles',
  complaint: 'articles',
  feedback: 'articles',
  subscription: 'articles',
  human_agent: 'none',
  spam: 'none',
  general_question: 'articles',
} as const satisfies Record<Intent, 'policy' | 'order' | 'articles' | 'none'>;

/** Says which tools to call, from the intent and the order id that the message names. */
export function decidePlan({ message, classification }: PlanningInput): Decision<Plan> {
  const toolCalls = callsFor(classification.intent, message.message);
  const toolNames = toolCalls.map((call) => call.toolName);
  const summary =
    toolNames.length === 0
      ? `Nothing to call for ${classification.intent}.`
      : `Calls ${toolNames.join(', ')} for ${classification.intent}.`;
  return {
    value: { toolCalls },
    source: 'deterministic',
    summary,
    data: { intent: classification.intent, tools: toolNames },
  };
}

function callsFor(intent: Intent, message: string): readonly ToolCall[] {
  switch (approaches[intent]) {
    case 'policy':
      return [{ toolName: 'refund_policy', input: {} }];
    case 'order': {
      const orderId = findOrderId(message);
      return orderId === undefined ? [] : [{ toolName: 'check_order_status', input: { order_id: orderId } }];
    }
    case 'articles':
      return [{ toolName: 'search_help_center', input: { query: message } }];
    case 'none':
      return [];
  }
}
