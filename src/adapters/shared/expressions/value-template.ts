import type { ExpressionValues } from '../../../domain/workflow/expression.ts';
import type { JsonValue } from '../../../lib/json/json.ts';
import { createWork, MAX_TEXT_LENGTH, spendNewText, type Work } from './cel/work.ts';
import { ExpressionError, sourceOf } from './error.ts';
import { type CompiledExpression, compileExpression, uniquePaths } from './expression.ts';
import { MAX_EXPRESSIONS, scanTemplate, tooMany } from './scan.ts';

/** Maximum length of all expressions of a template together, in UTF-16 units. */
const MAX_SOURCE_LENGTH = 32_768;

/** A text that may contain `${{ … }}`, each a CEL expression. */
export interface ValueTemplate {
  /** The paths that its expressions read, as in `Expression`. */
  readonly references: readonly (readonly string[])[];
  readonly hasExpressions: boolean;
  /**
   * A text that is wholly one `${{ … }}` becomes the value with its type; embedded ones become text, as JSON where they
   * are none. Throws `ExpressionError`.
   */
  evaluate(values: ExpressionValues): JsonValue;
  /** Makes a text. `encode` is applied to each embedded value, never to the literal parts. Throws `ExpressionError`. */
  render(values: ExpressionValues, encode: (value: string) => string): string;
}

/** What the texts of one template share while they are parsed. */
export interface TemplateBudget {
  readonly work: Work;
  expressions: number;
  sourceLength: number;
}

/** A template whose work counts with that of others. */
export interface CompiledTemplate {
  readonly references: readonly (readonly string[])[];
  readonly hasExpressions: boolean;
  evaluate(values: ExpressionValues, work: Work): JsonValue;
  render(values: ExpressionValues, encode: (value: string) => string, work: Work): string;
}

/** The budget of one template. */
export function createTemplateBudget(): TemplateBudget {
  return { work: createWork(), expressions: MAX_EXPRESSIONS, sourceLength: MAX_SOURCE_LENGTH };
}

/** Parses a text with `${{ … }}`; `$${{` is a literal `${{`. Throws `ExpressionError`, with the place in the text. */
export function parseValueTemplate(text: string, roots: readonly string[]): ValueTemplate {
  const { evaluate, render, ...described } = compileTemplate(text, roots, createTemplateBudget());
  return {
    ...described,
    evaluate: (values) => evaluate(values, createWork()),
    render: (values, encode) => render(values, encode, createWork()),
  };
}

/** As {@link parseValueTemplate}; the work counts with that of others. */
export function compileTemplate(
  text: string,
  roots: readonly string[],
  budget: TemplateBudget,
): CompiledTemplate {
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
  const expressions = parts.filter((part) => typeof part !== 'string');
  const render: CompiledTemplate['render'] = (values, encode, work) => {
    let rendered = '';
    for (const part of parts) {
      rendered += typeof part === 'string' ? part : encode(embed(part, values, work));
      if (rendered.length > MAX_TEXT_LENGTH + text.length) {
        throw new ExpressionError(`the text becomes longer than ${MAX_TEXT_LENGTH} characters`);
      }
    }
    return rendered;
  };
  const [first] = parts;
  return {
    references: uniquePaths(expressions.flatMap(({ references }) => references)),
    hasExpressions: expressions.length > 0,
    evaluate:
      parts.length === 1 && typeof first === 'object'
        ? first.evaluate
        : (values, work) => render(values, (value) => value, work),
    render,
  };
}

/** The value as text. What is embedded counts as a text that is made. */
function embed({ source, evaluate }: CompiledExpression, values: ExpressionValues, work: Work): string {
  const value = evaluate(values, work);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  spendNewText(work, text.length, { source: sourceOf(source), offset: 0 });
  return text;
}
