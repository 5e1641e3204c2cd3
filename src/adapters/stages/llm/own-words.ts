import type { PreparedMessage } from '../../../domain/message/prepared.ts';
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../lib/json/json.ts';
import { fragmentPointer, pick } from '../../../lib/json/pointer.ts';
import { truncate } from '../../../lib/text/truncate.ts';

/** Finds values in the customer's own words. */
export interface OwnWords {
  /** True where each of these identifiers stands in the words. */
  haveAll(identifiers: readonly JsonValue[]): boolean;
}

/** A text for the search of identifiers. */
interface Words {
  /** In small letters, without spaces and dashes. */
  readonly text: string;
  /** The places in it where a word or a sign begins or ends. */
  readonly borders: ReadonlySet<number>;
}

/** The most identifiers of one call, and the length of the longest one in characters. */
const MAX_IDENTIFIERS = 32;
const MAX_LENGTH = 256;

/**
 * The texts in the customer's own words: the newest text of the message, its subject, and what the customer wrote
 * before in its conversation. What is quoted or forwarded may be somebody else's.
 */
export function ownTextsOf({ prepared, subject, history }: PreparedMessage): readonly string[] {
  const before = history?.entries.filter(({ from }) => from === 'customer') ?? [];
  return [prepared.text, subject ?? '', ...before.map(({ text }) => text)];
}

/**
 * Finds identifiers in the customer's own words (see {@link ownTextsOf}). Case, spaces and dashes do not count; a
 * part of a word or number does not do.
 */
export function ownWordsOf(message: PreparedMessage): OwnWords {
  let said: readonly Words[] | undefined;
  return {
    haveAll(identifiers) {
      if (identifiers.length > MAX_IDENTIFIERS) return false;
      return identifiers.every((identifier) => {
        const { text } = readWords(String(identifier).slice(0, MAX_LENGTH + 1));
        if (text === '' || text.length > MAX_LENGTH) return false;
        said ??= ownTextsOf(message).map(readWords);
        return said.some((words) => contains(words, text));
      });
    },
  };
}

/** Words, which may have digits, and single signs. Spaces, dashes and characters without a width are between them. */
const parts = /[\p{L}\p{M}\p{N}]+|[^\s\p{Pd}\p{Cf}\u2212]/gu;

function readWords(text: string): Words {
  const found = text.normalize('NFKC').toLowerCase().match(parts) ?? [];
  const borders = new Set([0]);
  let length = 0;
  for (const part of found) {
    length += part.length;
    borders.add(length);
  }
  return { text: found.join(''), borders };
}

function contains({ text, borders }: Words, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (borders.has(at) && borders.has(at + wanted.length)) return true;
  }
  return false;
}

/** Longer words are compared by their beginning, in characters. */
const MAX_SAID = 2_000;

/** The words of a text, one space between them. */
function wordsOf(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).join(' ');
}

/**
 * Creates the search for words in a message, one after the other: in its text, its subject, or what it quotes or
 * forwards. Signs between them do not count. It finds no empty words.
 */
export function saidIn({ prepared, subject }: PreparedMessage): (words: string) => boolean {
  const texts = [prepared.text, subject ?? '', ...prepared.setApart.map(({ text }) => text)];
  const said = texts.map((text) => ` ${wordsOf(text)} `);
  return (words) => {
    const wanted = wordsOf(words.slice(0, MAX_SAID));
    return wanted !== '' && said.some((text) => text.includes(` ${wanted} `));
  };
}

// Conversations

/** The most entries of a conversation in a prompt: the newest ones. */
const MAX_ENTRIES = 6;

/** Maximum length of each of them, in characters. */
const MAX_ENTRY = 500;

/** The conversation of a message for a prompt, with its secrets masked as they are stored; no member without one. */
export function promptConversation({ history }: PreparedMessage): JsonObject {
  const entries = history?.entries.slice(-MAX_ENTRIES) ?? [];
  if (entries.length === 0) return {};
  return { conversation: entries.map(({ from, text }) => ({ from, text: truncate(text, MAX_ENTRY) })) };
}

/** Words with a digit, such as order numbers. */
const numbers = /[\p{L}\p{N}_-]*\d[\p{L}\p{N}_-]*/gu;

/**
 * True where an input names a number that only we have named in the conversation: a plan takes the numbers of the
 * customer alone, so that a text which got into a reply cannot choose whose order is looked up.
 */
export function takesFromReplies(input: JsonObject, message: PreparedMessage): boolean {
  const { prepared, subject, history } = message;
  if (history === undefined || history.entries.length === 0) return false;
  const replies = history.entries.filter(({ from }) => from !== 'customer').map(({ text }) => text);
  const said = history.entries.filter(({ from }) => from === 'customer').map(({ text }) => text);
  const ours = numbersIn(replies);
  const own = numbersIn([
    ...said,
    prepared.text,
    subject ?? '',
    ...prepared.setApart.map(({ text }) => text),
  ]);
  return [...numbersIn(textsIn(input))].some((number) => ours.has(number) && !own.has(number));
}

function numbersIn(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.toLowerCase().match(numbers) ?? []));
}

function textsIn(value: JsonValue): readonly string[] {
  if (value === null || typeof value !== 'object') return [String(value)];
  return Object.values(value).flatMap(textsIn);
}

// Identifiers

/** The `format` of a member of a schema that names whose data a tool reads. */
export const ID_FORMAT = 'id';

/** Keywords with schemas that hold for the same value as the schema around them. */
const lists = ['allOf', 'anyOf', 'oneOf'] as const;
const conditions = ['if', 'then', 'else'] as const;

/** The values of an input that its JSON Schema, or else `marked` of its members, declares to be identifiers. */
export function identifiersOf(
  input: JsonObject,
  schema: JsonObject,
  marked: readonly string[] = [],
): readonly JsonValue[] {
  return [
    ...marked.flatMap((name) => leavesOf(getOwn(input, name))),
    ...identifiersWithin(input, [schema], schema),
  ];
}

/** The identifiers within a value for which all of these schemas may hold. */
function identifiersWithin(
  value: JsonValue,
  schemas: readonly (JsonValue | undefined)[],
  root: JsonObject,
): readonly JsonValue[] {
  const holding = withInPlace(schemas, root);
  if (holding.length === 0) return [];
  if (holding.some((schema) => getOwn(schema, 'format') === ID_FORMAT)) return leavesOf(value);
  if (isJsonArray(value)) {
    return value.flatMap((item, index) =>
      identifiersWithin(
        item,
        holding.flatMap((schema) => itemSchemas(schema, index)),
        root,
      ),
    );
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    identifiersWithin(
      member,
      holding.flatMap((schema) => memberSchemas(schema, name)),
      root,
    ),
  );
}

/** These schemas, those that they refer to, and those that hold for the same value. */
function withInPlace(schemas: readonly (JsonValue | undefined)[], root: JsonObject): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (schema: JsonValue | undefined): void => {
    if (!isJsonObject(schema) || found.has(schema)) return;
    found.add(schema);
    const reference = getOwn(schema, '$ref');
    const pointer = typeof reference === 'string' ? fragmentPointer(reference) : undefined;
    if (pointer !== undefined) add(pick(root, pointer));
    for (const keyword of lists) {
      const parts = getOwn(schema, keyword);
      if (isJsonArray(parts)) parts.forEach(add);
    }
    for (const keyword of conditions) add(getOwn(schema, keyword));
    const dependent = getOwn(schema, 'dependentSchemas');
    if (isJsonObject(dependent)) Object.values(dependent).forEach(add);
  };
  schemas.forEach(add);
  return [...found];
}

function itemSchemas(schema: JsonObject, index: number): readonly (JsonValue | undefined)[] {
  const first = getOwn(schema, 'prefixItems');
  const rest = getOwn(schema, 'items');
  const placed = isJsonArray(first) ? first[index] : undefined;
  return [placed, isJsonArray(rest) ? rest[index] : rest, getOwn(schema, 'contains')];
}

function memberSchemas(schema: JsonObject, name: string): readonly (JsonValue | undefined)[] {
  const properties = getOwn(schema, 'properties');
  const own = isJsonObject(properties) ? getOwn(properties, name) : undefined;
  if (own !== undefined) return [own];
  const patterns = getOwn(schema, 'patternProperties');
  const others = ['additionalProperties', 'unevaluatedProperties'].map((keyword) => getOwn(schema, keyword));
  return [...(isJsonObject(patterns) ? Object.values(patterns) : []), ...others];
}

/** The values within a value that are no lists and no objects; null stands for none. */
function leavesOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : [value];
}
