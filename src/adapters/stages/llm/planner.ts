import { z } from 'zod';
import type { Plan, ToolCall } from '../../../domain/message/message.ts';
import type { PreparedMessage } from '../../../domain/message/prepared.ts';
import { MAX_TOOL_CALLS } from '../../../domain/message/stage-contract.ts';
import { copyJsonObject } from '../../../lib/json/copy.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { PlanningInput, Stages } from '../../../ports/stages.ts';
import type { Tool } from '../../../ports/tool.ts';
import type { Assessor } from '../assessor.ts';
import type { LlmStageParts } from './decide.ts';
import { takesFromReplies, withConversation } from './history.ts';
import { isForModel, promptMessage } from './prompt-data.ts';
import { plannerPrompt } from './prompts.ts';

/** Inputs are JSON texts, because strict providers accept no objects with unknown keys. */
const schema = z.strictObject({
  tool_calls: z
    .array(z.strictObject({ tool_name: z.string(), input: z.string() }))
    .refine((calls) => calls.length <= MAX_TOOL_CALLS),
});

/** Maximum number of tools in a prompt. */
const MAX_TOOLS = 64;

/** Maximum size of an input from the model, in bytes of JSON. */
const MAX_INPUT_BYTES = 16 * 1_024;

/**
 * The planner stage with the model. It sees only tools that the message may reach. Its calls must be allowed (see
 * {@link mayChooseInput}) and match the input schema of the tool; otherwise the complete plan is rejected. The articles
 * of an intent are searched as the rules do, which the model does not choose.
 */
export function createLlmPlan({ askModel, assessor, rules, tools }: LlmStageParts): Stages['plan'] {
  return async (input, context) => {
    const byRules = await rules.plan(input, context);
    const { intent } = input.classification;
    const { searches, others } = withoutSearches(byRules.value, assessor);
    const reachable = tools().filter(({ name }) => input.hasTool(name) && isChosen(name, assessor));
    const callable = needsTools(input, assessor) ? callableTools(reachable, others) : [];
    if (callable.length === 0) return byRules;
    return askModel<z.output<typeof schema>, Plan>('planner', {
      request: {
        instructions: withConversation(
          plannerPrompt(JSON.stringify(callable.map(describeTool))),
          input.message,
        ),
        data: { intent, ...promptMessage(input.message) },
        schema,
        signal: context.signal,
      },
      review(reply) {
        const chosen = allowedCalls(reply.tool_calls, callable, others, input.message);
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
      fallback: () => byRules,
    });
  };
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

/** The tools that a plan may call: those that the rules call, and those that declare to only read. */
function callableTools(tools: readonly Tool[], byRules: Plan): readonly Tool[] {
  const planned = new Set(byRules.toolCalls.map(({ toolName }) => toolName));
  const callable = tools.filter(({ name, effect }) => effect === 'read' && !planned.has(name));
  return [...tools.filter(({ name }) => planned.has(name)), ...callable].slice(0, MAX_TOOLS);
}

/** The calls without duplicates, or undefined when one of them is not allowed. */
function allowedCalls(
  replied: readonly { readonly tool_name: string; readonly input: string }[],
  callable: readonly Tool[],
  byRules: Plan,
  message: PreparedMessage,
): readonly ToolCall[] | undefined {
  const planned = new Set(byRules.toolCalls.map(callKey));
  const calls = new Map<string, ToolCall>();
  for (const { tool_name, input } of replied) {
    const tool = callable.find(({ name }) => name === tool_name);
    const parsed = tool && parseInput(tool, input);
    if (tool === undefined || parsed === undefined) return undefined;
    const call = { toolName: tool.name, input: parsed };
    if (!planned.has(callKey(call))) {
      if (!mayChooseInput(tool, byRules) || takesFromReplies(parsed, message)) return undefined;
    }
    calls.set(callKey(call), call);
  }
  return [...calls.values()];
}

/**
 * True where the model may choose the input: for a tool with `effect: 'read'`, and for one without `effect` that the
 * rules call too. Any other tool is called only as the rules plan it.
 */
function mayChooseInput(tool: Tool, byRules: Plan): boolean {
  if (tool.effect === undefined) return byRules.toolCalls.some(({ toolName }) => toolName === tool.name);
  return tool.effect === 'read';
}

function callKey({ toolName, input }: ToolCall): string {
  return `${toolName} ${JSON.stringify(input)}`;
}

/** Parses an input; undefined where it is not JSON that the tool's schema accepts. */
function parseInput(tool: Tool, text: string): JsonObject | undefined {
  try {
    const input = copyJsonObject(JSON.parse(text), MAX_INPUT_BYTES);
    return tool.input.safeParse(input).success ? input : undefined;
  } catch {
    return undefined;
  }
}

const descriptions = new WeakMap<Tool, object>();

/** The description of a tool in a prompt, with a general input schema where its own has no JSON Schema. */
function describeTool(tool: Tool): object {
  let text = descriptions.get(tool);
  if (text === undefined) {
    text = { name: tool.name, description: tool.description, input_schema: inputSchema(tool) };
    descriptions.set(tool, text);
  }
  return text;
}

function inputSchema(tool: Tool): object {
  try {
    return tool.input.toJSONSchema({ io: 'input', unrepresentable: 'any' });
  } catch {
    return { type: 'object' };
  }
}
