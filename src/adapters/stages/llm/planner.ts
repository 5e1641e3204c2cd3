import { z } from 'zod';
import type { Intent, Plan, ToolCall } from '../../../domain/message/message.ts';
import { MAX_TOOL_CALLS } from '../../../domain/message/stage-contract.ts';
import { copyJsonObject } from '../../../lib/json/copy.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { Tool } from '../../../ports/tool.ts';
import type { Decide } from './decide.ts';
import { forPrompt } from './prompt-data.ts';
import { plannerPrompt } from './prompts.ts';

/** Inputs are JSON in a text, because strict providers take no objects whose keys are not known beforehand. */
const schema = z.strictObject({
  tool_calls: z
    .array(z.strictObject({ tool_name: z.string(), input: z.string() }))
    .refine((calls) => calls.length <= MAX_TOOL_CALLS),
});

/** Intents that no tool answers, whatever a message says. */
const toolless: ReadonlySet<Intent> = new Set<Intent>(['spam', 'human_agent']);

/** The most tools that a model is shown. */
const MAX_TOOLS = 64;

/** The most bytes of JSON of an input that a model may write. */
const MAX_INPUT_BYTES = 16 * 1_024;

/**
 * Planning by the model, within what a message may set in motion (see {@link mayCall}), with input that the tool's
 * schema accepts. One call outside of that and the whole plan is refused: it is not the plan of a model that does
 * its work.
 */
export function createLlmPlan(decide: Decide, rules: Stages, tools: () => readonly Tool[]): Stages['plan'] {
  return async (input, context) => {
    const byRules = await rules.plan(input, context);
    const { intent } = input.classification;
    const callable = toolless.has(intent) ? [] : callableTools(tools(), byRules.value);
    if (callable.length === 0) return byRules;
    return decide<z.output<typeof schema>, Plan>('planner', {
      request: {
        instructions: plannerPrompt(JSON.stringify(callable.map(describeTool))),
        data: { intent, message: forPrompt(input.message.message) },
        schema,
        signal: context.signal,
      },
      judge(reply) {
        const toolCalls = allowedCalls(reply.tool_calls, callable, byRules.value);
        if (toolCalls === undefined) return { refused: 'bad_plan' };
        const names = toolCalls.map(({ toolName }) => toolName);
        const planned = names.length === 0 ? 'no tool' : names.join(', ');
        return {
          value: { toolCalls },
          summary: `The language model plans to call ${planned}.`,
          data: { intent, tools: names },
        };
      },
      byRules: () => byRules,
    });
  };
}

/** The tools that a plan may name: those that the rules call anyway, and those that only read, by their own word. */
function callableTools(tools: readonly Tool[], byRules: Plan): readonly Tool[] {
  const planned = new Set(byRules.toolCalls.map(({ toolName }) => toolName));
  const callable = tools.filter(({ name, effect }) => effect === 'read' && !planned.has(name));
  return [...tools.filter(({ name }) => planned.has(name)), ...callable].slice(0, MAX_TOOLS);
}

/** The calls, each once, or undefined when one of them is not allowed. */
function allowedCalls(
  replied: readonly { readonly tool_name: string; readonly input: string }[],
  callable: readonly Tool[],
  byRules: Plan,
): readonly ToolCall[] | undefined {
  const planned = new Set(byRules.toolCalls.map(callKey));
  const calls = new Map<string, ToolCall>();
  for (const { tool_name, input } of replied) {
    const tool = callable.find(({ name }) => name === tool_name);
    const parsed = tool && parseInput(tool, input);
    if (tool === undefined || parsed === undefined) return undefined;
    const call = { toolName: tool.name, input: parsed };
    if (!planned.has(callKey(call)) && !mayCall(tool, byRules)) return undefined;
    calls.set(callKey(call), call);
  }
  return [...calls.values()];
}

/**
 * True where the model may choose the input: for a tool that says `effect: 'read'` in so many words, and for one that
 * says nothing where the rules call it too. What may change the world is called exactly as the rules plan it.
 */
function mayCall(tool: Tool, byRules: Plan): boolean {
  if (tool.effect === undefined) return byRules.toolCalls.some(({ toolName }) => toolName === tool.name);
  return tool.effect === 'read';
}

function callKey({ toolName, input }: ToolCall): string {
  return `${toolName} ${JSON.stringify(input)}`;
}

/** The input that a text stands for, where it is JSON that the tool's schema accepts. */
function parseInput(tool: Tool, text: string): JsonObject | undefined {
  try {
    const input = copyJsonObject(JSON.parse(text), MAX_INPUT_BYTES);
    return tool.input.safeParse(input).success ? input : undefined;
  } catch {
    return undefined;
  }
}

const described = new WeakMap<Tool, object>();

/** A tool as the model is told of it. Some schemas cannot be said in JSON Schema: then its description has to do. */
function describeTool(tool: Tool): object {
  let text = described.get(tool);
  if (text === undefined) {
    text = { name: tool.name, description: tool.description, input_schema: inputSchema(tool) };
    described.set(tool, text);
  }
  return text;
}

function inputSchema(tool: Tool): object {
  try {
    return tool.input.toJSONSchema({ io: 'input' });
  } catch {
    return { type: 'object' };
  }
}
