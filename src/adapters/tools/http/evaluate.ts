import { ToolError } from '../../../domain/tool-error.ts';
import { isJsonArray, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { ExpressionError } from '../../shared/expressions/expression.ts';

/** Makes a part of a request from the values of the roots. Throws a permanent `ToolError`, which names the part. */
export type Render = (values: JsonObject) => string;

/** A template whose values are not known yet. */
interface Template<T> {
  evaluate(values: JsonObject): T;
}

/** Evaluates a template. Throws a permanent `ToolError`, which names the place and none of the values. */
export function evaluateAt<T>(template: Template<T>, values: JsonObject, place: string): T {
  try {
    return template.evaluate(values);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new ToolError(`${place}: ${error.message}`, { permanent: true, cause: error });
  }
}

/** As {@link evaluateAt}, as text. Null, lists and objects throw too: they have no place in an address or a header. */
export function evaluateText(template: Template<JsonValue>, values: JsonObject, place: string): string {
  return textOf(evaluateAt(template, values, place), place);
}

/** A value as text. Throws a permanent `ToolError` for null, lists and objects. */
export function textOf(value: JsonValue, place: string): string {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const kind = value === null ? 'null' : isJsonArray(value) ? 'a list' : 'an object';
  throw new ToolError(`${place}: a value is ${kind}, but must be a text, a number or a boolean`, {
    permanent: true,
  });
}
