import { codeAt, isApostrophe, isUnspacedCode, isWordCode, widthOf } from './characters.ts';
import { stem } from './stemmer.ts';

/** {@link memoize} does not cache longer words: they are rarely repeated. */
const MAX_MEMOIZED_LENGTH = 40;

/**
 * Calls `visit` with every word between two positions of a text, in order. It is the tokenizer for texts of any
 * language whose positions matter, as in summaries and goals; `tokenize` is the one for matching English words. All
 * characters except letters and digits separate words, a possessive `'s` is omitted, and in scripts without blanks
 * every letter is a word. The time is linear in the length of the text.
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

/** The stem of a word of a text, whatever its case and Unicode normalization. */
export function stemWord(word: string): string {
  return stem(word.normalize('NFKC').toLowerCase());
}

/** Caches the results of a function of words. The cache evicts nothing, so use it for one text only. */
export function memoize<T>(compute: (word: string) => T): (word: string) => T {
  const cache = new Map<string, T>();
  return (word) => {
    if (word.length > MAX_MEMOIZED_LENGTH) return compute(word);
    let value = cache.get(word);
    if (value === undefined) {
      value = compute(word);
      cache.set(word, value);
    }
    return value;
  };
}

/** The words of a text in lower case, without regard to marks: `didn't` is `didn` and `t`. Accents count. */
export function plainWords(text: string): readonly string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The words of a name: `lost key` for `lost_key` and `lostKey`. */
export function spacedName(name: string): string {
  return name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replaceAll('_', ' ');
}
