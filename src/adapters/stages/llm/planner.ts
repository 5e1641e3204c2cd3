import { z } from 'zod';
import type { Decision, Plan, ToolCall } from '../../../domain/message/message.ts';
import { MAX_TOOL_CALLS } from '../../../domain/message/stage-contract.ts';
import { copyJsonObject } from '../../../lib/json/copy.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { PlanningInput, Stages } from '../../../ports/stages.ts';
import type { Tool } from '../../../ports/tool.ts';
import type { Assessor } from '../assessor.ts';
import type { LlmStageParts } from './decide.ts';
import { withConversation } from './history.ts';
import { isForModel, promptMessage } from './prompt-data.ts';
import { plannerPrompt } from './prompts.ts';
import { type OfferedTool, offerTools } from './tool-offer.ts';

/** Inputs are JSON texts, because strict providers accept no objects with unknown keys. */
const schema = z.strictObject({
  tool_calls: z
    .array(z.strictObject({ tool_name: z.string(), input: z.string() }))
    .refine((calls) => calls.length <= MAX_TOOL_CALLS),
});

/** Maximum size of an input from the model, in bytes of JSON. */
const MAX_INPUT_BYTES = 16 * 1_024;

/**
 * The planner stage with the model. It sees only tools that the message may reach, and of their inputs only what the
 * playbook leaves open. Where one of its calls is not allowed (see {@link offerTools}), the complete plan is rejected. The
 * articles of an intent are searched as the rules do, which the model does not choose.
 */
export function createLlmPlan({ askModel, assessor, rules, tools }: LlmStageParts): Stages['plan'] {
  return async (input, context) => {
    const byRules = await rules.plan(input, context);
    const { intent } = input.classification;
    const { searches, others } = withoutSearches(byRules.value, assessor);
    const reachable = tools().filter(({ name }) => input.hasTool(name) && isChosen(name, assessor));
    const offered = needsTools(input, assessor) ? offerTools(input, reachable, others, assessor) : [];
    if (offered.length === 0) return withoutIncomplete(byRules, reachable);
    return askModel<z.output<typeof schema>, Plan>('planner', {
      request: {
        instructions: withConversation(
          plannerPrompt(JSON.stringify(offered.map(describeTool))),
          input.message,
        ),
        data: { intent, ...promptMessage(input.message) },
        schema,
        signal: context.signal,
      },
      review(reply) {
        const chosen = allowedCalls(reply.tool_calls, offered);
        if (chosen === undefined || chosen.length + searches.length > MAX_TOOL_CALLS) {
          return { rejected: 'bad_plan' };
        }
        const toolCalls = [...searches, ...chosen];
        const names = toolCalls.map(({ toolName }) => toolName);
        const planned = names.length === 0 ? 'no tool' : names.join(', ');
        return {
          value: { toolCalls },
          summary: `The language model plans to call ${planned}.`,
          data: { intent, tools: names },
        };
      },
      fallback: () => withoutIncomplete(byRules, reachable),
    });
  };
}

/** The plan of the rules without calls whose input lacks something, such as a member that is left to the model. */
function withoutIncomplete(byRules: Decision<Plan>, reachable: readonly Tool[]): Decision<Plan> {
  const isComplete = ({ toolName, input }: ToolCall) =>
    reachable.find(({ name }) => name === toolName)?.input.safeParse(input).success !== false;
  const toolCalls = byRules.value.toolCalls.filter(isComplete);
  if (toolCalls.length === byRules.value.toolCalls.length) return byRules;
  const tools = toolCalls.map(({ toolName }) => toolName);
  const summary = `${byRules.summary} Calls that lack a part of their input are left out.`;
  return { ...byRules, value: { toolCalls }, summary, data: { ...byRules.data, tools } };
}

/** False where no tool output could change what happens with the message. */
function needsTools({ message, classification }: PlanningInput, assessor: Assessor): boolean {
  const { intent, concerns = [] } = classification;
  const { kind } = assessor.assess(message);
  if (message.history?.isHeld === true) return false;
  if (intent === 'spam' || concerns.length > 0 || !isForModel(message, assessor)) return false;
  return kind !== 'thanks' && kind !== 'greeting' && !assessor.intentOf(intent).handover;
}

/** A plan of the rules without its searches of articles, and these. */
function withoutSearches({ toolCalls }: Plan, { playbook }: Assessor) {
  const isSearch = ({ toolName }: ToolCall) => toolName === playbook.articlesTool;
  return {
    searches: toolCalls.filter(isSearch),
    others: { toolCalls: toolCalls.filter((call) => !isSearch(call)) },
  };
}

/** False for the search of articles, unless the playbook gives it to messages as a tool. */
function isChosen(name: string, { playbook: { articlesTool, messageTools } }: Assessor): boolean {
  return name !== articlesTool || messageTools.has(name);
}

/** The calls without duplicates, or undefined when one of them is not allowed. */
function allowedCalls(
  replied: readonly { readonly tool_name: string; readonly input: string }[],
  offered: readonly OfferedTool[],
): readonly ToolCall[] | undefined {
  const calls = new Map<string, ToolCall>();
  for (const { tool_name, input } of replied) {
    const tool = offered.find(({ name }) => name === tool_name);
    const filled = parseInput(input);
    const completed = filled && tool?.complete(filled);
    if (completed === undefined) return undefined;
    for (const call of completed) calls.set(`${call.toolName} ${JSON.stringify(call.input)}`, call);
  }
  return [...calls.values()];
}

/** Parses an input; undefined where it is no JSON object. */
function parseInput(text: string): JsonObject | undefined {
  try {
    return copyJsonObject(JSON.parse(text), MAX_INPUT_BYTES);
  } catch {
    return undefined;
  }
}

/** A tool as the prompt tells it. */
function describeTool({ name, description, inputSchema }: OfferedTool): object {
  return { name, description, input_schema: inputSchema };
}
