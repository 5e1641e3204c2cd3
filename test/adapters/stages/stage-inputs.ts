import { createAssessorFor } from '../../../src/adapters/rule-based.ts';
import type { CustomerMessage, Intent, ToolOutcome } from '../../../src/domain/message/message.ts';
import type { PreparedMessage, PreparedText } from '../../../src/domain/message/prepared.ts';
import { parseClassification } from '../../../src/domain/message/stage-contract.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { StageContext, VerificationInput } from '../../../src/ports/stages.ts';

/** Reads messages by the built-in playbook. */
export const assessor = createAssessorFor({});

/** A classification that keeps the contract. */
export const parseIntent = (value: unknown) => parseClassification(value, assessor.playbook.intents);

/** A prepared message with some text, in English and from a person. */
export function messageOf(
  text: string,
  prepared: Partial<PreparedText> = {},
  more: Partial<CustomerMessage> = {},
): PreparedMessage {
  return {
    source: 'chat',
    customerId: 'customer-1',
    message: text,
    prepared: { text, setApart: [], language: 'en', automatic: false, ...prepared },
    ...more,
  };
}

/** A call of a tool that succeeded. */
export function outcomeOf(toolName: string, output: JsonObject, input: JsonObject = {}): ToolOutcome {
  return { toolName, input, status: 'success', output, attempts: 1, error: null, durationMs: 1 };
}

/** A call of a tool that found nothing. */
export function notFoundOf(toolName: string): ToolOutcome {
  return {
    toolName,
    input: {},
    status: 'error',
    output: null,
    attempts: 1,
    error: 'not found',
    durationMs: 1,
    notFound: true,
  };
}

/** The input of the verifier. */
export function verificationOf(
  text: string,
  intent: Intent,
  outcomes: readonly ToolOutcome[] = [],
  confidence = 0.99,
): VerificationInput {
  return { message: messageOf(text), classification: { intent, confidence }, outcomes };
}

/** A context for stages that need none. */
export const context: StageContext = { signal: new AbortController().signal };

/** The outcomes of the example tools. */
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

/** Messages that clearly want two things. */
const withTwoIntents = [
  'Where is my order A-1234? Please also tell me how I get my money back.',
  'Where is order A-1234, and where do I find my invoice?',
  'I forgot my password and I also want a refund for the broken lamp',
  'How do I reset my password? And what does express delivery cost?',
  'Please send me my invoice and tell me where my order A-1234 is',
  'I want to cancel my subscription, and where is my order 5512?',
  'What are your opening hours and where is my order 5512?',
  'Please refund the broken lamp. Where is my order 5512?',
  'I need an invoice, and I want to return the shoes for a refund',
  'My order A-1234 and the other one: where are they? I want a refund',
];

/** The first of these messages in which two intents are found that have tools. */
export function twoIntents() {
  for (const text of withTwoIntents) {
    const message = messageOf(text);
    const { intent, intents, concerns, reasons, confidence } = assessor.assess(message);
    const isPlain = concerns.length === 0 && reasons.length === 0 && confidence > 0.75;
    const needsTools = intents.every((one) => !['feedback', 'human_agent', 'spam'].includes(one));
    if (intents.length === 2 && isPlain && needsTools) {
      return { message, intents, intent, classification: { intent, confidence } };
    }
  }
  throw new Error('two intents are found in no message');
}
