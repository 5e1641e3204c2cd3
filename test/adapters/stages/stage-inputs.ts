import type { CustomerMessage, Intent, ToolOutcome } from '../../../src/domain/message/message.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { StageContext, VerificationInput } from '../../../src/ports/stages.ts';

/** A message with some text. */
export function messageOf(text: string): CustomerMessage {
  return { source: 'chat', customerId: 'customer-1', message: text };
}

/** A call of a tool that succeeded. */
export function outcomeOf(toolName: string, output: JsonObject): ToolOutcome {
  return { toolName, input: {}, status: 'success', output, attempts: 1, error: null, durationMs: 1 };
}

/** What the verifier is given. */
export function verificationOf(
  text: string,
  intent: Intent,
  outcomes: readonly ToolOutcome[] = [],
  confidence = 0.9,
): VerificationInput {
  return { message: messageOf(text), classification: { intent, confidence }, outcomes };
}

/** A context for stages that need none. */
export const context: StageContext = { signal: new AbortController().signal };

/** What the example tools return. */
export const policyOutcome = outcomeOf('refund_policy', {
  policy: 'You can return it within 30 days.',
  window_days: 30,
  refund_method: 'original_payment_method',
});

export const articlesOutcome = outcomeOf('search_help_center', {
  articles: [
    { id: 'one', title: 'First article', excerpt: 'Do this.', score: 9 },
    { id: 'two', title: 'Second article', excerpt: 'Do that.', score: 6 },
    { id: 'three', title: 'Third article', excerpt: 'Do nothing.', score: 5 },
  ],
});
