import { itemAt } from '../../lib/array.ts';
import { isJsonArray, JsonError, type JsonObject, type JsonValue, setOwn } from '../../lib/json/json.ts';
import { addBytes, addJsonBytes, type ByteCount, jsonByteLength } from '../../lib/json/size.ts';
import { quote } from '../../lib/text/quote.ts';
import { hasExpression, parseTemplate, type Reference, resolveReference } from './template.ts';

/** A step's input cannot be resolved. The message is safe to show. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** Why a reference can never be resolved, whatever the steps return. */
export type ReferenceIssue = 'unknown' | 'not_upstream';

/** A reference within a step's input. */
export interface InputReference {
  readonly reference: Reference;
  /** The index of the step whose output is referenced; null for the run's input and for unknown steps. */
  readonly source: number | null;
  /** The nesting depth of the value in the resolved input. */
  readonly depth: number;
  /** Set when the graph of all steps is known; null where the reference is valid. */
  issue: ReferenceIssue | null;
}

/** A part of an input: a constant, or a value that contains references or texts with expressions. */
type Node =
  | { readonly kind: 'constant'; readonly value: JsonValue }
  | { readonly kind: 'reference'; readonly reference: InputReference }
  | { readonly kind: 'text'; readonly index: number; readonly depth: number }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly members: Members };

type Members = readonly (readonly [key: string, node: Node])[];

/** A text with expressions within a step's input. */
export interface InputText {
  /** The keys that lead to it. */
  readonly path: readonly string[];
  readonly text: string;
}

/** A step's static input with its templates parsed and its constant parts measured. */
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

/** The values that references resolve to during a run. */
export interface InputSources {
  /** Outputs by the index of their step; null where a step has none (yet). */
  readonly outputs: readonly (JsonObject | null)[];
  /** The run's input. */
  readonly input: JsonObject;
}

/** Bytes of the `null` that replaces a reference while the constant parts are measured. */
const PLACEHOLDER_BYTES = 4;

/** Compiles a static input once for all runs. `indexOf` finds the index of a step by its id. */
export function compileInput(
  staticInput: JsonObject,
  indexOf: (stepId: string) => number | undefined,
): CompiledInput {
  const references: InputReference[] = [];
  const texts: InputText[] = [];
  const keys: (string | number)[] = [];

  function compileString(text: string, depth: number): Node {
    if (hasExpression(text)) {
      texts.push({ path: keys.map(String), text: withoutEscape(text) });
      return { kind: 'text', index: texts.length - 1, depth };
    }
    const parsed = parseTemplate(text);
    if (typeof parsed === 'string') return { kind: 'constant', value: parsed };
    const { stepId } = parsed;
    const source = stepId === null ? null : (indexOf(stepId) ?? null);
    const isUnknown = stepId !== null && source === null;
    const reference = { reference: parsed, source, depth, issue: isUnknown ? 'unknown' : null } as const;
    references.push(reference);
    return { kind: 'reference', reference };
  }

  function compileValue(value: JsonValue, depth: number): Node {
    if (typeof value === 'string') return compileString(value, depth);
    if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
    const before = references.length + texts.length;
    const node: Node = isJsonArray(value)
      ? { kind: 'array', items: value.map((item, index) => compileAt(index, item, depth + 1)) }
      : { kind: 'object', members: compileMembers(value, depth) };
    const isConstant = references.length + texts.length === before;
    return isConstant ? { kind: 'constant', value: resolveNode(node, placeholders) } : node;
  }

  function compileAt(key: string | number, value: JsonValue, depth: number): Node {
    keys.push(key);
    const node = compileValue(value, depth);
    keys.pop();
    return node;
  }

  function compileMembers(object: JsonObject, depth: number): Members {
    return Object.entries(object).map(([key, value]) => [key, compileAt(key, value, depth + 1)]);
  }

  const members = compileMembers(staticInput, 0);
  const withPlaceholders = resolveMembers(members, placeholders);
  const values = references.length + texts.length;
  return {
    references,
    texts,
    constant: values === 0 ? withPlaceholders : null,
    members,
    bytes: jsonByteLength(withPlaceholders) - values * PLACEHOLDER_BYTES,
  };
}

/** A text whose `$$` at the start stands for `$`, as in every other string; expressions keep their own escape. */
function withoutEscape(text: string): string {
  return text.startsWith('$$') && !/^\$\$\$?\{\{/.test(text) ? text.slice(1) : text;
}

/** What {@link resolveInput} needs for an input with expressions, or for one that is not a step's input. */
export interface ResolveOptions {
  /** The values of the texts, in order. None when absent. */
  readonly texts?: readonly JsonValue[];
  /** What the result is, for errors. `the resolved input` when absent. */
  readonly name?: string;
}

const noTexts: readonly JsonValue[] = [];
const stepInput: ResolveOptions = {};

/**
 * Resolves the input of a step: replaces its references and texts by their values, which can have any JSON type. Throws
 * {@link InputError} where a value does not exist, and where the result would be larger than `maxBytes` of JSON or
 * nested too deep; each value is measured before it is inserted. The result shares objects with the outputs of other
 * steps, so it must be copied before other code receives it.
 */
export function resolveInput(
  input: CompiledInput,
  sources: InputSources,
  maxBytes: number,
  { texts = noTexts, name = 'the resolved input' }: ResolveOptions = stepInput,
): JsonObject {
  const count: ByteCount = { bytes: 0, maxBytes };
  try {
    addBytes(count, input.bytes);
    if (input.constant !== null) return input.constant;
    return resolveMembers(input.members, {
      reference(reference) {
        const value = referencedValue(reference, sources);
        addJsonBytes(count, value, reference.depth);
        return value;
      },
      text(index, depth) {
        const value = itemAt(texts, index);
        addJsonBytes(count, value, depth);
        return value;
      },
    });
  } catch (error) {
    if (error instanceof JsonError) throw new InputError(`${name} ${error.message}`);
    throw error;
  }
}

/** What is wrong with a reference, starting with its text. */
export function referenceIssueText({ text, stepId }: Reference, issue: ReferenceIssue): string {
  const reason = issue === 'unknown' ? 'which does not exist' : 'which is not upstream';
  return `${quote(text)} names step ${quote(stepId ?? '')}, ${reason}`;
}

/** What references and texts are replaced by. */
interface Resolve {
  reference(reference: InputReference): JsonValue;
  text(index: number, depth: number): JsonValue;
}

const placeholders: Resolve = { reference: () => null, text: () => null };

function resolveMembers(members: Members, resolve: Resolve): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const [key, node] of members) setOwn(object, key, resolveNode(node, resolve));
  return object;
}

function resolveNode(node: Node, resolve: Resolve): JsonValue {
  switch (node.kind) {
    case 'constant':
      return node.value;
    case 'reference':
      return resolve.reference(node.reference);
    case 'text':
      return resolve.text(node.index, node.depth);
    case 'array':
      return node.items.map((item) => resolveNode(item, resolve));
    case 'object':
      return resolveMembers(node.members, resolve);
  }
}

function referencedValue({ reference, source, issue }: InputReference, sources: InputSources): JsonValue {
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
