import { MAX_EXPRESSION_BYTES } from './cel/syntax.ts';
import { ExpressionError, type Source, sourceAfter, sourceOf } from './error.ts';

/** The literal parts of a text and the expressions in it. */
export type Part = { readonly literal: string } | { readonly source: Source };

/** Maximum number of expressions in a template, those of all its texts together. */
export const MAX_EXPRESSIONS = 1_000;

/** What introduces an expression. */
const OPENING = '$'.concat('{{');

/** The end of a literal of CEL that starts with a quote, or of the text where it has no end. */
const quoted =
  /"""(?:\\[\s\S]|[^\\])*?(?:"""|$)|'''(?:\\[\s\S]|[^\\])*?(?:'''|$)|"(?:\\[\s\S]|[^\\"])*(?:"|$)|'(?:\\[\s\S]|[^\\'])*(?:'|$)/y;

/** What matters to the end of an expression: quotes, braces, comments. */
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
export function tooMany(source: Source): ExpressionError {
  return new ExpressionError(`there are more than ${MAX_EXPRESSIONS} expressions together`, {
    source,
    offset: 0,
  });
}
