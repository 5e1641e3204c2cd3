import type { Decision, Intent, Plan, ToolCall } from '../../domain/message/message.ts';
import type { PlanningInput } from '../../ports/stages.ts';
import { findOrderId } from './order-id.ts';

/** The kind of tool that the deterministic planner calls for each intent (decisions, section 2). */
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

/**
 * Chooses the tool calls by the intent and the order id in the message. A call of a tool that is not registered is
 * omitted: the verifier then decides without it.
 */
export function planToolCalls({ message, classification, hasTool }: PlanningInput): Decision<Plan> {
  const { intent } = classification;
  const wanted = callsFor(intent, message.message);
  const toolCalls = wanted.filter(({ toolName }) => hasTool(toolName));
  const tools = toolCalls.map(({ toolName }) => toolName);
  const missing = wanted.map(({ toolName }) => toolName).filter((name) => !hasTool(name));
  return {
    value: { toolCalls },
    source: 'deterministic',
    summary: summaryOf(intent, tools, missing),
    data: { intent, tools },
  };
}

function summaryOf(intent: Intent, tools: readonly string[], missing: readonly string[]): string {
  if (tools.length > 0) return `Calls ${tools.join(', ')} for ${intent}.`;
  const reason = missing.length === 0 ? '' : `: ${missing.join(', ')} is not registered`;
  return `Nothing to call for ${intent}${reason}.`;
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
