import { itemAt } from '../../lib/array.ts';
import {
  getOwn,
  isJsonArray,
  JsonError,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
  setOwn,
} from '../../lib/json/json.ts';
import { valueAt } from '../../lib/json/pointer.ts';
import { addBytes, addJsonBytes, type ByteCount, jsonByteLength } from '../../lib/json/size.ts';
import { quote } from '../../lib/text/quote.ts';

/** A step's input cannot be resolved. The message is safe to show. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** A template for a value that is known only when the step runs. */
interface Reference {
  /** The template as it was written. */
  readonly text: string;
  /** The step whose output is referenced; null for the run's input. */
  readonly stepId: string | null;
  /** Everything after the step's id, or after `$input.`; null for the complete input. */
  readonly key: string | null;
  /** `key` as a path. */
  readonly path: readonly string[];
}

/** A reference within a member of a definition. */
export interface InputReference {
  readonly kind: 'reference';
  readonly reference: Reference;
  /** The index of the step whose output is referenced; null for the run's input and for unknown steps. */
  readonly source: number | null;
  /** The nesting depth of the value in the resolved input. */
  readonly depth: number;
  /**
   * The reason for which it can never be resolved, whatever the steps return; null where it can. `not_upstream` is set
   * when the graph of all steps is known.
   */
  issue: 'unknown' | 'not_upstream' | null;
}

/** A text with expressions within a member of a definition. */
export interface InputText {
  readonly kind: 'text';
  /** Its index among the texts of the member. */
  readonly index: number;
  /** The keys that lead to it. */
  readonly path: readonly string[];
  readonly text: string;
  readonly depth: number;
}

type Node =
  | InputReference
  | InputText
  | { readonly kind: 'constant'; readonly value: JsonValue }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly members: Members };

type Members = readonly (readonly [key: string, node: Node])[];

/** A static input, or another member, with its templates parsed and its constant parts measured. */
export interface CompiledInput {
  readonly references: readonly InputReference[];
  /** The texts that contain expressions, which are not parsed yet. */
  readonly texts: readonly InputText[];
  /** The resolved input where there are neither references nor such texts, else null. */
  readonly constant: JsonObject | null;
  readonly members: Members;
  /** Bytes of JSON of everything but the values of the references and texts. */
  readonly bytes: number;
}

/** Compiles a static input once for all runs. `indexOf` finds the index of a step by its id. */
export function compileInput(
  staticInput: JsonObject,
  indexOf: (stepId: string) => number | undefined,
): CompiledInput {
  const references: InputReference[] = [];
  const texts: InputText[] = [];
  const keys: (string | number)[] = [];

  function compileString(text: string): Node {
    const depth = keys.length;
    if (hasExpression(text)) {
      const path = keys.map(String);
      const found: InputText = { kind: 'text', index: texts.length, path, text: withoutEscape(text), depth };
      texts.push(found);
      return found;
    }
    const reference = parseTemplate(text);
    if (typeof reference === 'string') return { kind: 'constant', value: reference };
    const source = reference.stepId === null ? null : (indexOf(reference.stepId) ?? null);
    const issue = reference.stepId !== null && source === null ? 'unknown' : null;
    const found: InputReference = { kind: 'reference', reference, source, depth, issue };
    references.push(found);
    return found;
  }

  function compileValue(value: JsonValue): Node {
    if (typeof value === 'string') return compileString(value);
    if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
    const before = references.length + texts.length;
    const node: Node = isJsonArray(value)
      ? { kind: 'array', items: value.map((item, index) => compileAt(index, item)) }
      : { kind: 'object', members: compileMembers(value) };
    const isConstant = references.length + texts.length === before;
    return isConstant ? { kind: 'constant', value: resolveNode(node, () => null) } : node;
  }

  function compileAt(key: string | number, value: JsonValue): Node {
    keys.push(key);
    const node = compileValue(value);
    keys.pop();
    return node;
  }

  function compileMembers(object: JsonObject): Members {
    return Object.entries(object).map(([key, value]) => [key, compileAt(key, value)]);
  }

  const members = compileMembers(staticInput);
  const withNulls = resolveMembers(members, () => null);
  const values = references.length + texts.length;
  return {
    references,
    texts,
    constant: values === 0 ? withNulls : null,
    members,
    bytes: jsonByteLength(withNulls) - values * 'null'.length,
  };
}

/**
 * Resolves a compiled input: replaces its references, and its texts by `texts`, which can have any JSON type. `outputs`
 * are those of the steps by index, null where a step has none (yet). Throws {@link InputError} where a value does not
 * exist, and where the result, `name`, would be larger than `maxBytes` of JSON or nested too deep; each value is
 * measured before it is inserted. The result shares objects with the outputs of other steps, so it must be copied
 * before other code receives it.
 */
export function resolveInput(
  input: CompiledInput,
  sources: { readonly outputs: readonly (JsonObject | null)[]; readonly input: JsonObject },
  maxBytes: number,
  { texts = [], name = 'the resolved input' }: { texts?: readonly JsonValue[]; name?: string } = {},
): JsonObject {
  const count: ByteCount = { bytes: 0, maxBytes };
  try {
    addBytes(count, input.bytes);
    if (input.constant !== null) return input.constant;
    return resolveMembers(input.members, (node) => {
      const value = node.kind === 'text' ? itemAt(texts, node.index) : referencedValue(node, sources);
      addJsonBytes(count, value, node.depth);
      return value;
    });
  } catch (error) {
    if (error instanceof JsonError) throw new InputError(`${name} ${error.message}`);
    throw error;
  }
}

/** The issue of a reference in words, beginning with its text. */
export function referenceIssueText(
  { text, stepId }: Reference,
  issue: NonNullable<InputReference['issue']>,
): string {
  const reason = issue === 'unknown' ? 'which does not exist' : 'which is not upstream';
  return `${quote(text)} names step ${quote(stepId ?? '')}, ${reason}`;
}

type Replace = (node: InputReference | InputText) => JsonValue;

function resolveMembers(members: Members, replace: Replace): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const [key, node] of members) setOwn(object, key, resolveNode(node, replace));
  return object;
}

function resolveNode(node: Node, replace: Replace): JsonValue {
  switch (node.kind) {
    case 'constant':
      return node.value;
    case 'reference':
    case 'text':
      return replace(node);
    case 'array':
      return node.items.map((item) => resolveNode(item, replace));
    case 'object':
      return resolveMembers(node.members, replace);
  }
}

function referencedValue(
  { reference, source, issue }: InputReference,
  sources: Parameters<typeof resolveInput>[1],
): JsonValue {
  const { text, stepId, key } = reference;
  if (issue !== null) throw new InputError(`the template ${referenceIssueText(reference, issue)}`);
  const from = source === null ? sources.input : itemAt(sources.outputs, source);
  const value = from === null ? undefined : resolveReference(from, reference);
  if (value !== undefined) return value;
  const problem =
    stepId === null
      ? `the run's input has no ${quote(key ?? '')}`
      : from === null
        ? `step ${quote(stepId)} did not complete and has no output`
        : `the output of step ${quote(stepId)} has no ${quote(key ?? '')}`;
  throw new InputError(`the template ${quote(text)} cannot be resolved: ${problem}`);
}

/** The beginning of an expression in a text. */
const EXPRESSION = '$'.concat('{{');

/** True for a text with expressions, or the escape `$${{`. */
export function hasExpression(text: string): boolean {
  return text.includes(EXPRESSION);
}

/** A text whose `$$` at the start stands for `$`, as in every other string; expressions keep their own escape. */
function withoutEscape(text: string): string {
  return text.startsWith('$$') && !/^\$\$\$?\{\{/.test(text) ? text.slice(1) : text;
}

const STEP = '$step.';
const INPUT = '$input';

/** No value is nested deeper, so a longer path has no value and need not be split to its end. */
const MAX_PATH_LENGTH = MAX_JSON_DEPTH + 2;

/**
 * Parses a string of an input (specification, section 2) into a reference or a literal. A template is always the
 * complete string: `$step.<id>.<key>`, `$input.<path>` and `$input` are references. `$$` at the start stands for a
 * literal `$`. Everything else (`$5`, `$steps`, `$step.a` without a key) is a literal.
 */
export function parseTemplate(text: string): string | Reference {
  if (!text.startsWith('$')) return text;
  if (text.startsWith('$$')) return text.slice(1);
  if (text === INPUT) return { text, stepId: null, key: null, path: [] };
  if (text.startsWith(`${INPUT}.`)) return reference(text, null, text.slice(INPUT.length + 1));
  if (!text.startsWith(STEP)) return text;
  const dot = text.indexOf('.', STEP.length);
  return dot === -1 ? text : reference(text, text.slice(STEP.length, dot), text.slice(dot + 1));
}

function reference(text: string, stepId: string | null, key: string): Reference {
  return { text, stepId, key, path: key.split('.', MAX_PATH_LENGTH) };
}

/**
 * The value of a reference in an object, or undefined where there is none. A key of the object that equals the complete
 * rest of the template takes precedence over the path.
 */
export function resolveReference(source: JsonObject, { key, path }: Reference): JsonValue | undefined {
  if (key === null) return source;
  const direct = getOwn(source, key);
  return direct === undefined ? valueAt(source, path) : direct;
}
