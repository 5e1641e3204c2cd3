import { z } from 'zod';
import { createLlmDecomposer } from '../../../src/adapters/decomposer/llm.ts';
import { createPreparation } from '../../../src/adapters/preparation/prepare.ts';
import { createLlmStages, type ModelStage } from '../../../src/adapters/stages/llm/stages.ts';
import { classifyMessage } from '../../../src/adapters/stages/rule-based.ts';
import type { CustomerMessage, Decision, ToolOutcome } from '../../../src/domain/message/message.ts';
import type { PreparedMessage } from '../../../src/domain/message/prepared.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Decompose } from '../../../src/ports/decompose.ts';
import type { LanguageModel, LlmObserver } from '../../../src/ports/language-model.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { Stages } from '../../../src/ports/stages.ts';
import type { Tool } from '../../../src/ports/tool.ts';
import { assessor } from '../../adapters/stages/stage-inputs.ts';
import { assessed, fits } from './fake-model.ts';

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

/** A clock at noon on 2 March 2026, in UTC. */
export const placeClock = { now: () => Date.UTC(2026, 2, 2, 12) };

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

/** A message for one run: the stages keep what they found out about it. */
const customer = () => prepared(`My ${CUSTOMER_TEXT} is late, and what is your refund policy?`);

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
  {
    name: 'summary',
    description: 'Summarises.',
    keywords: ['summarise'],
    inputSchema: { type: 'object', properties: { style: { enum: ['short', 'long'] } } },
  },
];

const keyword: Decompose = () => ({
  decomposition: 'keyword',
  subtasks: [{ agentName: 'echo', payload: { text: goal } }],
});

/** Fixed rules that judge messages as the built-in judgement does: a language model changes what it says. */
const placeRules: Stages = {
  ...fixedRules,
  classify(message) {
    const judged = classifyMessage(message, assessor);
    return { ...judged, data: { ...judged.data, rule: true } };
  },
};

/** Stages of which one uses the model. */
function stagesOf(stage: ModelStage, { model, logger, observer }: PlaceParts): Stages {
  return createLlmStages({
    findArticles: () => [],
    assessor,
    model,
    rules: placeRules,
    enabled: new Set([stage]),
    tools: () => placeTools,
    clock: placeClock,
    logger,
    observer,
  });
}

const contextOf = ({ signal }: PlaceParts) => ({ signal: signal ?? new AbortController().signal });

/** As the built-in judgement classifies: the rules stand in only for the same intent. */
const classification = { intent: 'refund', confidence: 0.8 } as const;

const verdict = { escalated: false, reasons: ['answered'], disposition: 'answered', concerns: [] } as const;

/** A reply of a model as it is sent. */
function framed(reply: string): string {
  const { company, texts } = assessor.playbook;
  const { greeting, closing } = texts.get('en') ?? { greeting: '', closing: '' };
  return `${greeting}\n\n${reply}\n\n${closing}\n${company.signature}`;
}

export const places: readonly Place[] = [
  {
    name: 'classifier',
    valid: assessed('order_status', { concerns: [{ name: 'legal', words: 'refund policy' }] }),
    byModel: { intent: 'order_status', confidence: 0.95, byModel: true, concerns: ['legal'] },
    byRules: classifyMessage(customer(), assessor).value,
    run: async (parts) => stagesOf('classifier', parts).classify(customer(), contextOf(parts)),
  },
  {
    name: 'planner',
    valid: assessed('refund', { tool_calls: [{ tool_name: 'check_order', input: { order_id: 'A-7' } }] }),
    byModel: {
      toolCalls: [
        { toolName: 'refund_policy', input: {} },
        { toolName: 'check_order', input: { order_id: 'A-7' } },
      ],
    },
    byRules: { toolCalls: [{ toolName: 'refund_policy', input: {} }] },
    run: async (parts) =>
      stagesOf('planner', parts).plan(
        { message: customer(), classification, hasTool: () => true },
        contextOf(parts),
      ),
  },
  {
    name: 'verifier',
    valid: { ...fits, fits: false, unanswered: ['where the parcel is'] },
    byModel: {
      escalated: true,
      reasons: ['reply_does_not_fit'],
      disposition: 'escalated',
      concerns: [],
      draft: 'By the rules.',
    },
    byRules: { escalated: false, reasons: ['answered'] },
    run: async (parts) =>
      stagesOf('verifier', parts).verify(
        { message: customer(), classification, outcomes: [outcome] },
        contextOf(parts),
      ),
  },
  {
    name: 'responder',
    valid: { reply: 'You have 30 days.', used: ['c1'], left_open: [] },
    byModel: framed('You have 30 days.'),
    byRules: 'By the rules.',
    run: async (parts) =>
      stagesOf('responder', parts).respond(
        { message: customer(), classification, outcomes: [outcome], verdict },
        contextOf(parts),
      ),
  },
  {
    name: 'decomposer',
    valid: {
      subtasks: [{ agent_name: 'summary', text: 'summarise the report', input: '{"style":"short"}' }],
      unassigned: ['echo parcel'],
    },
    byModel: [
      {
        agentName: 'summary',
        payload: { text: 'summarise the report', message: 'summarise the report', goal, style: 'short' },
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
