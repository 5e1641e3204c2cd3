/** True for white space of every kind, line breaks included: what `trim` removes. */
export function isBlank(code: number): boolean {
  if (code < 0xa0) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    isLineBreak(code) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** True for line breaks. */
export function isLineBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;
}

const letters = /[\p{L}\p{N}\p{M}]/u;

/** True for the code points of letters, digits and combining marks, in any script. */
export function isWordCode(code: number): boolean {
  if (code < 0x80) {
    return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
  }
  if (isCommonEastAsian(code)) return true;
  if (isBlank(code) || (code >= 0x2010 && code <= 0x205e)) return false;
  return letters.test(String.fromCodePoint(code));
}

const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** True for letters of scripts without blanks between words. */
export function isUnspacedCode(code: number): boolean {
  if (code < 0xe00 || (code >= 0xac00 && code <= 0xd7a3)) return false;
  return isCommonEastAsian(code) || unspaced.test(String.fromCodePoint(code));
}

/** True for most Han characters and kana, without a lookup in the Unicode tables. */
function isCommonEastAsian(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3041 && code <= 0x3096);
}

/** True for the apostrophe in `it's` and `customer’s`. */
export function isApostrophe(code: number): boolean {
  return code === 0x27 || code === 0x2019;
}

/** The code point at a position of a text, which must be before its end. */
export function codeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xdc00 ? (text.codePointAt(at) ?? unit) : unit;
}

/** The number of UTF-16 code units of a code point. */
export function widthOf(code: number): number {
  return code > 0xffff ? 2 : 1;
}

/** True for texts of at most `max` characters. As in HTTP validation, a character is a Unicode code point. */
export function hasAtMostCharacters(text: string, max: number): boolean {
  // A code point takes one or two UTF-16 units.
  if (text.length <= max || text.length > 2 * max) return text.length <= max;
  let count = 0;
  for (const _ of text) count++;
  return count <= max;
}

/** The number of characters of a text, by Unicode code point. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) {
      count--;
      index++;
    }
  }
  return count;
}
