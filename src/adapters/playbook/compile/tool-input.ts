import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../../../lib/json/json.ts';
import { ExpressionError } from '../../shared/expressions/error.ts';
import { type JsonTemplate, parseJsonTemplate } from '../../shared/expressions/templates.ts';
import { messageRoots } from '../references.ts';

/** A value, of which the texts are parsed. */
type Compiled =
  | { readonly kind: 'leaf'; readonly template: JsonTemplate }
  | { readonly kind: 'path'; readonly keys: readonly string[] }
  | { readonly kind: 'list'; readonly items: readonly Compiled[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Compiled])[] };

/**
 * Makes the function that fills in the input of a tool. A member or item whose expression has no value is left out.
 * The expressions, which were checked, are parsed for the first input.
 */
export function createToolInput(input: JsonObject): (values: JsonObject) => JsonObject {
  let members: readonly (readonly [string, Compiled])[] | undefined;
  return (values) => {
    members ??= Object.entries(input).map(([name, value]) => [name, compile(value)]);
    return evaluateMembers(members, values);
  };
}

function compile(value: JsonValue): Compiled {
  if (isJsonArray(value)) return { kind: 'list', items: value.map(compile) };
  if (!isJsonObject(value)) return compileLeaf(value);
  return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, compile(member)]) };
}

/** A leaf that is but a path is looked up: without a value it costs no error (benchmark `pipeline`). */
function compileLeaf(value: JsonValue): Compiled {
  const template = parseJsonTemplate(value, messageRoots);
  const [keys = []] = template.references;
  const isPath = typeof value === 'string' && value.replaceAll(' ', '') === `\${{${keys.join('.')}}}`;
  return isPath ? { kind: 'path', keys } : { kind: 'leaf', template };
}

function valueAt(keys: readonly string[], values: JsonObject): JsonValue | undefined {
  let value: JsonValue | undefined = values;
  for (const key of keys) value = isJsonObject(value) ? getOwn(value, key) : undefined;
  return value;
}

function evaluateMembers(members: readonly (readonly [string, Compiled])[], values: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, member] of members) {
    const value = evaluate(member, values);
    if (value !== undefined) setOwn(result, name, value);
  }
  return result;
}

function evaluate(compiled: Compiled, values: JsonObject): JsonValue | undefined {
  switch (compiled.kind) {
    case 'list':
      return compiled.items.map((item) => evaluate(item, values)).filter((value) => value !== undefined);
    case 'object':
      return evaluateMembers(compiled.members, values);
    case 'path':
      return valueAt(compiled.keys, values);
    case 'leaf':
      try {
        return compiled.template.evaluate(values);
      } catch (error) {
        if (error instanceof ExpressionError) return undefined;
        throw error;
      }
  }
}
