import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
} from '../../lib/json/json.ts';

/** A template for a value that is known only when the step runs. */
export interface Reference {
  /** The template as it was written. */
  readonly text: string;
  /** The step whose output is referenced; null for the run's input. */
  readonly stepId: string | null;
  /** Everything after the step's id, or after `$input.`; null for the complete input. */
  readonly key: string | null;
  /** `key` as a path. */
  readonly path: readonly string[];
}

/** What introduces an expression in a text. */
const EXPRESSION = '$'.concat('{{');

/** True for a text that contains expressions, or the escape `$${{`. */
export function hasExpression(text: string): boolean {
  return text.includes(EXPRESSION);
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
 * rest of the template takes precedence over the path. A path follows own properties and array indices only, so that
 * inherited properties (`constructor`, `__proto__`, `length`) are never read.
 */
export function resolveReference(source: JsonObject, { key, path }: Reference): JsonValue | undefined {
  if (key === null) return source;
  const direct = getOwn(source, key);
  if (direct !== undefined || path.length === 1) return direct;
  let value: JsonValue | undefined = source;
  for (const part of path) {
    if (isJsonObject(value)) value = getOwn(value, part);
    else if (isJsonArray(value) && arrayIndex.test(part)) value = value[Number(part)];
    else return undefined;
  }
  return value;
}

/** An array index in plain decimal digits without leading zeros. */
const arrayIndex = /^(?:0|[1-9]\d{0,8})$/;
