/** The value of a decimal digit of any script; -1 for other code units. */
export function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x660) return code >= 0x30 && code <= 0x39 ? code - 0x30 : -1;
  if (Number.isNaN(code)) return -1;
  const zero = zeros.findLast((start) => start <= code);
  return zero !== undefined && code - zero < 10 ? code - zero : -1;
}

/** The zeros of the scripts whose digits people type: Arabic, Persian, Indian scripts, Thai, Tibetan, full width. */
const zeros = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0xff10,
];

/** True for what people write between the digits of a number: blanks, dashes, dots, and invisible characters. */
function isSeparator(code: number): boolean {
  if (code < 0x80) return code === 0x20 || code === 0x2d || code === 0x2e || code === 0x09 || code === 0x5f;
  return (
    code === 0xa0 ||
    code === 0xad ||
    code === 0xb7 ||
    (code >= 0x2000 && code <= 0x2015) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x2060 ||
    code === 0x2212 ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** True for ASCII letters and for digits. */
export function isAlphanumeric(text: string, at: number): boolean {
  const code = text.charCodeAt(at) | 0x20;
  return (code >= 0x61 && code <= 0x7a) || digitAt(text, at) >= 0;
}

const MAX_SEPARATORS = 3;

/** The position behind at most three separators. */
export function skipSeparators(text: string, start: number): number {
  let at = start;
  while (at < start + MAX_SEPARATORS && isSeparator(text.charCodeAt(at))) at++;
  return at;
}

/** A part of a text that is a secret. */
export interface Secret {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}
