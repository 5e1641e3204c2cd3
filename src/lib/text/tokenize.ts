import { isUnspacedCode, isWordCode } from './characters.ts';

/** Marks that are tokens by themselves; all other characters that are no letters or digits only separate words. */
const marks: ReadonlySet<string> = new Set([...'.,;:!?\n$£€']);

/** Further tokens of a text are not read. */
export const MAX_TOKENS = 8_000;

/** Longer words are cut: they are no words. */
const MAX_WORD = 28;

/**
 * Splits a text of any language into tokens: words in lower case without accents, marks, and numbers. It is the one
 * tokenizer for everything that compares words; `eachWord` is for positions in a text. `ä`, `ö`, `ü` and `ß` become
 * `ae`, `oe`, `ue` and `ss`, as many people write them. Letters and digits are separate tokens (`A-1234` is `a` and
 * `1234`). A negation is one word (`don't` is `dont`), other contractions lose their ending (`I'd` is `i`), and of a
 * letter three times in a row two are left. In scripts without blanks every letter is a word. A mark that repeats
 * counts once. The time is linear in the length of the text.
 */
export function tokenize(text: string): string[] {
  const folded = fold(text);
  const tokens: string[] = [];
  for (let at = 0; at < folded.length && tokens.length < MAX_TOKENS; ) {
    const code = folded.charCodeAt(at);
    if (isDigit(code)) at = addNumber(tokens, folded, at);
    else if (isLetter(folded, at)) at = addWord(tokens, folded, at);
    else at = addMark(tokens, folded, at);
  }
  return tokens;
}

/** True for the tokens of {@link tokenize} that are marks. */
export function isPunctuation(token: string): boolean {
  return token.length === 1 && marks.has(token);
}

/**
 * True when two words are equal, or one letter inserted, deleted, replaced or swapped with the next makes them equal.
 * The time is linear in the length of the words.
 */
export function isOneEditApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short.charCodeAt(start) === long.charCodeAt(start)) start++;
  let tail = 0;
  const maxTail = short.length - start;
  while (tail < maxTail && sameFromEnd(short, long, tail)) tail++;
  const remaining = long.length - start - tail;
  if (remaining <= 1) return true;
  return (
    remaining === 2 &&
    short.length === long.length &&
    short.charCodeAt(start) === long.charCodeAt(start + 1) &&
    short.charCodeAt(start + 1) === long.charCodeAt(start)
  );
}

function sameFromEnd(short: string, long: string, tail: number): boolean {
  return short.charCodeAt(short.length - 1 - tail) === long.charCodeAt(long.length - 1 - tail);
}

function addNumber(tokens: string[], text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) continue;
    if (!(code === 0x2e || code === 0x2c) || !isDigit(text.charCodeAt(at + 1))) break;
  }
  tokens.push(text.slice(from, Math.min(at, from + MAX_WORD)));
  return at;
}

function addWord(tokens: string[], text: string, from: number): number {
  let at = from;
  if (isUnspacedCode(text.codePointAt(at) ?? 0)) {
    at += widthAt(text, at);
    tokens.push(text.slice(from, at));
    return at;
  }
  while (at < text.length && isLetter(text, at) && !isUnspacedCode(text.codePointAt(at) ?? 0)) {
    at += widthAt(text, at);
  }
  const word = text.slice(from, Math.min(at, from + 2 * MAX_WORD));
  const { ending, end } = contractionAt(text, at);
  tokens.push(plainWord(ending === 't' && word.endsWith('n') ? `${word}t` : word));
  return end;
}

/** The ending of a contraction after a word: at most two letters behind an apostrophe. */
function contractionAt(text: string, at: number): { readonly ending: string; readonly end: number } {
  if (text.charCodeAt(at) !== 0x27) return { ending: '', end: at };
  let end = at + 1;
  while (end <= at + 3 && end < text.length && isLetter(text, end)) end++;
  const ending = text.slice(at + 1, end);
  return ending.length === 0 || ending.length > 2 ? { ending: '', end: at + 1 } : { ending, end };
}

/** Of a letter three times in a row two are left. */
function plainWord(word: string): string {
  let kept = word;
  for (let at = 2; at < word.length; at++) {
    if (word[at] === word[at - 1] && word[at] === word[at - 2]) {
      kept = word.replaceAll(/(.)\1{2,}/gu, '$1$1');
      break;
    }
  }
  return kept.length > MAX_WORD ? kept.slice(0, MAX_WORD) : kept;
}

function addMark(tokens: string[], text: string, at: number): number {
  const mark = text.charAt(at);
  if (mark !== ' ' && marks.has(mark) && tokens.at(-1) !== mark) tokens.push(mark);
  return at + 1;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80) return code >= 0x61 && code <= 0x7a;
  return isWordCode(text.codePointAt(at) ?? code);
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

// Folding

/** Letters of which Unicode makes no plain letter and an accent. */
export const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
};

const apostrophes = { '’': "'", '‘': "'" };

/** Letters as people without a keyboard for them write them: `ü` as `ue`. */
const spelled: Readonly<Record<string, string>> = {
  ...plainLetters,
  ...apostrophes,
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ø: 'oe',
  '´': "'",
};

/** Lower case without accents, for comparing words. Other marks stay: in many scripts they are vowels. */
export function fold(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[äöüßæøœłıđ’‘´]/g, (letter) => spelled[letter] ?? letter)
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .normalize('NFC');
}

const plain: Readonly<Record<string, string>> = {
  ...plainLetters,
  ...apostrophes,
  '‑': '-',
  '–': '-',
  '—': '-',
};

/** Lower case without any mark, `ü` as `u`, so that one pattern finds every spelling. */
export function foldPlain(text: string): string {
  const lower = text.toLowerCase();
  if (!/\P{ASCII}/u.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ıłøßæœđ’‘‑–—]/g, (letter) => plain[letter] ?? letter);
}
