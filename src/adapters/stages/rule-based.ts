import type { Classification, Decision, Plan, ToolCall } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import { MAX_TOOL_CALLS } from '../../domain/message/stage-contract.ts';
import { isAnsweredFromArticles, type PlaybookIntent } from '../../domain/playbook/playbook.ts';
import type { PlanningInput, Stages } from '../../ports/stages.ts';
import { type Completion, roundProbability } from './assessment.ts';
import type { Assessor } from './assessor.ts';
import { createResponder } from './responder.ts';
import { inputValues } from './template-values.ts';
import { verifyAnswer } from './verifier.ts';

/** The default of `escalationThreshold` (decisions, section 2). */
export const DEFAULT_ESCALATION_THRESHOLD = 0.45;

/**
 * Creates the deterministic stages (specification, section 1): they use no clock or randomness, and no network but
 * for the vectors of an embedding model where there is one, and decide the same for the same message and vector.
 * Messages with a lower confidence than `escalationThreshold` are escalated.
 */
export function createStagesOf(assessor: Assessor, escalationThreshold: number): Stages {
  return {
    classify(message) {
      const pending = assessor.findVector(message);
      if (pending === undefined) return classifyMessage(message, assessor);
      return pending.then((hasVector) => classifyMessage(message, assessor, hasVector));
    },
    plan: (input) => planToolCalls(input, assessor),
    verify: (input) => verifyAnswer(input, { assessor, escalationThreshold }),
    respond: createResponder(assessor),
  };
}

// Classifier

/**
 * The classifier stage: the built-in judgement. The same text always has the same result; the time grows with its
 * length. Its data names the concerns, the words that decided, and the next likely intents; and where vectors could
 * help, whether there was one.
 */
export function classifyMessage(
  message: PreparedMessage,
  assessor: Assessor,
  hasVector?: boolean,
): Decision<Classification> {
  const { intent, confidence, concerns, intents, evidence, alternatives, completion } =
    assessor.assess(message);
  const rounded = roundProbability(confidence);
  const others = intents.filter((one) => one !== intent);
  return {
    value: {
      intent,
      confidence: rounded,
      concerns,
      ...(others.length === 0 ? {} : { otherIntents: others }),
    },
    source: 'deterministic',
    summary: `The message is classified as ${intent} with confidence ${rounded.toFixed(2)}.`,
    data: {
      judge: assessor.isBuiltIn ? 'built_in' : 'classifier',
      intent,
      confidence: rounded,
      wishes: [...intents],
      concerns: [...concerns],
      evidence: Object.fromEntries(Object.entries(evidence).map(([name, words]) => [name, [...words]])),
      alternatives: alternatives.map((one) => ({
        intent: one.intent,
        confidence: roundProbability(one.confidence),
      })),
      ...(hasVector === undefined ? {} : { vector: hasVector }),
      ...(completion === undefined ? {} : { conversation: describe(completion) }),
    },
  };
}

/** The part of the conversation that decided, without any words of the customer. */
function describe({ intent, named }: Completion): string {
  return `The message names ${named.join(' and ')}, which completes the earlier wish ${intent}.`;
}

// Planner

/**
 * Chooses the tool calls by the intents of the message and what it names, as the playbook says. A call of a tool that
 * is not registered is omitted: the verifier then decides without it. An automatic message and one with a concern get
 * no answer from a tool, so that none is called: a tool that fails must not replace the reply to a concern.
 */
export function planToolCalls(input: PlanningInput, assessor: Assessor): Decision<Plan> {
  const { message, classification, hasTool } = input;
  const { intent } = classification;
  const entities = assessor.entitiesOf(message);
  const isAutomatic = assessor.assess(message).automatic !== false;
  const isHeld = message.history?.isHeld === true;
  // Nothing is known of the intent of a message that is but a number.
  const saysNothing = classification.confidence === 0;
  const isAnswered =
    !isHeld && !isAutomatic && !saysNothing && assessor.concernsOf(message, classification).length === 0;
  const intents = isAnswered ? assessor.intentsOf(message, classification) : [];
  const wanted = intents.flatMap((one) => callsFor(assessor.intentOf(one), input, assessor));
  const toolCalls = wanted.filter(({ toolName }) => hasTool(toolName)).slice(0, MAX_TOOL_CALLS);
  const tools = toolCalls.map(({ toolName }) => toolName);
  const missing = wanted.map(({ toolName }) => toolName).filter((name) => !hasTool(name));
  return {
    value: { toolCalls },
    source: 'deterministic',
    summary: isHeld
      ? 'Nothing to call: a person holds the conversation.'
      : summaryOf(intents, tools, missing),
    data: { intent, wishes: [...intents], tools, entities },
  };
}

function summaryOf(intents: readonly string[], tools: readonly string[], missing: readonly string[]): string {
  const wanted = intents.join(' and ');
  if (intents.length === 0) return 'Nothing to call: the message has no wish for a tool.';
  if (tools.length > 0) return `Calls ${tools.join(', ')} for ${wanted}.`;
  const reason = missing.length === 0 ? '' : `: ${missing.join(', ')} is not registered`;
  return `Nothing to call for ${wanted}${reason}.`;
}

/** The calls for one intent: none while something is missing that its question asks for. */
function callsFor(
  intent: PlaybookIntent,
  { message }: PlanningInput,
  assessor: Assessor,
): readonly ToolCall[] {
  const { name, tools, required, handover } = intent;
  const { articlesTool } = assessor.playbook;
  const entities = assessor.entitiesOf(message);
  if (handover || required.some(({ entity }) => entities[entity] === undefined)) return [];
  const values = tools.length === 0 ? {} : inputValues(message, entities);
  const calls = tools.map((tool) => ({ toolName: tool.name, input: tool.input(values) }));
  const query = message.prepared.text;
  if (!isAnsweredFromArticles(intent) || articlesTool === undefined || query.trim() === '') return calls;
  const { languages } = assessor.playbook.company;
  const language = languages.length > 1 ? assessor.replyLanguage(message) : undefined;
  return [
    {
      toolName: articlesTool,
      input: { query, intent: name, ...(language === undefined ? {} : { language }) },
    },
  ];
}
