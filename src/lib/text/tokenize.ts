/** Punctuation and currency signs that are tokens, by code unit; all other characters only separate words. */
const marks = new Set([...'.,;:!?\n$£€'].map((mark) => mark.charCodeAt(0)));

const BLANK = 0x20;

/** The plain letters of Latin letters with diacritics, from À to ɏ, by code unit. */
const plainLetters = new Map<number, string>(
  Array.from({ length: 0x250 - 0xc0 }, (_, index) => {
    const code = 0xc0 + index;
    return [code, String.fromCharCode(code).normalize('NFD').charAt(0).toLowerCase()];
  }),
);
for (const [letters, plain] of [
  ['ßẞ', 'ss'],
  ['æÆ', 'ae'],
  ['øØ', 'o'],
  ['ıİ', 'i'],
  ['łŁ', 'l'],
] as const) {
  for (const letter of letters) plainLetters.set(letter.charCodeAt(0), plain);
}

/**
 * Splits a text into lower-case words without diacritics, and punctuation (repeated marks once). It is the tokenizer for
 * matching English words; `eachWord` is the one for texts of any language whose positions matter. Letters and digits
 * are separate words (`order42` is two), negations become one word (`don't` is `dont`) and other contractions lose
 * their ending (`I'd` is `i`). Other scripts give no words. The time is linear in the length of the text.
 */
export function tokenize(text: string): string[] {
  const folded = fold(text);
  const items: string[] = [];
  let at = 0;
  while (at < folded.length) {
    const code = folded.charCodeAt(at);
    if (isLetter(code)) {
      let end = at + 1;
      while (end < folded.length && isLetter(folded.charCodeAt(end))) end++;
      at = addWord(items, folded, at, end);
    } else if (isDigit(code)) {
      let end = at + 1;
      while (end < folded.length && isDigit(folded.charCodeAt(end))) end++;
      at = addWord(items, folded, at, end);
    } else {
      if (code !== BLANK && marks.has(code)) addMark(items, folded, at);
      at++;
    }
  }
  return items;
}

/** True for the punctuation tokens of {@link tokenize}. */
export function isPunctuation(item: string): boolean {
  return item.length === 1 && marks.has(item.charCodeAt(0));
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

function addMark(items: string[], folded: string, at: number): void {
  const mark = folded.charAt(at);
  if (items.at(-1) === mark) return;
  const inNumber = (mark === '.' || mark === ',') && isDigit(folded.charCodeAt(at - 1));
  if (inNumber && isDigit(folded.charCodeAt(at + 1))) return;
  items.push(mark);
}

/** Adds the word from `at` to `end`, and returns the position after it and the ending of a contraction. */
function addWord(items: string[], folded: string, at: number, end: number): number {
  const word = folded.slice(at, end);
  if (folded.charAt(end) !== "'") {
    items.push(word);
    return end;
  }
  let tail = end + 1;
  while (tail < folded.length && tail <= end + 3 && isLetter(folded.charCodeAt(tail))) tail++;
  const length = tail - end - 1;
  if (length === 0 || length > 2) {
    items.push(word);
    return end + 1;
  }
  const negated = length === 1 && folded.charAt(end + 1) === 't' && word.endsWith('n');
  items.push(negated ? `${word}t` : word);
  return tail;
}

function isLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Converts a text to lower case, without diacritics, full-width forms and invisible characters. */
function fold(text: string): string {
  let plain = 0;
  while (plain < text.length && text.charCodeAt(plain) < 0x80) plain++;
  if (plain === text.length) return text.toLowerCase();
  // ASCII is copied in runs, because most texts have few other characters (`I’d`).
  let folded = '';
  let start = 0;
  for (let index = plain; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    folded += text.slice(start, index).toLowerCase() + foldUnit(code);
    start = index + 1;
  }
  return folded + text.slice(start).toLowerCase();
}

/** The ASCII form of another code unit, if it has one. */
function foldUnit(code: number): string {
  if (code === 0x2019 || code === 0x2018 || code === 0xb4) return "'";
  if (isInvisible(code)) return '';
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0).toLowerCase();
  return plainLetters.get(code) ?? String.fromCharCode(code);
}

/** True for soft hyphens, zero-width characters, combining accents and direction marks, which can be inside words. */
function isInvisible(code: number): boolean {
  return (
    code === 0xad ||
    code === 0xfeff ||
    code === 0x2060 ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x300 && code <= 0x36f)
  );
}
