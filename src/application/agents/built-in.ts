import { isInstance } from '../../domain/error-text.ts';
import { OrchestrationError } from '../../domain/errors.ts';
import type { CustomerMessage } from '../../domain/message/message.ts';
import { messageResponse, type Trace } from '../../domain/message/trace.ts';
import { ToolError } from '../../domain/tool-error.ts';
import { getOwn, type JsonObject, type JsonValue } from '../../lib/json/json.ts';
import { summarize } from '../../lib/text/summary.ts';
import type { Agent } from '../../ports/agent.ts';

/** What the built-in agents work with. */
export interface BuiltInAgentDeps {
  /** The message pipeline that serves `POST /messages`. */
  readonly processMessage: (message: CustomerMessage, options?: { signal?: AbortSignal }) => Promise<Trace>;
}

/** The agents that every service has: `echo`, `summary` and `support_pipeline` (specification, section 1). */
export function createBuiltInAgents(deps: BuiltInAgentDeps): readonly Agent[] {
  return [echo, summary, supportPipeline(deps)];
}

const echo: Agent = {
  name: 'echo',
  description: 'Replies with its payload, unchanged.',
  keywords: ['echo', 'repeat', 'say back', 'send back', 'parrot'],
  handle: ({ payload }) => payload,
};

/** Sentences of a summary when nobody said how many. */
const DEFAULT_SENTENCES = 3;

const summary: Agent = {
  name: 'summary',
  description:
    'Summarises the text of its payload in at most max_sentences of its own sentences (3 by default), in their order.',
  keywords: [
    ...['summary', 'summarize', 'summarise', 'summarization', 'summarisation', 'sum up', 'tldr', 'recap'],
    ...['condense', 'shorten', 'digest', 'gist', 'key points', 'main points', 'in brief', 'abridge'],
  ],
  handle({ payload }) {
    const text = getOwn(payload, 'text');
    const { summary, sentenceCount, originalSentenceCount } = summarize(
      typeof text === 'string' ? text : stringsOf(payload).join('\n\n'),
      maxSentences(payload),
    );
    return {
      summary,
      sentence_count: sentenceCount,
      original_sentence_count: originalSentenceCount,
    };
  },
};

function maxSentences(payload: JsonObject): number {
  const most = getOwn(payload, 'max_sentences');
  if (most === undefined) return DEFAULT_SENTENCES;
  if (typeof most !== 'number' || !Number.isSafeInteger(most) || most < 1) {
    throw new ToolError('max_sentences: must be a whole number of at least 1', { permanent: true });
  }
  return most;
}

/** Every string within a value, in order, however deep. */
function stringsOf(value: JsonValue): string[] {
  const strings: string[] = [];
  const left: JsonValue[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') strings.push(next);
    else if (typeof next === 'object' && next !== null) {
      const members: readonly JsonValue[] = Object.values(next);
      for (const member of members.toReversed()) left.push(member);
    }
  }
  return strings;
}

/** Who a message is from, and where it came from, when its sender does not say. */
const DEFAULT_CUSTOMER = 'agent';
const DEFAULT_SOURCE = 'other';

function supportPipeline({ processMessage }: BuiltInAgentDeps): Agent {
  return {
    name: 'support_pipeline',
    description:
      'Runs a customer message through the support pipeline: classifies it, calls tools, verifies, and replies.',
    keywords: [
      ...['support', 'customer', 'complaint', 'complain', 'ticket', 'refund', 'reimburse', 'reimbursement'],
      ...['money back', 'order', 'delivery', 'shipping', 'shipment', 'parcel', 'cancel', 'cancellation'],
      ...['invoice', 'billing', 'payment', 'overcharge', 'charged twice', 'subscription', 'warranty'],
      ...['password', 'login', 'log in', 'my account', 'my package', 'human agent'],
      ...['reply to', 'respond to', 'answer to', 'answer the', 'answer this', 'answer him', 'answer her'],
    ],
    async handle({ payload }, context) {
      try {
        return messageResponse(await processMessage(customerMessage(payload), { signal: context.signal }));
      } catch (error) {
        if (isInstance(error, OrchestrationError)) throw new ToolError(error.message, { cause: error });
        throw error;
      }
    },
  };
}

/** The message of a payload, held to what `POST /messages` demands. Throws `ToolError` with all faults together. */
function customerMessage(payload: JsonObject): CustomerMessage {
  const faults: string[] = [];
  const text = (key: string, most: number, fallback?: string): string => {
    const own = getOwn(payload, key);
    const value = own === undefined ? fallback : own;
    if (typeof value === 'string' && value.length >= 1 && value.length <= most) return value;
    faults.push(`${key}: must be a text of 1 to ${most} characters`);
    return '';
  };
  const message = text('message', 32_768);
  const customerId = text('customer_id', 128, DEFAULT_CUSTOMER);
  const source = text('source', 64, DEFAULT_SOURCE);
  if (message !== '' && message.trim() === '') faults.push('message: must not be only white space');
  if (faults.length > 0) throw new ToolError(faults.join('; '), { permanent: true });
  return { source, customerId, message };
}
