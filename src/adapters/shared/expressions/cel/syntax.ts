import type { ASTNode } from '@marcbachmann/cel-js';
import { Environment } from '@marcbachmann/cel-js/evaluator';
import { ExpressionError, type Source } from '../error.ts';

export type Node = ASTNode;

/** Maximum size of an expression in UTF-8, in bytes. */
export const MAX_EXPRESSION_BYTES = 4_096;

const MAX_DEPTH = 64;

/** Only the parser of the library is used: its evaluation is not bounded. */
const environment = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxDepth: MAX_DEPTH, maxAstNodes: MAX_EXPRESSION_BYTES },
});

/** Parses a CEL expression. Throws {@link ExpressionError} for wrong syntax and for what is too long or too deep. */
export function parseSyntax(source: Source): Node {
  const { expression } = source;
  if (Buffer.byteLength(expression) > MAX_EXPRESSION_BYTES) {
    const message = `the expression is longer than ${MAX_EXPRESSION_BYTES} bytes`;
    throw new ExpressionError(message, { source, offset: 0 });
  }
  try {
    return environment.parse(expression).ast;
  } catch (error) {
    throw toExpressionError(error, source);
  }
}

/** The members of the library's errors of syntax, beside the message, which quotes the source. */
interface SyntaxFault {
  readonly code: string;
  readonly summary: string;
  readonly range?: { readonly start: number } | undefined;
}

function isSyntaxFault(error: unknown): error is Error & SyntaxFault {
  return error instanceof Error && error.name === 'ParseError' && 'summary' in error && 'code' in error;
}

function toExpressionError(error: unknown, source: Source): unknown {
  if (!isSyntaxFault(error)) return error;
  const { expression } = source;
  const offset = Math.min(error.range?.start ?? 0, expression.length);
  return new ExpressionError(describeFault(error) + hintAt(expression, offset), { source, offset });
}

/** Operators of other languages, and what CEL has in their place. */
const foreign: readonly (readonly [found: RegExp, meant: string])[] = [
  [/\band\b/, '&&'],
  [/\bor\b/, '||'],
  [/\bnot\b/, '!'],
  [/!==|<>/, '!='],
  [/===|(?<![=!<>])=(?![=>])/, '=='],
  [/(?<!&)&(?!&)/, '&&'],
  [/(?<!\|)\|(?!\|)/, '||'],
  [/\?\?|\?\./, 'a.?b.orValue(…)'],
];

/** The probable meaning of the signs just before and after the place of a fault. */
function hintAt(expression: string, offset: number): string {
  const around = expression.slice(Math.max(0, offset - 4), offset + 3);
  const meant = foreign.find(([found]) => found.test(around))?.[1];
  return meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
}

/** The names that the library has for tokens. */
const tokens: Readonly<Record<string, string>> = {
  EOF: 'the end',
  LPAREN: '"("',
  RPAREN: '")"',
  LBRACKET: '"["',
  RBRACKET: '"]"',
  LBRACE: '"{"',
  RBRACE: '"}"',
  COLON: '":"',
  COMMA: '","',
  DOT: '"."',
  QUESTION: '"?"',
  IDENTIFIER: 'a name',
  NUMBER: 'a number',
  STRING: 'a text',
  BYTES: 'bytes',
  PLUS: '"+"',
  MINUS: '"-"',
  MULTIPLY: '"*"',
  DIVIDE: '"/"',
  MODULO: '"%"',
  EQ: '"=="',
  NE: '"!="',
  LT: '"<"',
  LE: '"<="',
  GT: '">"',
  GE: '">="',
  AND: '"&&"',
  OR: '"||"',
  NOT: '"!"',
  IN: '"in"',
};

function describeFault({ code, summary }: SyntaxFault): string {
  if (summary.startsWith('Exceeded maxDepth'))
    return `the expression is nested deeper than ${MAX_DEPTH} levels`;
  if (summary.startsWith('Exceeded')) return 'the expression has too many parts';
  const text = summary.replace(/\b[A-Z]{2,}\b/g, (token) => tokens[token] ?? token.toLowerCase());
  const sentence = text.charAt(0).toLowerCase() + text.slice(1);
  return code === 'reserved_identifier' ? sentence.replace('identifier', 'word') : sentence;
}
