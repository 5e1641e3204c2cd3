import {
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
} from '../../lib/json/json.ts';

/** A string that stands for a value which is known only when the step runs. */
export interface Reference {
  /** The template as it was written. */
  readonly text: string;
  /** The step whose output is meant, or null for the run's input. */
  readonly stepId: string | null;
  /** Everything after the step's id, or after `$input.`; null where the whole input is meant. */
  readonly key: string | null;
  /** `key` as a path. */
  readonly path: readonly string[];
}

/** What a string in an input is: itself (perhaps without the `$` that escapes it), or a reference. */
export type ParsedString = string | Reference;

const STEP = '$step.';
const INPUT = '$input';

/**
 * Reads a string of an input (specification, section 2). The whole string is a template or none of it: only
 * `$step.<id>.<key>`, `$input.<path>` and `$input` are references, `$$` at the start stands for a literal `$`, and
 * everything else (`$5`, `$steps`, `$step.a` without a key) is a literal.
 */
export function parseString(text: string): ParsedString {
  if (text.charCodeAt(0) !== 0x24) return text;
  if (text.charCodeAt(1) === 0x24) return text.slice(1);
  if (text.startsWith(STEP)) {
    const dot = text.indexOf('.', STEP.length);
    return dot === -1 ? text : reference(text, text.slice(STEP.length, dot), text.slice(dot + 1));
  }
  if (text === INPUT) return reference(text, null, null);
  if (text.startsWith(INPUT) && text.charCodeAt(INPUT.length) === 0x2e) {
    return reference(text, null, text.slice(INPUT.length + 1));
  }
  return text;
}

function reference(text: string, stepId: string | null, key: string | null): Reference {
  // No value is nested deeper than MAX_JSON_DEPTH, so a longer path leads nowhere and need not be read to its end.
  return { text, stepId, key, path: key === null ? [] : key.split('.', MAX_JSON_DEPTH + 2) };
}

/**
 * The value that a reference names in the object it is about, or undefined where there is none. A key of the object
 * that equals the whole rest of the template wins over the path; a path goes through own properties and array
 * indices only, so that nothing inherited (`constructor`, `__proto__`, `length`) is ever reached.
 */
export function lookUp(source: JsonObject, { key, path }: Reference): JsonValue | undefined {
  if (key === null) return source;
  const whole = getOwn(source, key);
  if (whole !== undefined || path.length === 1) return whole;
  let value: JsonValue | undefined = source;
  for (const part of path) {
    if (isJsonObject(value)) value = getOwn(value, part);
    else if (Array.isArray(value)) value = itemAt(value, part);
    else return undefined;
  }
  return value;
}

/** The item whose index is written as `part`, in plain decimal digits without needless zeros. */
function itemAt(items: readonly JsonValue[], part: string): JsonValue | undefined {
  if (part.length === 0 || part.length > 9) return undefined;
  let index = 0;
  for (let place = 0; place < part.length; place++) {
    const digit = part.charCodeAt(place) - 0x30;
    if (digit < 0 || digit > 9 || (place === 1 && index === 0)) return undefined;
    index = index * 10 + digit;
  }
  return items[index];
}
