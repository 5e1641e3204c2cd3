import { isOneEditApart } from '../../../lib/text/tokenize.ts';

/** Shorter and longer words are not corrected. */
const MIN_LENGTH = 4;
const MAX_LENGTH = 24;

/** Corrects misspelled words to the words that it knows. */
export interface SpellingCorrector {
  /** True for known and for ordinary words. */
  isKnown(word: string): boolean;
  /**
   * The known words that a word stands for: itself if known, one that is an edit away, or the parts of two words
   * without a blank between them (`helpme`). Empty where nothing fits.
   */
  correct(word: string): readonly string[];
}

/** The words of a spelling corrector. */
export interface SpellingWords {
  /** Correct words. */
  readonly known: ReadonlySet<string>;
  /** Those among them that a misspelled word may be corrected to. */
  readonly targets: ReadonlySet<string>;
  /** Further correct words that resemble a target or that are written together with others. */
  readonly ordinary: ReadonlySet<string>;
}

/**
 * Creates a corrector. A word is compared with the targets of about its length that have the same first letter, or
 * the first two letters swapped: other errors in the first letter are rare.
 */
export function createSpellingCorrector({ known, targets, ordinary }: SpellingWords): SpellingCorrector {
  /** All correct words, and whether each is a target. */
  const words = new Map([...known, ...ordinary].map((word) => [word, targets.has(word)]));
  const targetsByKey = Map.groupBy(
    [...targets].filter((target) => target.length >= MIN_LENGTH),
    (target) => keyOf(target.charAt(0), target.length),
  );
  const targetsFor = (initial: string, length: number): readonly string[] =>
    targetsByKey.get(keyOf(initial, length)) ?? [];

  function nearest(word: string): string | undefined {
    const isMatch = (target: string): boolean => isMisspelling(word, target);
    for (let length = word.length + 1; length >= word.length - 1; length--) {
      const found = targetsFor(word.charAt(0), length).find(isMatch);
      if (found !== undefined) return found;
    }
    return targetsFor(word.charAt(1), word.length).find(
      (target) => target.charAt(1) === word.charAt(0) && isMatch(target),
    );
  }

  /** Two correct words written together, at least one of them a target of some length. */
  function split(word: string): readonly string[] {
    for (let at = word.length - 1; at >= 1; at--) {
      const parts = [word.slice(0, at), word.slice(at)];
      const [first = '', second = ''] = parts;
      if (second.length === 1 && first.length < MIN_LENGTH) continue;
      if (!words.has(first) || !words.has(second)) continue;
      if (parts.some((part) => part.length >= MIN_LENGTH && words.get(part) === true)) return parts;
    }
    return [];
  }

  return {
    isKnown: (word) => words.has(word),
    correct(word) {
      if (words.has(word)) return [word];
      if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return [];
      const collapsed = collapseRepeats(word);
      const found = words.has(collapsed) ? collapsed : nearest(collapsed);
      return found === undefined ? split(collapsed) : [found];
    },
  };
}

/** Shortens letters repeated three times and more to two (`refuuuund`), which is at most one edit too many. */
function collapseRepeats(word: string): string {
  return word.replaceAll(/(.)\1{2,}/g, '$1$1');
}

/** Words of four letters resemble others too easily: there the edit must be inside and must not replace a letter. */
function isMisspelling(word: string, target: string): boolean {
  if (!isOneEditApart(word, target)) return false;
  if (Math.min(word.length, target.length) > MIN_LENGTH) return true;
  return word.length === target.length ? hasSameLetters(word, target) : word.at(-1) === target.at(-1);
}

function hasSameLetters(one: string, other: string): boolean {
  return [...one].sort().join('') === [...other].sort().join('');
}

function keyOf(initial: string, length: number): string {
  return `${initial}${length}`;
}
