import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../../../lib/json/json.ts';
import { ExpressionError } from '../../shared/expressions/error.ts';
import { type JsonTemplate, parseJsonTemplate } from '../../shared/expressions/json-template.ts';
import { messageRoots } from '../references.ts';

/** A value, of which the texts are parsed. */
type Compiled =
  | { readonly kind: 'leaf'; readonly template: JsonTemplate }
  | { readonly kind: 'list'; readonly items: readonly Compiled[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Compiled])[] };

/**
 * Makes the function that fills in the input of a tool. A member or item whose expression has no value is left out. The
 * expressions, which were checked, are parsed for the first input.
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
  if (!isJsonObject(value)) return { kind: 'leaf', template: parseJsonTemplate(value, messageRoots) };
  return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, compile(member)]) };
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
    case 'leaf':
      try {
        return compiled.template.evaluate(values);
      } catch (error) {
        if (error instanceof ExpressionError) return undefined;
        throw error;
      }
  }
}
