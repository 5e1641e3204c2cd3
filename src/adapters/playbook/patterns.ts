import { RE2JS } from 're2js';
import { PatternError, patternCost } from '../shared/linear-pattern.ts';

/** Maximum size of a pattern, and of all patterns together: the number of instructions that they compile to. */
const MAX_SIZE = 100;
export const MAX_TOTAL_SIZE = 400;

/** The most that the searches in a message may take: instructions times characters. A million takes about 60 ms. */
const MAX_WORK = 1_600_000;

/** A regular expression of RE2, whose search takes time in proportion to the length of the text. */
export interface Pattern {
  /** The number of its instructions. */
  readonly size: number;
  /** The first match; undefined where it is empty. Of a very long text only the start is searched. */
  find(text: string): string | undefined;
}

/**
 * Compiles a pattern. Throws `PatternError` for what RE2 does not know (look-ahead, back-references) and what is too
 * large.
 */
export function compilePattern(source: string): Pattern {
  patternCost(source);
  const pattern = compile(source);
  const size = pattern.programSize();
  if (size > MAX_SIZE) {
    throw new PatternError(
      `the pattern has ${size} parts, its repetitions counted; expected at most ${MAX_SIZE}`,
    );
  }
  if (pattern.matcher('').find()) throw new PatternError('the pattern matches an empty text');
  const longest = Math.floor(MAX_WORK / MAX_TOTAL_SIZE) * Math.floor(MAX_TOTAL_SIZE / size);
  return {
    size,
    find(text) {
      const matcher = pattern.matcher(text.length > longest ? text.slice(0, longest) : text);
      // A search for the next match after an empty one would begin anew at each character.
      return matcher.find() ? matcher.group() || undefined : undefined;
    },
  };
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
    throw new PatternError(`the pattern is not valid: ${reason.slice(0, 200)}; expected the syntax of RE2`, {
      cause: error,
    });
  }
}
