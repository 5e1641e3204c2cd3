import type { Decision, Plan, ToolCall } from '../../../domain/message/message.ts';
import { MAX_TOOL_CALLS } from '../../../domain/message/stage-contract.ts';
import { copyJsonObject } from '../../../lib/json/copy.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import type { PlanningInput } from '../../../ports/stages.ts';
import type { Tool } from '../../../ports/tool.ts';
import type { Assessor } from '../assessor.ts';
import type { ProposedCall } from './notes.ts';
import { withoutNulls } from './strict-schema.ts';
import { type OfferedTool, offerTools } from './tool-offer.ts';

/** Maximum size of an input from the model, in bytes of JSON. */
const MAX_INPUT_BYTES = 16 * 1_024;

/** A plan of the rules and of the model. */
export interface CompletedPlan {
  readonly plan: Plan;
  readonly isRefused: boolean;
  /** True where a call of the model could change what happens with the message. */
  readonly mayCall: boolean;
}

/**
 * The plan of the rules, completed by the calls that the model asks for. What the playbook states is set by the
 * service, whatever the model says. Where one of the model's calls is not allowed (see {@link offerTools}), none of
 * them counts. Calls that lack a part of their input are left out.
 */
export function completePlan(
  input: PlanningInput,
  byRules: Plan,
  proposed: readonly ProposedCall[],
  registered: readonly Tool[],
  assessor: Assessor,
): CompletedPlan {
  const { articlesTool, messageTools } = assessor.playbook;
  const isSearch = ({ toolName }: ToolCall) => toolName === articlesTool && !messageTools.has(toolName);
  const searches = byRules.toolCalls.filter(isSearch);
  const others = byRules.toolCalls.filter((call) => !isSearch(call));
  const reachable = registered.filter(
    ({ name }) => input.hasTool(name) && (name !== articlesTool || messageTools.has(name)),
  );
  const isComplete = ({ toolName, input: own }: ToolCall) =>
    reachable.find(({ name }) => name === toolName)?.input.safeParse(own).success !== false;
  const complete = others.filter(isComplete);
  const isOpen = mayCall(input, assessor);
  const { intent, otherIntents = [] } = input.classification;
  const named = [intent, ...otherIntents].flatMap((name) =>
    assessor.intentOf(name).tools.map((tool) => tool.name),
  );
  /** A tool of the message's intents that cannot be called, because the message does not name what its call needs. */
  const isLacking = (tool: string) =>
    named.includes(tool) &&
    !offered.some(({ name }) => name === tool) &&
    reachable.some(({ name, effect }) => name === tool && (effect === undefined || effect === 'read'));
  const offered = isOpen ? offerTools(input, reachable, { toolCalls: others }, assessor) : [];
  const wanted = isOpen ? proposed.filter(({ tool }) => !isLacking(tool)) : [];
  const chosen = allowedCalls(wanted, offered);
  // A call of the model's stands in for that of the rules: it fills in what they leave open.
  const filled = new Set(chosen?.map(({ toolName }) => toolName));
  const kept = complete.filter(({ toolName }) => !filled.has(toolName));
  const calls = [...searches, ...kept, ...(chosen ?? [])];
  const isRefused = chosen === undefined || calls.length > MAX_TOOL_CALLS;
  return {
    plan: { toolCalls: isRefused ? [...searches, ...complete] : calls },
    isRefused,
    mayCall: isOpen,
  };
}

/** The decision of the rules with another plan. */
export function withPlan(byRules: Decision<Plan>, { toolCalls }: Plan): Decision<Plan> {
  if (toolCalls.length === byRules.value.toolCalls.length) return byRules;
  const tools = toolCalls.map(({ toolName }) => toolName);
  const summary = `${byRules.summary} Calls that lack a part of their input are left out.`;
  return { ...byRules, value: { toolCalls }, summary, data: { ...byRules.data, tools } };
}

/** False where no tool output could change what happens with the message. */
function mayCall({ message, classification }: PlanningInput, assessor: Assessor): boolean {
  const { intent, concerns = [] } = classification;
  const { kind, automatic } = assessor.assess(message);
  if (message.history?.isHeld === true || automatic !== false || concerns.length > 0) return false;
  return kind === 'wish' && intent !== 'spam' && !assessor.intentOf(intent).handover;
}

/** The calls without duplicates, or undefined when one of them is not allowed. */
function allowedCalls(
  proposed: readonly ProposedCall[],
  offered: readonly OfferedTool[],
): readonly ToolCall[] | undefined {
  const calls = new Map<string, ToolCall>();
  for (const { tool, input } of proposed) {
    const own = offered.find(({ name }) => name === tool);
    const filled = parseInput(input);
    // Null stands for an optional member that is not given, and elsewhere for itself.
    const completed = filled && (own?.complete(filled) ?? own?.complete(withoutNullMembers(filled)));
    if (completed === undefined) return undefined;
    for (const call of completed) calls.set(`${call.toolName} ${JSON.stringify(call.input)}`, call);
  }
  return [...calls.values()];
}

function withoutNullMembers(input: JsonObject): JsonObject {
  const plain = withoutNulls(input);
  return isJsonObject(plain) ? plain : {};
}

/** An input as an object, also where the model wrote it as text; undefined where it is none. */
function parseInput(input: unknown): JsonObject | undefined {
  try {
    const value: unknown = typeof input === 'string' ? JSON.parse(input) : input;
    return copyJsonObject(value, MAX_INPUT_BYTES);
  } catch {
    return undefined;
  }
}
