import { built, builtSource, type CelExpression, type ExpressionSource, type Part } from './built.ts';
import { celLiteral } from './cel-text.ts';

/**
 * An expression in CEL, as it is written between the backticks; backslashes are those of CEL. What is inserted by
 * `${…}` is one value: a reference, another expression (in parentheses), or JSON, which becomes a literal, so that a
 * text is never code. Throws `TypeError` for an insertion within quotes or a comment, and for a value that is not JSON.
 *
 *     when: ({ steps, input }) => cel`${steps.order.total} > ${input.limit} && ${steps.order.state} != ${'closed'}`
 */
export function cel(strings: TemplateStringsArray, ...parts: readonly Part[]): CelExpression<never> {
  const sources = parts.map(expressionOf);
  let text = '';
  for (const [index, chunk] of strings.raw.entries()) {
    checkChunk(chunk);
    const source = sources[index - 1];
    if (source !== undefined) text += separated(text, source, chunk);
    text += chunk;
  }
  return {
    [built]: {
      kind: 'expression',
      cel: text,
      reads: sources.flatMap(({ reads }) => reads),
      readsItem: sources.some(({ readsItem }) => readsItem),
      form: 'computed',
    },
  };
}

/** A part as an expression: values become literals. Throws `TypeError` for a text with references. */
function expressionOf(part: unknown): ExpressionSource {
  const source = builtSource(part);
  if (source?.kind === 'expression') return source;
  if (source?.kind === 'text') throw new TypeError('text`…` cannot be a part of cel`…`');
  if (source?.kind === 'shape') throw new TypeError('a shape is a type, not a value');
  const cel = celLiteral(source === undefined ? part : source.value);
  return { kind: 'expression', cel, reads: [], readsItem: false, form: 'path' };
}

const wordOrQuote = /[A-Za-z0-9_'"]/;

/** The source with spaces where it would otherwise become a part of its neighbours, such as `r'…'`. */
function separated(before: string, { cel, form }: ExpressionSource, after: string): string {
  const start = wordOrQuote.test(before.slice(-1)) ? ' ' : '';
  const end = wordOrQuote.test(after.slice(0, 1)) ? ' ' : '';
  return `${start}${form === 'computed' ? `(${cel})` : cel}${end}`;
}

/** Complete texts and comments of CEL. */
const complete =
  /"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^\\"\n\r])*"|'(?:\\.|[^\\'\n\r])*'|\/\/[^\n]*\n/g;

/** Throws where a text or a comment is open at the end of the chunk: what follows would be a part of it. */
function checkChunk(chunk: string): void {
  const rest = chunk.replace(complete, ' ');
  if (/["']/.test(rest)) {
    throw new TypeError(`an expression has an insertion within quotes, or quotes without an end: ${chunk}`);
  }
  if (rest.includes('//')) throw new TypeError(`a comment in an expression must end with its line: ${chunk}`);
}
