import { isOneEditApart } from '../../../lib/text/tokenize.ts';

/** Words shorter or longer than this are taken as they stand. */
const SHORTEST = 4;
const LONGEST = 24;

/** Puts misspelt words right, within the words it knows. */
export interface Speller {
  /** True for known and for ordinary words. */
  isRight(word: string): boolean;
  /**
   * The known words that a word stands for: itself where known, one that is an edit away, or the parts of two that
   * ran together (`helpme`). None where nothing fits.
   */
  correct(word: string): readonly string[];
}

/** The words that a speller works with. */
export interface SpellerWords {
  /** Words that are right. */
  readonly known: ReadonlySet<string>;
  /** Those among them that a misspelt word may have been meant as. */
  readonly telling: ReadonlySet<string>;
  /** Further words that are right although they look like a telling one, or that run together with others. */
  readonly ordinary: ReadonlySet<string>;
}

/**
 * A speller over some words. A misspelt word is compared with the telling ones of nearly its length that begin as
 * it does, or with its first two letters swapped: people seldom err in the first letter otherwise.
 */
export function createSpeller({ known, telling, ordinary }: SpellerWords): Speller {
  const byStart = new Map<number, string[]>();
  for (const word of telling) {
    if (word.length < SHORTEST) continue;
    const key = startKey(word.charCodeAt(0), word.length);
    byStart.set(key, [...(byStart.get(key) ?? []), word]);
  }
  /** All words that are right, and whether they tell: one look-up says both. */
  const words = new Map<string, boolean>();
  for (const word of [...known, ...ordinary]) words.set(word, telling.has(word));
  const isRight = (word: string): boolean => words.has(word);

  function nearest(word: string): string | undefined {
    for (let length = word.length + 1; length >= word.length - 1; length--) {
      for (const candidate of byStart.get(startKey(word.charCodeAt(0), length)) ?? []) {
        if (isMisspelling(word, candidate)) return candidate;
      }
    }
    for (const candidate of byStart.get(startKey(word.charCodeAt(1), word.length)) ?? []) {
      if (candidate.charAt(1) === word.charAt(0) && isMisspelling(word, candidate)) return candidate;
    }
    return undefined;
  }

  function parts(word: string): readonly string[] {
    for (let at = word.length - 1; at >= 1; at--) {
      if (word.length - at === 1 && at < SHORTEST) continue;
      const left = word.slice(0, at);
      const leftTells = words.get(left);
      if (leftTells === undefined) continue;
      const right = word.slice(at);
      const rightTells = words.get(right);
      if (rightTells === undefined) continue;
      const tells = (leftTells && left.length >= SHORTEST) || (rightTells && right.length >= SHORTEST);
      if (tells) return [left, right];
    }
    return [];
  }

  return {
    isRight,
    correct(word) {
      if (isRight(word)) return [word];
      if (word.length < SHORTEST || word.length > LONGEST) return [];
      const calm = calmed(word);
      const found = isRight(calm) ? calm : nearest(calm);
      return found === undefined ? parts(calm) : [found];
    },
  };
}

/** Letters held down (`refuuuund`) become two, which is at most one edit too many. */
function calmed(word: string): string {
  if (!/(.)\1\1/.test(word)) return word;
  let calm = '';
  for (let index = 0; index < word.length; index++) {
    const letter = word.charAt(index);
    if (calm.at(-1) !== letter || calm.at(-2) !== letter) calm += letter;
  }
  return calm;
}

/** Words of four letters become another word too easily: there the edit must lie inside and replace nothing. */
function isMisspelling(word: string, candidate: string): boolean {
  if (!isOneEditApart(word, candidate)) return false;
  if (Math.min(word.length, candidate.length) > SHORTEST) return true;
  return word.length === candidate.length ? sameLetters(word, candidate) : word.at(-1) === candidate.at(-1);
}

function sameLetters(one: string, other: string): boolean {
  return [...one].sort().join('') === [...other].sort().join('');
}

function startKey(first: number, length: number): number {
  return first * 64 + length;
}
