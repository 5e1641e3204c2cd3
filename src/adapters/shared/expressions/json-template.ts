import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
  setOwn,
} from '../../../lib/json/json.ts';
import { createWork, type Work } from './cel/work.ts';
import { ExpressionError } from './error.ts';
import { uniquePaths } from './expression.ts';
import { compileTemplate, createTemplateBudget, type TemplateBudget } from './value-template.ts';

/** A JSON value whose texts may contain `${{ … }}`; keys are taken as they are. */
export interface JsonTemplate {
  /** The paths that its expressions read, as in `Expression`. */
  readonly references: readonly (readonly string[])[];
  /** The value with each template evaluated. The work is bounded for all of them together. Throws `ExpressionError`. */
  evaluate(values: JsonObject): JsonValue;
}

type Evaluate = (values: JsonObject, work: Work) => JsonValue;

interface Parsing {
  readonly roots: readonly string[];
  readonly budget: TemplateBudget;
  readonly references: (readonly string[])[];
}

/** Parses the templates within a JSON value. Throws `ExpressionError`, which names the keys that lead to the text. */
export function parseJsonTemplate(value: JsonValue, roots: readonly string[]): JsonTemplate {
  const parsing: Parsing = { roots, budget: createTemplateBudget(), references: [] };
  const evaluate = parse(value, parsing, []);
  return {
    references: uniquePaths(parsing.references),
    evaluate: (values) => evaluate(values, createWork()),
  };
}

function parse(value: JsonValue, parsing: Parsing, path: readonly string[]): Evaluate {
  if (typeof value === 'string') return parseText(value, parsing, path);
  if (typeof value !== 'object' || value === null) return () => value;
  if (path.length >= MAX_JSON_DEPTH) {
    throw new ExpressionError(`the template is nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  if (isJsonArray(value)) {
    const items = value.map((item, index) => parse(item, parsing, [...path, String(index)]));
    return (values, work) => items.map((item) => item(values, work));
  }
  return isJsonObject(value) ? parseObject(value, parsing, path) : () => value;
}

function parseObject(object: JsonObject, parsing: Parsing, path: readonly string[]): Evaluate {
  const members = Object.entries(object).map(
    ([key, member]) => [key, parse(member, parsing, [...path, key])] as const,
  );
  return (values, work) => {
    const copy: Record<string, JsonValue> = {};
    for (const [key, member] of members) setOwn(copy, key, member(values, work));
    return copy;
  };
}

function parseText(text: string, { roots, budget, references }: Parsing, path: readonly string[]): Evaluate {
  const template = locate(path, () => compileTemplate(text, roots, budget));
  references.push(...template.references);
  return (values, work) => locate(path, () => template.evaluate(values, work));
}

/** Names the keys that lead to the text in front of the message. */
function locate<T>(path: readonly string[], use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof ExpressionError) || path.length === 0) throw error;
    const { message, offset } = error;
    throw new ExpressionError(`${path.join('.')}: ${message}`, undefined, { path, offset });
  }
}
