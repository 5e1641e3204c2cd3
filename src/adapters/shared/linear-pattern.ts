import { RE2JS, RE2Set } from 're2js';

/** Maximum size of a pattern: about the number of instructions that it compiles to. */
const MAX_SIZE = 1_000;

/** Maximum length of a pattern, in UTF-16 units. */
const MAX_LENGTH = 1_000;

/** Bytes that the automaton of a pattern may take before it is simulated step by step. */
const MAX_MEMORY = 256 * 1_024;

/** The size of a class such as `\pL`: it holds hundreds of ranges. */
const UNICODE_CLASS_SIZE = 20;

/**
 * Maximum number of characters in the ranges of a pattern with `(?i)`: each of them is looked up for its other case.
 */
const MAX_FOLDED = 50_000;

/** The first and the last character that have another case, as RE2 counts them. */
const [FIRST_FOLDED, LAST_FOLDED] = [0x41, 0x1e943];

/** Units of work for compiling an instruction. */
const INSTRUCTION_COST = 100;

/** A pattern cannot be compiled. The message is safe to show. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** A regular expression whose matching takes time in proportion to its size times the length of the text. */
export interface LinearPattern {
  /** At least the number of its instructions, at most 1,000. */
  readonly size: number;
  /** The units of work that compiling it takes at most. */
  readonly compileCost: number;
  /** Searches the text. Takes at most {@link maxMatchCost} units of work; a unit takes up to about 100 ns. */
  match(text: string): PatternMatch;
}

/** The result of a search, and the units of work that it took. */
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

/** The size that a pattern will have, and the units of work that compiling it takes at most. */
export type PatternCost = Pick<LinearPattern, 'size' | 'compileCost'>;

/** RE2 takes its own syntax; JSON Schema has that of ECMAScript. */
type PatternSyntax = 're2' | 'ecmascript';

/**
 * The cost of a pattern, from its text alone, so that one that is too large is never compiled. Counts too much rather
 * than too little. `anyCase` says that it is compiled without regard to case, whatever it states. Throws
 * {@link PatternError} where it is too large.
 */
export function patternCost(
  pattern: string,
  syntax: PatternSyntax = 're2',
  anyCase: boolean = false,
): PatternCost {
  if (pattern.length > MAX_LENGTH) {
    throw new PatternError(`the pattern is longer than ${MAX_LENGTH} characters`);
  }
  const translated = inRe2(pattern, syntax);
  const [size, folded] = [sizeOf(translated), foldedCharacters(translated, anyCase)];
  if (folded > MAX_FOLDED) {
    const [where, what] = anyCase ? ['in any case', ''] : ['under (?i)', ', or leave out the i'];
    const message = `the pattern has ranges of ${folded} characters ${where}; expected at most ${MAX_FOLDED}`;
    throw new PatternError(`${message}. Narrow them${what}`);
  }
  return { size, compileCost: size * INSTRUCTION_COST + folded };
}

function inRe2(pattern: string, syntax: PatternSyntax): string {
  return syntax === 're2' ? pattern : RE2JS.translateRegExp(pattern);
}

/** A character of a pattern, or the escape of one. */
const characters = /\\x\{([0-9a-fA-F]+)\}|\\x([0-9a-fA-F]{2})|\\([0-7]{1,3})|\\([\s\S])|([\s\S])/gu;

/**
 * The characters that RE2 looks up for their other case: those of all ranges, and of classes such as `\w`, where a flag
 * `i` stands anywhere or case does not matter. Each `-` is taken for that of a range.
 */
function foldedCharacters(pattern: string, anyCase: boolean): number {
  if (!anyCase && !/\(\?[imsU-]*i/.test(pattern)) return 0;
  let folded = 64 * (pattern.match(/\\[wW]/g)?.length ?? 0) + 128 * (pattern.match(/\[:/g)?.length ?? 0);
  const codes = [...pattern.matchAll(characters)].map(([, braced, hexadecimal, octal, escaped, plain]) => {
    if (octal !== undefined) return Number.parseInt(octal, 8);
    const digits = braced ?? hexadecimal;
    return digits === undefined ? ((escaped ?? plain)?.codePointAt(0) ?? 0) : Number.parseInt(digits, 16);
  });
  for (const [index, code] of codes.entries()) {
    const [first, last] = [codes[index - 1], codes[index + 1]];
    if (code !== 0x2d || first === undefined || last === undefined) continue;
    // RE2 knows that all characters together have all other cases.
    if (first <= FIRST_FOLDED && last >= LAST_FOLDED) continue;
    folded += Math.max(0, Math.min(last, LAST_FOLDED) - Math.max(first, FIRST_FOLDED) + 1);
  }
  return folded;
}

function sizeOf(pattern: string): number {
  const outer: { total: number }[] = [];
  let total = 2;
  let last = 0;
  const atoms =
    /\\[pP](?:\{[^}]*\}|[\s\S])|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[\s\S]/g;
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
 * Compiles a pattern of RE2, or one of ECMAScript as JSON Schema has them. Throws {@link PatternError} for what RE2
 * does not know (look-around, back-references) and for what is too large.
 */
export function compilePattern(pattern: string, syntax: PatternSyntax = 're2'): LinearPattern {
  if (/\\Q/.test(pattern)) throw new PatternError('the pattern has \\Q, which is not supported');
  const { size, compileCost } = patternCost(pattern, syntax);
  const set = new RE2Set(RE2Set.UNANCHORED, 0, MAX_MEMORY);
  try {
    set.add(inRe2(pattern, syntax));
    set.compile();
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
    throw new PatternError(`the pattern is not valid: ${reason}`, { cause: error });
  }
  const instructions = Math.max(size, set.prog.numInst());
  return { size: instructions, compileCost, match: (text) => search(set, instructions, text) };
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
