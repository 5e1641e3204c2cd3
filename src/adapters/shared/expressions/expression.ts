import type { ExpressionKind, ExpressionValues } from '../../../domain/workflow/expression.ts';
import type { JsonValue } from '../../../lib/json/json.ts';
import { type Code, compile } from './cel/code.ts';
import { compilePart } from './cel/compile.ts';
import { parseSyntax } from './cel/syntax.ts';
import { toJson, type Value } from './cel/value.ts';
import { createWork, type Work } from './cel/work.ts';
import { type Source, sourceOf } from './error.ts';

export { ExpressionError } from './error.ts';

/** A CEL expression over JSON values, parsed and checked. The work of one evaluation is bounded: up to about 50 ms. */
export interface Expression {
  readonly source: string;
  /** The kind of its value, as far as the expression alone shows it; `any` otherwise, and for an optional. */
  readonly kind: ExpressionKind;
  /**
   * The paths that it reads, each as a list of keys that begins with a root, such as `['steps', 'my-step', 'total']`. A
   * path ends before an index that is not a literal.
   */
  readonly references: readonly (readonly string[])[];
  /**
   * The value. Integers come out as JSON numbers, timestamps as texts in RFC 3339, durations as texts such as `90s`,
   * and an optional as its value, or null. Throws `ExpressionError`: a missing member, wrong types, division by zero,
   * too much work.
   */
  evaluate(values: ExpressionValues): JsonValue;
}

/** An expression whose work counts with that of others. */
export interface CompiledExpression extends Omit<Expression, 'evaluate'> {
  evaluate(values: ExpressionValues, work: Work): JsonValue;
}

/**
 * Parses a CEL expression. It may read the roots by name. Throws `ExpressionError` for wrong syntax, unknown roots and
 * functions, types that cannot fit, patterns that are not valid, and for what is too long or too deep. Parsing takes
 * `work`, that of one expression when absent.
 */
export function parseExpression(
  source: string,
  roots: readonly string[],
  work: Work = createWork(),
): Expression {
  const { evaluate, ...described } = compileExpression(sourceOf(source), roots, work);
  return { ...described, evaluate: (values) => evaluate(values, createWork()) };
}

/** As {@link parseExpression}, for an expression within a text; the work of compiling counts with that of others. */
export function compileExpression(source: Source, roots: readonly string[], work: Work): CompiledExpression {
  const references: (readonly string[])[] = [];
  const node = parseSyntax(source);
  const parts = { count: 0 };
  const code = compile(node, {
    source,
    roots,
    locals: new Map(),
    work,
    references,
    parts,
    depth: 0,
    compilePart,
  });
  const place = { source, offset: 0 };
  return {
    source: source.expression,
    kind: code.kind === 'optional' ? 'any' : code.kind,
    references: uniquePaths(references),
    evaluate: (values, evaluationWork) => {
      const value = code.evaluate({ values, locals: [], work: evaluationWork });
      return isGiven(value, code) ? value : toJson(value, evaluationWork, place);
    },
  };
}

/** The paths, each once. */
export function uniquePaths(paths: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

/**
 * True for what is read along a path of JSON: it is a part of what was given, and needs no copy however large it is.
 */
function isGiven(_value: Value, { kind, path: [root] = [] }: Code): _value is JsonValue {
  return root !== undefined && root !== 'run' && root !== 'schedule' && kind !== 'optional';
}
