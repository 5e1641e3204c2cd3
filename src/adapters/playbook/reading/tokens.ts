import { Lexer } from 'yaml';
import type { SourceFault } from './source.ts';

/** Maximum number of tokens of a file: the parser of YAML is slow for more. */
const MAX_TOKENS = 60_000;

/** Maximum length of one text, with its quotes and indentation. */
const MAX_SCALAR = 32_768;

/** Maximum number of lists and objects around a value. */
export const MAX_DEPTH = 32;

/** Tokens of the lexer that stand for nothing in the text. */
const DOCUMENT = '\u0002';
const FLOW_ERROR = '\u0018';
const SCALAR = '\u001f';

/**
 * Finds out whether a text is too much for the parser, and where: too many tokens, too long ones, or nested too deep.
 * It reads no further than that. The parser takes the stack for depth, and much time for each error.
 */
export function findExcess(text: string): SourceFault | undefined {
  const depth = createDepth();
  let offset = 0;
  let tokens = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    tokens++;
    if (tokens > MAX_TOKENS)
      return { offset, message: `has more than ${MAX_TOKENS} parts; expected a smaller file` };
    if (!isScalar && (token === DOCUMENT || token === FLOW_ERROR || token === SCALAR)) {
      isScalar = token === SCALAR;
      continue;
    }
    if (token.length > MAX_SCALAR && !token.startsWith('#')) {
      return { offset, message: `is ${token.length} characters long; expected at most ${MAX_SCALAR}` };
    }
    if (!isScalar && depth.isUnopened(token)) {
      return { offset, message: `has ${JSON.stringify(token)} without an opening bracket` };
    }
    if (depth.add(token, isScalar) > MAX_DEPTH) {
      return { offset, message: `is nested deeper than ${MAX_DEPTH} levels; expected a flat file` };
    }
    isScalar = false;
    offset += token.length;
  }
  return undefined;
}

/** Counts how deep each token is: brackets around it, indentation, and dashes before it in its line. */
function createDepth(): {
  add(token: string, isScalar: boolean): number;
  /** True for a closing bracket where none is open. */
  isUnopened(token: string): boolean;
} {
  const indents: number[] = [];
  let brackets = 0;
  let indicators = 0;
  let indent = 0;
  let isLineStart = true;
  return {
    isUnopened: (token) => brackets === 0 && (token === ']' || token === '}'),
    add(token, isScalar) {
      if (!isScalar && /^\r?\n/.test(token)) {
        indent = 0;
        indicators = 0;
        isLineStart = true;
      } else if (isLineStart && /^ +$/.test(token)) {
        indent = token.length;
      } else if (isLineStart && !token.startsWith('#')) {
        isLineStart = false;
        while ((indents.at(-1) ?? -1) >= indent) indents.pop();
        if (brackets === 0) indents.push(indent);
      }
      if (isScalar) return indents.length + brackets;
      if (token === '[' || token === '{') brackets++;
      else if (token === ']' || token === '}') brackets--;
      // Inside of brackets each pair has a colon, and they nest nothing.
      else if (brackets === 0 && /^[-?:]$/.test(token)) indicators++;
      return indents.length + brackets + (brackets === 0 ? indicators : 0);
    },
  };
}
