import { getOwn, isJsonArray, isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { Decompose } from '../../ports/decompose.ts';
import type { Logger } from '../../ports/logger.ts';

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
export interface AgentInput {
  /** The JSON Schema as the prompt tells it. */
  readonly stated: JsonObject;
  /**
   * True where `filled` fits the schema. The members of `own` are those of every subtask: they stand in for what is
   * filled in by the same names, and count beyond that only where the schema names them.
   */
  fits(filled: JsonObject, own: JsonObject): boolean;
}

/** The agents that a model chooses from. */
export interface AgentList {
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
export function createAgentList(logger: Logger): (agents: Agents) => Promise<AgentList> {
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
