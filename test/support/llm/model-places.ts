import { z } from 'zod';
import { createLlmDecomposer } from '../../../src/adapters/decomposer/llm.ts';
import { createPreparation } from '../../../src/adapters/preparation/prepare.ts';
import { createLlmStages } from '../../../src/adapters/stages/llm/stages.ts';
import type { CustomerMessage, Decision, ToolOutcome } from '../../../src/domain/message/message.ts';
import type { PreparedMessage } from '../../../src/domain/message/prepared.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Decompose } from '../../../src/ports/decompose.ts';
import type { LanguageModel, LlmObserver } from '../../../src/ports/language-model.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { Stages } from '../../../src/ports/stages.ts';
import type { Tool } from '../../../src/ports/tool.ts';
import { assessor } from '../../adapters/stages/stage-inputs.ts';

/** An observer that records its calls. */
export interface RecordingObserver extends LlmObserver {
  readonly fallbacks: { readonly stage: string; readonly reason: string }[];
  readonly costs: { readonly stage: string; readonly input: number; readonly output: number }[];
}

export function recordModelUse(): RecordingObserver {
  const fallbacks: RecordingObserver['fallbacks'] = [];
  const costs: RecordingObserver['costs'] = [];
  return {
    fallbacks,
    costs,
    fallback: (stage, reason) => void fallbacks.push({ stage, reason }),
    tokens: (stage, input, output) => void costs.push({ stage, input, output }),
  };
}

/** The dependencies of a place. */
export interface PlaceParts {
  readonly model: LanguageModel;
  readonly logger: Logger;
  readonly observer: LlmObserver;
  readonly signal?: AbortSignal;
}

/** The decision of a place, in the same form for all five. */
export interface PlaceOutcome {
  readonly source: string;
  readonly value: unknown;
  readonly data: JsonObject;
}

/** One of the five places that can use a language model. */
export interface Place {
  readonly name: 'classifier' | 'planner' | 'verifier' | 'responder' | 'decomposer';
  /** A reply of the model that is accepted. */
  readonly valid: JsonObject;
  /** The decision with that reply, and by the rules. */
  readonly byModel: unknown;
  readonly byRules: unknown;
  run(parts: PlaceParts): Promise<PlaceOutcome>;
}

/** A part of every text of a customer. No log line may contain it. */
export const CUSTOMER_TEXT = 'parcel A-7';

/** A message of a customer with what the preparation finds in it. */
export function prepared(message: string, more: Partial<CustomerMessage> = {}): PreparedMessage {
  return createPreparation({ redactPii: true, languages: ['en'] })({
    source: 'chat',
    customerId: 'c-1',
    message,
    ...more,
  });
}

const customer = prepared(`My ${CUSTOMER_TEXT} is late, and what is your refund policy?`);

const output = { policy: 'Refunds within 30 days.', more: 'https://help.example/refunds' };

const outcome: ToolOutcome = {
  toolName: 'refund_policy',
  input: {},
  status: 'success',
  output,
  attempts: 1,
  error: null,
  durationMs: 1,
};

const goal = `Echo ${CUSTOMER_TEXT}, then summarise the report.`;

/** Rules with fixed decisions. */
export const fixedRules: Stages = {
  classify: () => byRule({ intent: 'order_status', confidence: 0.5, concerns: ['injury'] }),
  plan: () => byRule({ toolCalls: [{ toolName: 'refund_policy', input: {} }] }),
  verify: () => byRule({ escalated: false, reasons: ['answered'] }),
  respond: () => byRule('By the rules.'),
};

function byRule<T>(value: T): Decision<T> {
  return { value, source: 'deterministic', summary: 'By rule.', data: { rule: true } };
}

/** A tool that does nothing. */
export function spyTool(name: string, effect: Tool['effect'], input: z.ZodType = z.object({})): Tool {
  const tool = { name, description: `Does ${name}.`, input, execute: () => ({ done: true }) };
  return effect === undefined ? tool : { ...tool, effect };
}

export const placeTools: readonly Tool[] = [
  spyTool('refund_policy', undefined),
  spyTool('check_order', 'read', z.object({ order_id: z.string().min(1) })),
  spyTool('send_money', 'write'),
  spyTool('undeclared', undefined),
];

/** The agents for decomposition. */
export const placeAgents = [
  { name: 'echo', description: 'Repeats.', keywords: ['echo'] },
  { name: 'summary', description: 'Summarises.', keywords: ['summarise'] },
];

const keyword: Decompose = () => ({
  decomposition: 'keyword',
  subtasks: [{ agentName: 'echo', payload: { text: goal } }],
});

function stagesOf({ model, logger, observer }: PlaceParts): Stages {
  const enabled = new Set(['classifier', 'planner', 'verifier', 'responder'] as const);
  return createLlmStages({
    assessor,
    model,
    rules: fixedRules,
    enabled,
    tools: () => placeTools,
    logger,
    observer,
  });
}

const contextOf = ({ signal }: PlaceParts) => ({ signal: signal ?? new AbortController().signal });

const planning = { message: customer, classification: { intent: 'refund', confidence: 0.8 } } as const;
const verification = { ...planning, outcomes: [outcome] };
const judged = {
  ...verification,
  // As the rules classify: they stand in only for the same intent.
  classification: { intent: 'order_status', confidence: 0.8 },
  verdict: { escalated: false, reasons: ['answered'], disposition: 'answered', concerns: [] },
} as const;

export const places: readonly Place[] = [
  {
    name: 'classifier',
    valid: { intent: 'refund', confidence: 0.9, concerns: ['legal'] },
    byModel: { intent: 'refund', confidence: 0.9, byModel: true, concerns: ['injury', 'legal'] },
    byRules: { intent: 'order_status', confidence: 0.5, concerns: ['injury'] },
    run: async (parts) => stagesOf(parts).classify(customer, contextOf(parts)),
  },
  {
    name: 'planner',
    valid: { tool_calls: [{ tool_name: 'check_order', input: '{"order_id":"A-7"}' }] },
    byModel: { toolCalls: [{ toolName: 'check_order', input: { order_id: 'A-7' } }] },
    byRules: { toolCalls: [{ toolName: 'refund_policy', input: {} }] },
    run: async (parts) => stagesOf(parts).plan({ ...planning, hasTool: () => true }, contextOf(parts)),
  },
  {
    name: 'verifier',
    valid: { escalate: true, reasons: ['not_answered'] },
    byModel: { escalated: true, reasons: ['not_answered'], disposition: 'escalated', concerns: [] },
    byRules: { escalated: false, reasons: ['answered'] },
    run: async (parts) => stagesOf(parts).verify(verification, contextOf(parts)),
  },
  {
    name: 'responder',
    valid: { reply: 'You have 30 days.' },
    byModel: 'You have 30 days.',
    byRules: 'By the rules.',
    run: async (parts) => stagesOf(parts).respond(judged, contextOf(parts)),
  },
  {
    name: 'decomposer',
    valid: { subtasks: [{ agent_name: 'summary', text: 'summarise the report' }] },
    byModel: [
      {
        agentName: 'summary',
        payload: { text: 'summarise the report', message: 'summarise the report', goal },
      },
    ],
    byRules: [{ agentName: 'echo', payload: { text: goal } }],
    async run(parts) {
      const decompose = createLlmDecomposer({ ...parts, keyword });
      const decomposed = await decompose(goal, placeAgents, { ...contextOf(parts), maxSubtasks: 100 });
      const source = decomposed.decomposition === 'llm' ? 'llm' : 'fallback';
      return { source, value: decomposed.subtasks, data: {} };
    },
  },
];
