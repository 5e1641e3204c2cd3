import type { Decision, Intent, Plan, ToolCall, ToolOutcome } from '../../domain/message/message.ts';
import type { Playbook, PlaybookIntent } from '../../domain/message/playbook.ts';
import { getOwn, type JsonObject } from '../../lib/json/json.ts';
import type { PlanningInput } from '../../ports/stages.ts';
import { assessMessage, wishesOf } from './assessment.ts';
import { concernsOf } from './concerns.ts';
import { type Entities, findEntities } from './entities.ts';

/** Searches the articles of the playbook. */
const ARTICLES_TOOL = 'search_help_center';

/**
 * Chooses the tool calls by the wishes of the message and what it names, as the playbook says. A call of a tool that is
 * not registered is omitted: the verifier then decides without it. An automatic message and one with a concern get no
 * answer from a tool, so that none is called: a tool that fails must not replace the reply to a concern.
 */
export function planToolCalls(
  { message, classification, hasTool }: PlanningInput,
  playbook: Playbook,
): Decision<Plan> {
  const { intent } = classification;
  const entities = findEntities(message);
  const isAutomatic = assessMessage(message).automatic !== false;
  const isAnswered = !isAutomatic && concernsOf(message, classification).length === 0;
  const wishes = isAnswered ? wishesOf(message, classification) : [];
  const wanted = wishes.flatMap((wish) => callsFor(wish, message.prepared.text, entities, playbook));
  const toolCalls = wanted.filter(({ toolName }) => hasTool(toolName));
  const tools = toolCalls.map(({ toolName }) => toolName);
  const missing = wanted.map(({ toolName }) => toolName).filter((name) => !hasTool(name));
  return {
    value: { toolCalls },
    source: 'deterministic',
    summary: summaryOf(wishes, tools, missing),
    data: { intent, wishes: [...wishes], tools, entities },
  };
}

function summaryOf(wishes: readonly Intent[], tools: readonly string[], missing: readonly string[]): string {
  const wanted = wishes.join(' and ');
  if (wishes.length === 0) return 'Nothing to call: the message has no wish for a tool.';
  if (tools.length > 0) return `Calls ${tools.join(', ')} for ${wanted}.`;
  const reason = missing.length === 0 ? '' : `: ${missing.join(', ')} is not registered`;
  return `Nothing to call for ${wanted}${reason}.`;
}

function callsFor(wish: Intent, text: string, entities: Entities, playbook: Playbook): readonly ToolCall[] {
  const { tool, articles, required, handover } = playbook.intents[wish];
  if (handover || required.some(({ entity }) => entities[entity] === undefined)) return [];
  if (tool !== undefined) return [{ toolName: tool.name, input: inputOf(tool.input, entities) }];
  return articles && text.trim() !== ''
    ? [{ toolName: ARTICLES_TOOL, input: { query: text, intent: wish } }]
    : [];
}

/** True for an outcome of the call that the playbook states for an intent. */
export function isFor({ toolName, input }: ToolOutcome, { tool, name }: PlaybookIntent): boolean {
  if (tool !== undefined) return toolName === tool.name;
  return toolName === ARTICLES_TOOL && getOwn(input, 'intent') === name;
}

/** The input of a tool. A member that names something which the message does not is omitted. */
function inputOf(stated: Readonly<Record<string, string>>, entities: Entities): JsonObject {
  return Object.fromEntries(
    Object.entries(stated).flatMap(([name, value]) => {
      const entity = /^\$\{\{ entities\.(\w+) \}\}$/.exec(value)?.[1];
      const filled = entity === undefined ? value : entities[entity];
      return filled === undefined ? [] : [[name, filled]];
    }),
  );
}
