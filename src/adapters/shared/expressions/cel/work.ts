import {
  compilePattern,
  type LinearPattern,
  maxMatchCost,
  PatternError,
  patternCost,
} from '../../linear-pattern.ts';
import { ExpressionError, type Place, WorkLimitError } from '../error.ts';

/** Units of work for parsing or evaluating one expression or template. A unit takes up to about 100 ns. */
const MAX_WORK = 300_000;

/** Maximum length of a text that an expression makes, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 1_048_576;

/** Characters that a unit of work copies or compares. */
const CHARACTERS_PER_UNIT = 64;

/** Characters that a unit of work reads one by one. */
const READ_PER_UNIT = 16;

/** The work that is left, and what was prepared with it. */
export interface Work {
  left: number;
  readonly patterns: Map<string, LinearPattern>;
  /** The names of the time zones that were paid for; undefined for none. */
  zones: Set<string> | undefined;
}

/** Work for parsing or evaluating one expression or template, at most `left` units. */
export function createWork(left = MAX_WORK): Work {
  return { left: Math.min(left, MAX_WORK), patterns: new Map(), zones: undefined };
}

/** Takes units of work. Throws {@link WorkLimitError} when none are left. */
export function spend(work: Work, units: number, place: Place): void {
  work.left -= units;
  if (work.left < 0) throw new WorkLimitError('the expression takes too much work', place);
}

/** Takes the work of reading or copying a text. */
export function spendText(work: Work, length: number, place: Place): void {
  spend(work, Math.ceil(length / CHARACTERS_PER_UNIT), place);
}

/** Takes the work of reading each character of a text by itself. */
export function spendCharacters(work: Work, length: number, place: Place): void {
  spend(work, Math.ceil(length / READ_PER_UNIT), place);
}

/** Takes the work of making a text. Throws {@link ExpressionError} where the text is too long. */
export function spendNewText(work: Work, length: number, place: Place): void {
  if (length > MAX_TEXT_LENGTH) {
    throw new WorkLimitError(`a text becomes longer than ${MAX_TEXT_LENGTH} characters`, place);
  }
  spendText(work, length, place);
}

/**
 * The compiled pattern, each compiled once. Throws {@link ExpressionError}, which quotes no pattern that is a value.
 */
export function patternOf(work: Work, source: string, place: Place, isLiteral = false): LinearPattern {
  const known = work.patterns.get(source);
  if (known !== undefined) return known;
  try {
    spend(work, patternCost(source).compileCost, place);
    const pattern = compilePattern(source);
    work.patterns.set(source, pattern);
    return pattern;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    // An error with a cause is that of the library, which quotes the pattern.
    const isShown = isLiteral || error.cause === undefined;
    throw new ExpressionError(isShown ? error.message : 'the pattern is not valid', place);
  }
}

/** Matches a text. Refuses beforehand what may take far more work than is left. */
export function matchPattern(work: Work, pattern: LinearPattern, text: string, place: Place): boolean {
  if (maxMatchCost(pattern, text) > 2 * work.left) spend(work, MAX_WORK, place);
  const { found, cost } = pattern.match(text);
  spend(work, cost, place);
  return found;
}
