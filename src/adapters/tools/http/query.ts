import { isJsonArray, type JsonObject } from '../../../lib/json/json.ts';
import { evaluateAt, evaluateText, type Render, textOf } from './evaluate.ts';
import { type Place, parseParts, type TemplatePart } from './places.ts';
import type { HttpToolDefinition } from './schema.ts';

type Query = NonNullable<HttpToolDefinition['request']['query']>;

/** Compiles the parameters, as `a=1&b=2`. A value that is a list becomes one parameter for each item. */
export function compileQuery(query: Query, { path, ...place }: Place): Render {
  const parameters = Object.entries(query).map(([name, value]) => {
    const parts = parseParts(String(value), { ...place, path: [...path, name] }) ?? [];
    return (values: JsonObject) =>
      parameterTexts(parts, values, `request.query.${name}`).map(
        (text) => `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(text)}`,
      );
  });
  return (values) => parameters.flatMap((parameter) => parameter(values)).join('&');
}

function parameterTexts(
  parts: readonly TemplatePart[],
  values: JsonObject,
  place: string,
): readonly string[] {
  const [only, ...others] = parts;
  if (only !== undefined && 'value' in only && others.length === 0) {
    const value = evaluateAt(only.value, values, place);
    return isJsonArray(value) ? value.map((item) => textOf(item, place)) : [textOf(value, place)];
  }
  const texts = parts.map((part) =>
    'literal' in part ? part.literal.toWellFormed() : evaluateText(part.value, values, place),
  );
  return [texts.join('')];
}
