import { RE2JS } from 're2js';
import type { EntityMatch, PlaybookEntity } from '../../domain/playbook/playbook.ts';
import { PatternError, patternCost } from '../shared/linear-pattern.ts';
import type { EntityDefinition, NormalizeStep } from './definition.ts';

/** Spaces, dashes, dots and slashes, within an identifier. */
const separators = /[\s\u00ad\u200b\u2060\p{Pd}\u2212./\\\u2044\u2215]/gu;

const steps: Readonly<Record<NormalizeStep, (value: string) => string>> = {
  upper: (value) => value.toUpperCase(),
  lower: (value) => value.toLowerCase(),
  compact: (value) => value.replaceAll(separators, ''),
  digits: (value) => value.replaceAll(/[^0-9]/g, ''),
};

/** Makes an entity. Its pattern, which was checked, is compiled for the first search. */
export function compileEntity({ name, pattern: source, normalize = [] }: EntityDefinition): PlaybookEntity {
  let pattern: Pattern | undefined;
  return {
    name,
    find(text) {
      pattern ??= compilePattern(source);
      const found = pattern.find(text);
      if (found === undefined) return undefined;
      const value = normalizeValue(found.value, normalize);
      return value === '' ? undefined : { value, text: found.text };
    },
  };
}

/** A value after steps, in their order. */
export function normalizeValue(value: string, normalize: readonly NormalizeStep[]): string {
  return normalize.reduce((changed, step) => steps[step](changed), value);
}

// Patterns

/** Maximum size of a pattern, and of all patterns together: the number of instructions that they compile to. */
const MAX_SIZE = 100;
export const MAX_TOTAL_SIZE = 400;

/** The most that the searches in a message may take: instructions times characters. A million takes about 60 ms. */
const MAX_WORK = 1_600_000;

/** The group of a pattern whose match is the value. */
const VALUE_GROUP = 'value';

/** A regular expression of RE2, whose search takes time in proportion to the length of the text. */
export interface Pattern {
  /** The number of its instructions. */
  readonly size: number;
  /** The names of its groups that are not that of the value. */
  readonly otherGroups: readonly string[];
  /** The first match; undefined where it is empty. Of a very long text only the start is searched. */
  find(text: string): EntityMatch | undefined;
}

/**
 * Compiles a pattern, which matches without regard to case. The value of a match is that of its group `value`, or all
 * of it where there is none. Throws `PatternError` for what RE2 does not know (look-ahead, back-references) and what is
 * too large.
 */
export function compilePattern(source: string): Pattern {
  patternCost(source, 're2', true);
  const pattern = compile(source);
  const size = pattern.programSize();
  if (size > MAX_SIZE) {
    throw new PatternError(
      `the pattern has ${size} parts, its repetitions counted; expected at most ${MAX_SIZE}`,
    );
  }
  if (pattern.matcher('').find()) throw new PatternError('the pattern matches an empty text');
  const groups = Object.keys(pattern.namedGroups());
  const hasValue = groups.includes(VALUE_GROUP);
  const longest = Math.floor(MAX_WORK / MAX_TOTAL_SIZE) * Math.floor(MAX_TOTAL_SIZE / size);
  return {
    size,
    otherGroups: groups.filter((name) => name !== VALUE_GROUP),
    find(text) {
      const matcher = pattern.matcher(text.length > longest ? text.slice(0, longest) : text);
      // A search for the next match after an empty one would begin anew at each character.
      const found = matcher.find() ? matcher.group() : null;
      if (found === null || found === '') return undefined;
      return { text: found, value: (hasValue ? matcher.group(VALUE_GROUP) : null) ?? found };
    },
  };
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
    throw new PatternError(`the pattern is not valid: ${reason.slice(0, 200)}; expected the syntax of RE2`, {
      cause: error,
    });
  }
}
