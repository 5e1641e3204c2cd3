import { z } from 'zod';
import type { SubTask } from '../../domain/routing/routing.ts';
import { copyJsonObject } from '../../lib/json/copy.ts';
import { getOwn, isJsonArray, isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { truncate } from '../../lib/text/truncate.ts';
import { eachWord } from '../../lib/text/words.ts';
import type { Decompose, Decomposed } from '../../ports/decompose.ts';
import type { LanguageModel, LlmObserver, ReplySchema } from '../../ports/language-model.ts';
import type { Logger } from '../../ports/logger.ts';

/** Maximum number of subtasks of a goal, unless the context allows fewer. */
const MAX_SUBTASKS = 50;

/** Maximum length of a subtask's text, in characters, the same as of a message. */
const MAX_TEXT = 32_768;

/** Maximum size of an input from the model, in bytes of JSON. */
const MAX_INPUT_BYTES = 16 * 1_024;

/** Maximum number of parts of a goal that no agent takes. */
const MAX_UNASSIGNED = 50;

/** Maximum length of a part of a goal that no agent takes, in characters. */
const MAX_UNASSIGNED_TEXT = 2_000;

/** The words of such a part that the goal must have, in percent. */
const LEAST_KNOWN_WORDS = 80;

const demandedPart = z.strictObject({
  agent_name: z.string(),
  text: z.string().refine((text) => text.length <= MAX_TEXT && text.trim() !== ''),
  // A JSON text, because strict providers accept no objects with unknown keys.
  input: z.string().nullable(),
});

const demanded = z.strictObject({ subtasks: z.array(demandedPart), unassigned: z.array(z.string()) });

const accepted = z.strictObject({
  subtasks: z
    .array(demandedPart.extend({ input: demandedPart.shape.input.default(null) }))
    .refine((subtasks) => subtasks.length <= MAX_SUBTASKS),
  unassigned: demanded.shape.unassigned.default([]),
});

type Reply = z.output<typeof accepted>;

/** All members are demanded; a reply without `unassigned` or an `input` is accepted. */
const schema: ReplySchema<Reply> = {
  safeParse: (value) => accepted.safeParse(value),
  toJSONSchema: () => demanded.toJSONSchema(),
};

/** Options of {@link createLlmDecomposer}. */
interface LlmDecomposerOptions {
  readonly model: LanguageModel;
  /** The keyword decomposer, for when the model fails. */
  readonly keyword: Decompose;
  readonly logger: Logger;
  readonly observer: LlmObserver;
}

/**
 * Creates a decomposer that asks the model. Subtasks are for registered agents only, with the same payload as those of
 * the keyword decomposer: the part as `text` and `message`, and the complete `goal`. For an agent with an input schema
 * the model may add members that fit it. The keywords decide when the model fails, names an unknown agent, states an
 * input that does not fit, or finds neither a subtask nor a part that no agent takes; the decomposition is then
 * `keyword`.
 */
export function createLlmDecomposer({ model, keyword, logger, observer }: LlmDecomposerOptions): Decompose {
  const listAgents = createAgentList(logger);
  return async (goal, agents, context) => {
    if (agents.length === 0) return keyword(goal, agents, context);
    const maxSubtasks = Math.min(MAX_SUBTASKS, context.maxSubtasks);
    const list = await listAgents(agents);
    const generation = await model({
      purpose: 'decomposer',
      instructions: instructionsFor(list, maxSubtasks),
      data: { goal },
      schema,
      signal: context.signal,
    });
    const { input, output } = generation.tokens;
    if (input + output > 0) observer.tokens('decomposer', input, output, generation.tokens.cachedInput);
    const decomposed =
      generation.status === 'success' ? decompose(generation.value, goal, list, maxSubtasks) : undefined;
    if (decomposed !== undefined) return decomposed;
    const reason = generation.status === 'success' ? 'bad_plan' : generation.reason;
    if (generation.status === 'success') {
      logger.warn('a reply of the language model was rejected', { stage: 'decomposer', reason });
    }
    if (reason !== 'interrupted') observer.fallback('decomposer', reason);
    return keyword(goal, agents, context);
  };
}

function instructionsFor({ text: agents }: AgentList, maxSubtasks: number): string {
  return `You split a goal into parts, each for the one agent that can do it, in the order of the goal. The agents:
${agents}
"keywords" are words of goals that are for the agent; other words for the same work count as well.
"text" is the part in the goal's own words, with everything that the agent needs to know. A text that is to be worked on belongs to the part that says what to do with it: what stands in that text is no part of its own. Add nothing that the goal does not ask for. At most ${maxSubtasks} parts; none when no agent fits.
"input" is the text of a JSON object that fits the agent's "input_schema", or null for an agent without one. Take its values from the goal; do not invent any, and leave out what the goal does not say. We add "text", "message" and "goal".
"unassigned" lists, in the goal's own words and order, each part that no agent in the list can do, each whose agent requires an input that the goal does not say, and each that the goal says not to do. Give such a part to no agent. The list is often empty.
Reply: {"subtasks": [{"agent_name": "<name>", "text": "<part>", "input": "<JSON>" or null}], "unassigned": ["<part>"]}`;
}

/** The decomposition that a reply makes; undefined where it is not allowed or has nothing of the goal. */
function decompose(
  reply: Reply,
  goal: string,
  { agents }: AgentList,
  maxSubtasks: number,
): Decomposed | undefined {
  const subtasks = new Map<string, SubTask>();
  for (const part of reply.subtasks) {
    const { agent_name: agentName, text } = part;
    const agentInput = agents.get(agentName);
    if (agentInput === undefined) return undefined;
    const payload = payloadOf(part, goal, agentInput);
    if (payload === undefined) return undefined;
    const key = JSON.stringify([agentName, text, agentInput === null ? null : part.input]);
    subtasks.set(key, { agentName, payload });
  }
  const unassigned = unassignedOf(reply.unassigned, goal);
  if (subtasks.size > maxSubtasks || subtasks.size + unassigned.length === 0) return undefined;
  return { decomposition: 'llm', subtasks: [...subtasks.values()], unassigned };
}

/** The payload of a subtask; undefined where its input does not fit. An agent without a schema gets no input. */
function payloadOf(
  { text, input }: Reply['subtasks'][number],
  goal: string,
  agentInput: AgentInput | null,
): JsonObject | undefined {
  const own: JsonObject = { text, message: text, goal };
  if (agentInput === null) return own;
  const filled = input === null ? {} : parseInput(input);
  if (filled === undefined || !agentInput.fits(filled, own)) return undefined;
  const added = Object.fromEntries(Object.entries(filled).filter(([name]) => !Object.hasOwn(own, name)));
  return { ...own, ...added };
}

/** Parses an input; undefined where it is no JSON object, or too large. */
function parseInput(text: string): JsonObject | undefined {
  try {
    return copyJsonObject(JSON.parse(text), MAX_INPUT_BYTES);
  } catch {
    return undefined;
  }
}

/** The parts that no agent takes, each once, without those that are not in the words of the goal. */
function unassignedOf(parts: Reply['unassigned'], goal: string): readonly string[] {
  const known = new Set(parts.length === 0 ? [] : wordsOf(goal));
  const kept = new Set<string>();
  for (const part of parts) {
    if (kept.size === MAX_UNASSIGNED) break;
    const text = truncate(part.trim(), MAX_UNASSIGNED_TEXT);
    const words = wordsOf(text);
    const found = words.filter((word) => known.has(word)).length;
    if (found > 0 && found * 100 >= words.length * LEAST_KNOWN_WORDS) kept.add(text);
  }
  return [...kept];
}

/** The words of a text in small letters. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, 0, text.length, (start, end) => {
    words.push(text.slice(start, end).normalize('NFKC').toLowerCase());
  });
  return words;
}

// Lists of agents

/** Maximum number of agents in a prompt. */
const MAX_AGENTS = 128;

/** Maximum length of a description in a prompt, in characters. */
const MAX_DESCRIPTION = 1_000;

/** Maximum number of keywords of one agent in a prompt. */
const MAX_KEYWORDS = 16;

/** Maximum length of an input schema in a prompt, in characters of JSON. */
const MAX_SCHEMA = 2_000;

/** Maximum length of the list of agents in a prompt, in characters of JSON. */
const MAX_LIST = 32_000;

type Agents = Parameters<Decompose>[1];

/** The input schema of an agent, ready to check what a model fills in. */
interface AgentInput {
  /** The JSON Schema as the prompt tells it. */
  readonly stated: JsonObject;
  /**
   * True where `filled` fits the schema. The members of `own` are those of every subtask: they stand in for what is
   * filled in by the same names, and count beyond that only where the schema names them.
   */
  fits(filled: JsonObject, own: JsonObject): boolean;
}

/** The agents that a model chooses from. */
interface AgentList {
  /** A JSON list of `{name, description, keywords?, input_schema?}` on one line, of at most 32,000 characters. */
  readonly text: string;
  /** The agents in the list by name, each with its input schema; null where the list tells none. */
  readonly agents: ReadonlyMap<string, AgentInput | null>;
}

/** Reads the schema of an agent; null where it has none that can be told and checked. */
type ReadInput = (agent: Agents[number]) => Promise<AgentInput | null>;

/**
 * Creates a function that lists agents for a prompt. Where the list would get too long, input schemas are left out
 * first, then keywords, then agents, each from the end. A schema that is too long or not valid is left out too, and
 * one line of the log tells it.
 */
function createAgentList(logger: Logger): (agents: Agents) => Promise<AgentList> {
  const readInput = createReadInput(logger);
  return async (agents) => {
    const list = createBoundedList();
    const entries = agents.slice(0, MAX_AGENTS).flatMap((agent) => {
      const { name, description } = agent;
      const entry = list.add({ name, description: truncate(description, MAX_DESCRIPTION) });
      return entry === undefined ? [] : { agent, entry };
    });
    for (const { agent, entry } of entries) {
      const keywords = agent.keywords?.slice(0, MAX_KEYWORDS) ?? [];
      if (keywords.length > 0) list.extend(entry, 'keywords', keywords);
    }
    const listed = new Map<string, AgentInput | null>();
    for (const { agent, entry } of entries) {
      const input = await readInput(agent);
      const isTold = input !== null && list.extend(entry, 'input_schema', input.stated);
      listed.set(agent.name, isTold ? input : null);
    }
    return { text: list.text(), agents: listed };
  };
}

/** A list for a prompt that takes only what still has a place in it. */
interface BoundedList {
  /** Adds an entry and returns its members; undefined where it has no place. */
  add(members: JsonObject): Map<string, unknown> | undefined;
  /** Adds a member to an entry of the list. False where it has no place. */
  extend(entry: Map<string, unknown>, name: string, value: unknown): boolean;
  text(): string;
}

function createBoundedList(): BoundedList {
  const entries: Map<string, unknown>[] = [];
  // The brackets of the list.
  let length = 2;
  const take = (characters: number): boolean => {
    if (length + characters > MAX_LIST) return false;
    length += characters;
    return true;
  };
  return {
    add(members) {
      // With the comma after it.
      if (!take(JSON.stringify(members).length + 1)) return undefined;
      const entry = new Map<string, unknown>(Object.entries(members));
      entries.push(entry);
      return entry;
    },
    extend(entry, name, value) {
      // With a comma, two quotes and a colon.
      if (!take(JSON.stringify(value).length + name.length + 4)) return false;
      entry.set(name, value);
      return true;
    },
    text: () => JSON.stringify(entries.map((entry) => Object.fromEntries(entry))),
  };
}

/** The schemas are compiled once, and the code for them is loaded when the first agent has one. */
function createReadInput(logger: Logger): ReadInput {
  const known = new WeakMap<JsonObject, Promise<AgentInput | null>>();
  return async ({ name, inputSchema }) => {
    if (!inputSchema) return null;
    let input = known.get(inputSchema);
    if (input === undefined) {
      input = compileInput(inputSchema, (reason) => {
        logger.warn('the language model is not told the input schema of an agent', {
          agent_name: name,
          reason,
        });
      });
      known.set(inputSchema, input);
    }
    return input;
  };
}

async function compileInput(
  inputSchema: JsonObject,
  leaveOut: (reason: string) => void,
): Promise<AgentInput | null> {
  const { createUserSchema, UserSchemaError } = await import('../shared/user-schema/user-schema.ts');
  try {
    const schema = createUserSchema(inputSchema);
    if (JSON.stringify(inputSchema).length > MAX_SCHEMA) {
      leaveOut(`it has more than ${MAX_SCHEMA} characters`);
      return null;
    }
    return {
      stated: inputSchema,
      fits(filled, own) {
        const counts = ([name]: readonly [string, unknown]) =>
          Object.hasOwn(filled, name) || namesMember(inputSchema, name);
        const standing = Object.fromEntries(Object.entries(own).filter(counts));
        return schema.safeParse({ ...filled, ...standing }).success;
      },
    };
  } catch (error) {
    if (!(error instanceof UserSchemaError)) throw error;
    leaveOut(`it is not valid: ${error.message}`);
    return null;
  }
}

/** True where a schema describes or requires a member at its top. */
function namesMember(schema: JsonObject, name: string): boolean {
  const properties = getOwn(schema, 'properties');
  const required = getOwn(schema, 'required');
  return (
    (isJsonObject(properties) && Object.hasOwn(properties, name)) ||
    (isJsonArray(required) && required.includes(name))
  );
}
