import type { Decision, Plan, ToolCall } from '../../domain/message/message.ts';
import { MAX_TOOL_CALLS } from '../../domain/message/stage-contract.ts';
import { isAnsweredFromArticles, type PlaybookIntent } from '../../domain/playbook/playbook.ts';
import type { PlanningInput } from '../../ports/stages.ts';
import type { Assessor } from './assessor.ts';
import { inputValues } from './template-values.ts';

/**
 * Chooses the tool calls by the wishes of the message and what it names, as the playbook says. A call of a tool that is
 * not registered is omitted: the verifier then decides without it. An automatic message and one with a concern get no
 * answer from a tool, so that none is called: a tool that fails must not replace the reply to a concern.
 */
export function planToolCalls(input: PlanningInput, assessor: Assessor): Decision<Plan> {
  const { message, classification, hasTool } = input;
  const { intent } = classification;
  const entities = assessor.entitiesOf(message);
  const isAutomatic = assessor.assess(message).automatic !== false;
  const isHeld = message.history?.isHeld === true;
  // Nothing is known of the wish of a message that is but a number.
  const saysNothing = classification.confidence === 0;
  const isAnswered =
    !isHeld && !isAutomatic && !saysNothing && assessor.concernsOf(message, classification).length === 0;
  const wishes = isAnswered ? assessor.wishesOf(message, classification) : [];
  const wanted = wishes.flatMap((wish) => callsFor(assessor.intentOf(wish), input, assessor));
  const toolCalls = wanted.filter(({ toolName }) => hasTool(toolName)).slice(0, MAX_TOOL_CALLS);
  const tools = toolCalls.map(({ toolName }) => toolName);
  const missing = wanted.map(({ toolName }) => toolName).filter((name) => !hasTool(name));
  return {
    value: { toolCalls },
    source: 'deterministic',
    summary: isHeld ? 'Nothing to call: a person holds the conversation.' : summaryOf(wishes, tools, missing),
    data: { intent, wishes: [...wishes], tools, entities },
  };
}

function summaryOf(wishes: readonly string[], tools: readonly string[], missing: readonly string[]): string {
  const wanted = wishes.join(' and ');
  if (wishes.length === 0) return 'Nothing to call: the message has no wish for a tool.';
  if (tools.length > 0) return `Calls ${tools.join(', ')} for ${wanted}.`;
  const reason = missing.length === 0 ? '' : `: ${missing.join(', ')} is not registered`;
  return `Nothing to call for ${wanted}${reason}.`;
}

/** The calls for one wish: none while something is missing that its question asks for. */
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
