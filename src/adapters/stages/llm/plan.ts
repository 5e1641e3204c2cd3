import type { Decision, Plan, ToolCall } from '../../../domain/message/message.ts';
import { MAX_TOOL_CALLS } from '../../../domain/message/stage-contract.ts';
import type { Playbook, PlaybookIntent, PlaybookToolCall } from '../../../domain/playbook/playbook.ts';
import { copyJsonObject } from '../../../lib/json/copy.ts';
import { equalJson } from '../../../lib/json/equal.ts';
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../lib/json/json.ts';
import type { PlanningInput } from '../../../ports/stages.ts';
import { inputSchemaOf, type Tool } from '../../../ports/tool.ts';
import type { Assessor } from '../assessor.ts';
import { inputValues } from '../template-values.ts';
import { type ProposedCall, withoutNulls } from './ask.ts';
import { ID_FORMAT, identifiersOf, type OwnWords, ownWordsOf, takesFromReplies } from './own-words.ts';

/** Maximum size of an input from the model, in bytes of JSON. */
const MAX_INPUT_BYTES = 16 * 1_024;

/** A plan of the rules and of the model. */
interface CompletedPlan {
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

// Offered tools

/** A tool as a prompt tells it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** The schema of what the model may fill in: without the members that the service sets. */
  readonly inputSchema: JsonObject;
}

/** A tool that a model may call for a message. */
interface OfferedTool {
  readonly name: string;
  /**
   * The calls with what a model has filled in: more than one where the intents of the message state different inputs.
   * Members that are not open are not used. Undefined where the call is not allowed.
   */
  complete(filled: JsonObject): readonly ToolCall[] | undefined;
}

/** The input of a tool that the service sets. */
interface Binding {
  /** One for each call. */
  readonly inputs: readonly JsonObject[];
  /** The members that a model may not fill in. */
  readonly closed: ReadonlySet<string> | 'all';
}

/** Where nothing is set. */
const unbound: Binding = { inputs: [{}], closed: new Set() };

/**
 * Maximum length of the description of a tool with its schema in a prompt, and of all of them, in characters. Others
 * are called as the rules do.
 */
const MAX_DESCRIPTION = 8_192;
const MAX_DESCRIBED = 60_000;

/** Maximum number of tools in a prompt. */
const MAX_TOOLS = 64;

/**
 * The tools that a model may call for a message, of those that the message may reach: first those that the rules call,
 * then those that declare to only read. `byRules` is what the rules plan to call.
 */
function offerTools(
  input: PlanningInput,
  reachable: readonly Tool[],
  byRules: Plan,
  assessor: Assessor,
): readonly OfferedTool[] {
  const context = { input, byRules, assessor, words: ownWordsOf(input.message) };
  const isPlanned = ({ name }: Tool) => byRules.toolCalls.some(({ toolName }) => toolName === name);
  const planned = reachable.filter(isPlanned);
  const others = reachable.filter((tool) => !isPlanned(tool));
  return [...planned, ...others].flatMap((tool) => offer(tool, context) ?? []).slice(0, MAX_TOOLS);
}

/**
 * The tools of a playbook of whose input a model may fill in something, whatever the message. The search of articles
 * is left to the service, unless the playbook gives it to messages as a tool.
 */
export function describeTools(
  { intents, articlesTool, messageTools }: Playbook,
  registered: readonly Tool[],
): readonly ToolDescription[] {
  const calls = [...intents.values()].flatMap(({ tools }) => tools);
  const described = registered.flatMap((tool): ToolDescription[] => {
    const { name, description, effect, fromMessage } = tool;
    const own = calls.filter((call) => call.name === name);
    if (own.length === 0 && !(messageTools.has(name) && effect === 'read')) return [];
    if (name === articlesTool && !messageTools.has(name)) return [];
    if (effect !== undefined && effect !== 'read') return [];
    const stated = new Set(own.flatMap((call) => [...call.stated]));
    const open = openPart(schemaOf(tool), (member) => !stated.has(member));
    const properties = getOwn(open, 'properties');
    if (own.length > 0 && isJsonObject(properties) && Object.keys(properties).length === 0) return [];
    const schema = own.length === 0 ? schemaOf(tool) : open;
    return [{ name, description, inputSchema: withIdentifiers(schema, fromMessage) }];
  });
  let room = MAX_DESCRIBED;
  return described.slice(0, MAX_TOOLS).filter((tool) => {
    const { length } = JSON.stringify(tool);
    if (length > MAX_DESCRIPTION || length > room) return false;
    room -= length;
    return true;
  });
}

/** The message and plan that tools are offered for. */
interface OfferContext {
  readonly input: PlanningInput;
  readonly byRules: Plan;
  readonly assessor: Assessor;
  readonly words: OwnWords;
}

/**
 * The part of the input of a tool that the service sets; undefined where the model may not call it. A tool that
 * intents of the message state is called only where the rules call it. Of another one the model may choose what no
 * intent states, where it declares to only read, or declares no effect and is called by the rules too. What may write
 * is called exactly as the rules do.
 */
function bindingOf({ name, effect }: Tool, { input, byRules, assessor }: OfferContext): Binding | undefined {
  const { message, classification } = input;
  const { intent, otherIntents = [] } = classification;
  const callsIn = (intents: Iterable<PlaybookIntent>) =>
    [...intents].flatMap(({ tools }) => tools.filter((tool) => tool.name === name));
  const named = new Set([intent, ...otherIntents, ...assessor.intentsOf(message, classification)]);
  const own = callsIn([...named].map(assessor.intentOf));
  const planned = byRules.toolCalls.filter(({ toolName }) => toolName === name).map((call) => call.input);
  if (planned.length === 0 && (own.length > 0 || effect !== 'read')) return undefined;
  if (effect !== undefined && effect !== 'read') return { inputs: planned, closed: 'all' };
  if (own.length > 0) return { inputs: planned, closed: membersOf(own, planned) };
  const calls = callsIn(assessor.playbook.intents.values());
  const values = calls.length === 0 ? {} : inputValues(message, assessor.entitiesOf(message));
  const inputs = calls.map((call) => call.input(values));
  return calls.length === 0 ? unbound : { inputs, closed: membersOf(calls, inputs) };
}

/** The members that calls state, and those of the inputs that were made of them. */
function membersOf(calls: readonly PlaybookToolCall[], inputs: readonly JsonObject[]): ReadonlySet<string> {
  return new Set([...calls.flatMap(({ stated }) => [...stated]), ...inputs.flatMap(Object.keys)]);
}

function offer(tool: Tool, context: OfferContext): OfferedTool | undefined {
  const binding = bindingOf(tool, context);
  if (binding === undefined) return undefined;
  const { name, fromMessage } = tool;
  const { input, byRules, words } = context;
  const schema = schemaOf(tool);
  const { closed } = binding;
  const isOpen = (member: string) => closed !== 'all' && !closed.has(member);
  const set = requiredOf(schema).filter((member) => !isOpen(member));
  const inputs = binding.inputs.filter((bound) => set.every((member) => Object.hasOwn(bound, member)));
  if (inputs.length === 0) return undefined;
  return {
    name,
    complete(filled) {
      const open = Object.fromEntries(Object.entries(filled).filter(([member]) => isOpen(member)));
      const calls = inputs
        .filter((bound) => closed !== 'all' || isPartOf(filled, bound))
        .map((bound) => ({ toolName: name, input: { ...bound, ...open } }));
      if (calls.length === 0 || !calls.every((call) => tool.input.safeParse(call.input).success)) {
        return undefined;
      }
      if (calls.every((call) => byRules.toolCalls.some((own) => equalJson(own, call)))) return calls;
      if (takesFromReplies(open, input.message)) return undefined;
      return words.haveAll(identifiersOf(open, schema, fromMessage)) ? calls : undefined;
    },
  };
}

/** True for a call that a model has written out as the rules make it, or left to the service. */
function isPartOf(filled: JsonObject, bound: JsonObject): boolean {
  return Object.entries(filled).every(([member, value]) => equalJson(getOwn(bound, member), value));
}

const schemas = new WeakMap<Tool, JsonObject>();

/** The input schema of a tool; a general one where its own has no JSON Schema. */
function schemaOf(tool: Tool): JsonObject {
  let schema = schemas.get(tool);
  if (schema === undefined) {
    schema = inputSchemaOf(tool) ?? { type: 'object' };
    schemas.set(tool, schema);
  }
  return schema;
}

function requiredOf(schema: JsonObject): readonly string[] {
  const required = getOwn(schema, 'required');
  return isJsonArray(required) ? required.map(String) : [];
}

/**
 * The part of an input schema that a model may fill in: what stands beside the members may name those that are
 * hidden.
 */
function openPart(schema: JsonObject, isOpen: (member: string) => boolean): JsonObject {
  const properties = getOwn(schema, 'properties');
  const definitions = getOwn(schema, '$defs');
  const members = isJsonObject(properties) ? Object.entries(properties) : [];
  const open = Object.fromEntries(members.filter(([name]) => isOpen(name)));
  const refers = definitions !== undefined && JSON.stringify(open).includes('"$ref"');
  return {
    type: 'object',
    properties: open,
    required: requiredOf(schema).filter(isOpen),
    additionalProperties: false,
    ...(refers ? { $defs: definitions } : {}),
  };
}

/** A schema in which these members have the format of identifiers. */
function withIdentifiers(schema: JsonObject, names: readonly string[] = []): JsonObject {
  const properties = getOwn(schema, 'properties');
  if (names.length === 0 || !isJsonObject(properties)) return schema;
  const marked = Object.entries(properties).map(([name, member]): [string, JsonValue] => {
    const isMarked = names.includes(name) && isJsonObject(member);
    return [name, isMarked ? { ...member, format: ID_FORMAT } : member];
  });
  return { ...schema, properties: Object.fromEntries(marked) };
}
