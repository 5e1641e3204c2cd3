import type { ExpressionValues } from '../../../domain/workflow/expression.ts';
import {
  isJsonArray,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
  setOwn,
} from '../../../lib/json/json.ts';
import { MAX_EXPRESSION_BYTES } from './cel/syntax.ts';
import { createWork, MAX_TEXT_LENGTH, spendNewText, type Work } from './cel/work.ts';
import { ExpressionError, type Source, sourceAfter, sourceOf } from './error.ts';
import { type CompiledExpression, compileExpression, uniquePaths } from './expression.ts';

/** Maximum number of expressions in a template, those of all its texts together. */
const MAX_EXPRESSIONS = 1_000;

/** Maximum length of all expressions of a template together, in UTF-16 units. */
const MAX_SOURCE_LENGTH = 32_768;

/** A text that may contain `${{ … }}`, each a CEL expression. */
export interface ValueTemplate {
  /** The paths that its expressions read, as in `Expression`. */
  readonly references: readonly (readonly string[])[];
  /** Its literal parts, and its expressions, each of which has its own bound of work. */
  readonly parts: readonly (string | { evaluate(values: ExpressionValues): JsonValue })[];
  /**
   * A text that is wholly one `${{ … }}` becomes the value with its type; embedded ones become text, as JSON where
   * they are none. Throws `ExpressionError`.
   */
  evaluate(values: ExpressionValues): JsonValue;
}

/** Parses a text with `${{ … }}`; `$${{` is a literal `${{`. Throws `ExpressionError`, with the place in the text. */
export function parseValueTemplate(text: string, roots: readonly string[]): ValueTemplate {
  const { references, parts, evaluate } = compileTemplate(text, roots, createBudget());
  return {
    references,
    parts: parts.map((part) =>
      typeof part === 'string' ? part : { evaluate: (values) => part.evaluate(values, createWork()) },
    ),
    evaluate: (values) => evaluate(values, createWork()),
  };
}

/** A JSON value whose texts may contain `${{ … }}`; keys are taken as they are. */
export interface JsonTemplate {
  /** The paths that its expressions read, as in `Expression`. */
  readonly references: readonly (readonly string[])[];
  /** The value with each template evaluated. The work is bounded for all of them together. Throws `ExpressionError`. */
  evaluate(values: JsonObject): JsonValue;
}

/** Parses the templates within a JSON value. Throws `ExpressionError`, which names the keys that lead to the text. */
export function parseJsonTemplate(value: JsonValue, roots: readonly string[]): JsonTemplate {
  const texts: PlacedText[] = [];
  const build = collectTexts(value, [], texts);
  const { references, evaluate } = parseTexts(texts, roots);
  return { references, evaluate: (values) => build(evaluate(values)) };
}

/** Collects the texts of a value; the result makes the value from those that stand in their places. */
function collectTexts(
  value: JsonValue,
  path: readonly string[],
  texts: PlacedText[],
): (replaced: readonly JsonValue[]) => JsonValue {
  if (typeof value === 'string') {
    const index = texts.push({ path, text: value }) - 1;
    return (replaced) => replaced[index] ?? null;
  }
  if (typeof value !== 'object' || value === null) return () => value;
  if (path.length >= MAX_JSON_DEPTH) {
    throw new ExpressionError(`the template is nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  const members = Object.entries(value).map(
    ([key, member]) => [key, collectTexts(member, [...path, key], texts)] as const,
  );
  if (isJsonArray(value)) return (replaced) => members.map(([, build]) => build(replaced));
  return (replaced) => {
    const copy: Record<string, JsonValue> = {};
    for (const [key, build] of members) setOwn(copy, key, build(replaced));
    return copy;
  };
}

/** A text that may contain `${{ … }}`, and the keys that lead to it. */
interface PlacedText {
  readonly path: readonly string[];
  readonly text: string;
}

/**
 * Parses texts with `${{ … }}`; the result evaluates to the value of each. Parsing takes `work`, that of one template
 * when absent; the work of each evaluation is bounded for all texts together. Both throw `ExpressionError`, whose
 * message begins with the keys that lead to the text.
 */
export function parseTexts(
  texts: readonly PlacedText[],
  roots: readonly string[],
  work: Work = createWork(),
): {
  readonly references: readonly (readonly string[])[];
  evaluate(values: ExpressionValues): readonly JsonValue[];
} {
  const budget = createBudget(work);
  const templates = texts.map(({ path, text }) => ({
    path,
    template: located(path, () => compileTemplate(text, roots, budget)),
  }));
  return {
    references: uniquePaths(templates.flatMap(({ template }) => template.references)),
    evaluate: (values) => {
      const evaluation = createWork();
      return templates.map(({ path, template }) =>
        located(path, () => template.evaluate(values, evaluation)),
      );
    },
  };
}

function located<T>(path: readonly string[], use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof ExpressionError) || path.length === 0) throw error;
    const { message, offset } = error;
    throw new ExpressionError(`${path.join('.')}: ${message}`, undefined, { path, offset });
  }
}

/** The bounds that the texts of one template share while they are parsed. */
interface Budget {
  readonly work: Work;
  expressions: number;
  sourceLength: number;
}

function createBudget(work = createWork()): Budget {
  return { work, expressions: MAX_EXPRESSIONS, sourceLength: MAX_SOURCE_LENGTH };
}

function compileTemplate(
  text: string,
  roots: readonly string[],
  budget: Budget,
): {
  readonly references: readonly (readonly string[])[];
  readonly parts: readonly (string | CompiledExpression)[];
  readonly evaluate: CompiledExpression['evaluate'];
} {
  const parts = scanTemplate(text).map((part): string | CompiledExpression => {
    if ('literal' in part) return part.literal;
    budget.expressions--;
    budget.sourceLength -= part.source.expression.length;
    if (budget.expressions < 0) throw tooMany(part.source);
    if (budget.sourceLength < 0) {
      const message = `the expressions are longer than ${MAX_SOURCE_LENGTH} characters together`;
      throw new ExpressionError(message, { source: part.source, offset: 0 });
    }
    return compileExpression(part.source, roots, budget.work);
  });
  const [first] = parts;
  const expressions = parts.filter((part) => typeof part !== 'string');
  return {
    references: uniquePaths(expressions.flatMap(({ references }) => references)),
    parts,
    evaluate:
      parts.length === 1 && typeof first === 'object'
        ? first.evaluate
        : (values, work) => joinParts(parts, MAX_TEXT_LENGTH + text.length, values, work),
  };
}

function joinParts(
  parts: readonly (string | CompiledExpression)[],
  maxLength: number,
  values: ExpressionValues,
  work: Work,
): string {
  let joined = '';
  for (const part of parts) {
    joined += typeof part === 'string' ? part : embed(part, values, work);
    if (joined.length > maxLength) {
      throw new ExpressionError(`the text becomes longer than ${MAX_TEXT_LENGTH} characters`);
    }
  }
  return joined;
}

/** The value as text. What is embedded counts as a text that is made. */
function embed({ source, evaluate }: CompiledExpression, values: ExpressionValues, work: Work): string {
  const value = evaluate(values, work);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  spendNewText(work, text.length, { source: sourceOf(source), offset: 0 });
  return text;
}

/** The literal parts of a text and the expressions in it. */
type Part = { readonly literal: string } | { readonly source: Source };

/** The beginning of an expression. */
const OPENING = '$'.concat('{{');

/** The end of a literal of CEL that starts with a quote, or of the text where it has no end. */
const quoted =
  /"""(?:\\[\s\S]|[^\\])*?(?:"""|$)|'''(?:\\[\s\S]|[^\\])*?(?:'''|$)|"(?:\\[\s\S]|[^\\"])*(?:"|$)|'(?:\\[\s\S]|[^\\'])*(?:'|$)/y;

/** The signs that the end of an expression depends on: quotes, braces, comments. */
const sign = /["'{}]|\/\/[^\n]*/g;

/**
 * Splits a text at each `${{ … }}`. `$${{` becomes a literal `${{`. The end is found outside of quotes and braces.
 * Throws {@link ExpressionError} for an expression without an end.
 */
export function scanTemplate(text: string): readonly Part[] {
  const parts: Part[] = [];
  let literal = '';
  let start = sourceOf('');
  let position = 0;
  for (let found = text.indexOf(OPENING); found >= 0; found = text.indexOf(OPENING, position)) {
    const isEscaped = found > position && text[found - 1] === '$';
    literal += text.slice(position, isEscaped ? found - 1 : found);
    position = found + 3;
    if (isEscaped) {
      literal += OPENING;
      continue;
    }
    if (literal !== '') parts.push({ literal });
    literal = '';
    start = sourceAfter(start, text.slice(start.offset, found), '');
    const end = findEnd(text, start);
    if (parts.length > 2 * MAX_EXPRESSIONS) throw tooMany(start);
    parts.push({ source: sourceAfter(start, OPENING, text.slice(position, end)) });
    position = end + 2;
  }
  literal += text.slice(position);
  if (literal !== '') parts.push({ literal });
  return parts;
}

/** Where the `}}` stands that ends the expression. */
function findEnd(text: string, start: Source): number {
  let depth = 0;
  sign.lastIndex = start.offset + 3;
  for (let match = sign.exec(text); match !== null; match = sign.exec(text)) {
    if (match.index > start.offset + OPENING.length + MAX_EXPRESSION_BYTES) break;
    const [found] = match;
    if (found === '{') depth++;
    else if (found === '}' && depth > 0) depth--;
    else if (found === '}' && text[match.index + 1] === '}') return match.index;
    else if (found === '"' || found === "'") {
      quoted.lastIndex = match.index;
      quoted.test(text);
      sign.lastIndex = quoted.lastIndex;
    }
  }
  const message = `"${OPENING}" has no "}}" within ${MAX_EXPRESSION_BYTES} bytes`;
  throw new ExpressionError(message, { source: start, offset: 0 });
}

/** The error for a template with more than {@link MAX_EXPRESSIONS}. */
function tooMany(source: Source): ExpressionError {
  return new ExpressionError(`there are more than ${MAX_EXPRESSIONS} expressions together`, {
    source,
    offset: 0,
  });
}
