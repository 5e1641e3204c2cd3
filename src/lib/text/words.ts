import { codeAt, isApostrophe, isUnspacedCode, isWordCode, widthOf } from './characters.ts';
import { stem } from './stemmer.ts';

/** The longest word that is looked up among the inflections of English. */
const MAX_REMEMBERED = 40;

/**
 * Calls `visit` with every word between two places of a text, in order. Whatever is no letter and no digit parts
 * words, a possessive `'s` is left out, and in scripts without blanks between words every letter is a word. Time
 * grows with the length of the text alone.
 */
export function eachWord(
  text: string,
  from: number,
  to: number,
  visit: (start: number, end: number) => void,
): void {
  let at = from;
  while (at < to) {
    const code = codeAt(text, at);
    const after = at + widthOf(code);
    if (!isWordCode(code)) {
      at = after;
      continue;
    }
    const end = isUnspacedCode(code) ? after : endOfWord(text, after, to);
    visit(at, end);
    at = afterPossessive(text, end, to);
  }
}

function endOfWord(text: string, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const code = codeAt(text, at);
    if (!isWordCode(code) || isUnspacedCode(code)) return at;
    at += widthOf(code);
  }
  return to;
}

function afterPossessive(text: string, at: number, to: number): number {
  if (at + 1 >= to || !isApostrophe(text.charCodeAt(at))) return at;
  if (text.charAt(at + 1).toLowerCase() !== 's') return at;
  return at + 2 < to && isWordCode(codeAt(text, at + 2)) ? at : at + 2;
}

/** The stem of a word as it stands in a text: its case and its way of encoding make no difference. */
export function stemWord(word: string): string {
  return stem(word.normalize('NFKC').toLowerCase());
}

/** A function of words that remembers what it gave for those of ordinary length, because texts repeat their words. */
export function memoize<T>(of: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>();
  return (word) => {
    if (word.length > MAX_REMEMBERED) return of(word);
    let value = known.get(word);
    if (value === undefined) {
      value = of(word);
      known.set(word, value);
    }
    return value;
  };
}
