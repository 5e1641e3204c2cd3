import { isOrchestrationError, OrchestrationError } from '../../domain/errors.ts';
import { type CustomerMessage, customerMessageIssues } from '../../domain/message/message.ts';
import { messageResponse, type Trace } from '../../domain/message/trace.ts';
import { type BuiltInAgentName, builtInAgentNames } from '../../domain/routing/built-in-agents.ts';
import { materialOf } from '../../domain/routing/material.ts';
import { ToolError } from '../../domain/tool-error.ts';
import { getOwn, type JsonObject, type JsonValue } from '../../lib/json/json.ts';
import { summarize } from '../../lib/text/summary.ts';
import type { Agent } from '../../ports/agent.ts';
import type { BeginErasable } from '../../ports/storage/erasure-marks.ts';

/** The dependencies of the built-in agents. */
export interface BuiltInAgentDeps {
  /** The message pipeline that serves `POST /messages`. */
  readonly processMessage: (
    message: CustomerMessage,
    options?: { readonly signal?: AbortSignal; readonly traceIds?: readonly string[] | undefined },
  ) => Promise<Trace>;
  /** Called before a message of a customer: see `BeginErasable`. */
  readonly beginErasable: BeginErasable;
  /** Deletes a trace with all that belongs to it. Rejects with `not_found`. */
  readonly deleteTrace: (traceId: string) => Promise<void>;
}

/** Creates the built-in agents of those names, in the order of {@link builtInAgentNames}. */
export function createBuiltInAgents(
  deps: BuiltInAgentDeps,
  names: readonly BuiltInAgentName[] = builtInAgentNames,
): readonly Agent[] {
  const agents: Readonly<Record<BuiltInAgentName, Agent>> = {
    echo,
    summary,
    support_pipeline: supportPipeline(deps),
  };
  return builtInAgentNames.filter((name) => names.includes(name)).map((name) => agents[name]);
}

const echo: Agent = {
  name: 'echo',
  description: 'Replies with its payload, unchanged.',
  keywords: ['echo', 'repeat', 'say back', 'send back', 'parrot'],
  effect: 'read',
  handle: ({ payload }) => payload,
};

/** Sentences of a summary by default. */
const DEFAULT_SENTENCES = 3;

const summaryKeywords: readonly string[] = [
  ...['summary', 'summarize', 'summarise', 'summarization', 'summarisation', 'sum up', 'tldr', 'recap'],
  ...['condense', 'shorten', 'digest', 'gist', 'key points', 'main points', 'in brief', 'abridge'],
];

const summary: Agent = {
  name: 'summary',
  description:
    'Summarises the text of its payload in at most max_sentences of its own sentences (3 by default), in their order.',
  keywords: summaryKeywords,
  inputSchema: {
    type: 'object',
    properties: { max_sentences: { type: 'integer', minimum: 1, description: 'Sentences of the summary' } },
  },
  effect: 'read',
  handle({ payload }) {
    const { summary, sentenceCount, originalSentenceCount } = summarize(
      textToSummarize(payload),
      maxSentences(payload),
    );
    return {
      summary,
      sentence_count: sentenceCount,
      original_sentence_count: originalSentenceCount,
    };
  },
};

/** The text without the instruction to summarize it, or all strings of the payload. A subtask has its `goal`. */
function textToSummarize(payload: JsonObject): string {
  const text = getOwn(payload, 'text');
  if (typeof text !== 'string') return stringsOf(payload).join('\n\n');
  return materialOf(text, summaryKeywords, typeof getOwn(payload, 'goal') === 'string');
}

function maxSentences(payload: JsonObject): number {
  const max = getOwn(payload, 'max_sentences');
  if (max === undefined) return DEFAULT_SENTENCES;
  if (typeof max !== 'number' || !Number.isSafeInteger(max) || max < 1) {
    throw new ToolError('max_sentences: must be an integer of at least 1', { permanent: true });
  }
  return max;
}

/** Every string of a value, in order. Payloads are at most 64 levels deep. */
function stringsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const members: readonly JsonValue[] = Object.values(value);
  return members.flatMap(stringsOf);
}

function ignoreGone(error: unknown): void {
  if (!isOrchestrationError(error, 'not_found')) throw error;
}

/** The customer and source of a message where neither its payload nor what it is made for names one. */
const DEFAULT_CUSTOMER = 'agent';
const DEFAULT_SOURCE = 'other';

function supportPipeline({ processMessage, beginErasable, deleteTrace }: BuiltInAgentDeps): Agent {
  /** Leaves nothing of a customer who is erased meanwhile, also where the sender no longer waits. */
  async function process(
    message: CustomerMessage,
    options: { readonly signal: AbortSignal; readonly traceIds: readonly string[] | undefined },
  ): Promise<Trace> {
    const wasErased = await beginErasable(
      message.customerId === DEFAULT_CUSTOMER ? null : message.customerId,
    );
    const trace = await processMessage(message, options);
    if (await wasErased()) await deleteTrace(trace.traceId).catch(ignoreGone);
    return trace;
  }

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
    effect: 'idempotent',
    async handle({ id, payload }, { signal, customerId }) {
      const message = toCustomerMessage(payload, customerId ?? DEFAULT_CUSTOMER);
      // The trace of a goal is found by the id of its message. The key of a step of a run is no id of a record.
      const traceIds = id.includes(':') ? undefined : [id];
      const trace = await runPipeline(() => process(message, { signal, traceIds }));
      if (trace.status === 'FAILED') {
        throw new ToolError(`the message pipeline failed: ${trace.error} (trace ${trace.traceId})`);
      }
      return messageResponse(trace);
    },
  };
}

/**
 * Runs the pipeline. Errors of the orchestrator, such as an unavailable store, become a `ToolError` for the sender.
 */
async function runPipeline(process: () => Promise<Trace>): Promise<Trace> {
  try {
    return await process();
  } catch (error) {
    if (error instanceof OrchestrationError) throw new ToolError(error.message, { cause: error });
    throw error;
  }
}

/** Validates the message of a payload by the rules of `POST /messages`. Throws one `ToolError` with all issues. */
function toCustomerMessage(payload: JsonObject, defaultCustomer: string): CustomerMessage {
  const message: CustomerMessage = {
    message: textOf(payload, 'message', ''),
    customerId: textOf(payload, 'customer_id', defaultCustomer),
    source: textOf(payload, 'source', DEFAULT_SOURCE),
  };
  const issues = customerMessageIssues(message);
  if (issues.length > 0) throw new ToolError(issues.join('; '), { permanent: true });
  return message;
}

/** A text of the payload; `fallback` where it is absent, and the empty text, which is invalid, for any other type. */
function textOf(payload: JsonObject, key: string, fallback: string): string {
  const value = getOwn(payload, key);
  if (value === undefined) return fallback;
  return typeof value === 'string' ? value : '';
}
