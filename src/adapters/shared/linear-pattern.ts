import { RE2JS, RE2Set } from 're2js';

/** Maximum size of a pattern: about the number of instructions that it compiles to. */
const MAX_SIZE = 1_000;

/** Maximum length of a pattern, in UTF-16 units. */
const MAX_LENGTH = 1_000;

/** Bytes that the automaton of a pattern may take before it is simulated step by step. */
const MAX_MEMORY = 256 * 1_024;

/** What a class such as `\pL` counts: it holds hundreds of ranges. */
const UNICODE_CLASS_SIZE = 20;

/** A pattern cannot be compiled. The message is safe to show. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** A regular expression whose matching takes time in proportion to its size times the length of the text. */
export interface LinearPattern {
  /** At least the number of its instructions, at most 1,000. */
  readonly size: number;
  /** Searches the text. Takes at most {@link maxMatchCost} units of work; a unit takes up to about 100 ns. */
  match(text: string): PatternMatch;
}

/** What a search has found, and the units of work that it took. */
export interface PatternMatch {
  readonly found: boolean;
  readonly cost: number;
}

/** Units of work for any search. */
const SEARCH_COST = 20;

/** The units of work that a search takes at most. */
export function maxMatchCost({ size }: LinearPattern, text: string): number {
  return SEARCH_COST + size * text.length;
}

/**
 * The size that a pattern will have, from its text alone, so that one that is too large is never compiled. Counts too
 * much rather than too little. Throws {@link PatternError} where it is too large.
 */
export function patternSize(pattern: string): number {
  if (pattern.length > MAX_LENGTH) {
    throw new PatternError(`the pattern is longer than ${MAX_LENGTH} characters`);
  }
  const outer: { total: number }[] = [];
  let total = 2;
  let last = 0;
  const atoms =
    /\\[pP](?:\{[^}]*\}|[\s\S])|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[\s\S]/g;
  for (const [atom] of pattern.matchAll(atoms)) {
    if (atom === '(') {
      outer.push({ total });
      total = 2;
      last = 0;
    } else if (atom === ')') {
      last = total;
      total += outer.pop()?.total ?? 0;
    } else if (/^\{\d/.test(atom)) {
      const factor = Math.max(1, ...(atom.match(/\d+/g) ?? []).map(Number)) + (atom.endsWith(',}') ? 1 : 0);
      total += last * (factor - 1);
      last *= factor;
    } else {
      const isRepeat = atom === '*' || atom === '+' || atom === '?';
      const size = isRepeat ? 1 : 1 + UNICODE_CLASS_SIZE * (atom.match(/\\[pP]/g)?.length ?? 0);
      last = isRepeat ? last + 1 : size;
      total += size;
    }
    if (total > MAX_SIZE) throw new PatternError('the pattern is too large, its repetitions counted');
  }
  return total;
}

/**
 * Compiles a pattern of RE2, or one of ECMAScript as JSON Schema has them. Throws {@link PatternError} for what RE2 does
 * not know (look-around, back-references) and for what is too large.
 */
export function compilePattern(pattern: string, syntax: 're2' | 'ecmascript' = 're2'): LinearPattern {
  if (/\\Q/.test(pattern)) throw new PatternError('the pattern has \\Q, which is not supported');
  const size = patternSize(pattern);
  const set = new RE2Set(RE2Set.UNANCHORED, 0, MAX_MEMORY);
  try {
    set.add(syntax === 're2' ? pattern : RE2JS.translateRegExp(pattern));
    set.compile();
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
    throw new PatternError(`the pattern is not valid: ${reason}`, { cause: error });
  }
  return { size: Math.max(size, set.prog.numInst()), match: (text) => search(set, size, text) };
}

/**
 * Most searches walk an automaton whose states are made as they are met and kept for the next search, which is far
 * quicker than the worst case. The memory that is left for states tells whether that was so.
 */
function search(set: RE2Set, size: number, text: string): PatternMatch {
  const before = set.dfa?.memBudget ?? MAX_MEMORY;
  const found = set.match(text).length > 0;
  const left = set.dfa.memBudget;
  const isWalked = left <= before && left > MAX_MEMORY / 8;
  const cost = isWalked ? text.length / 4 + (before - left) / 4 : size * text.length;
  return { found, cost: SEARCH_COST + Math.min(cost, size * text.length) };
}
