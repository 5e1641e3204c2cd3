import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A place in a text: UTF-16 units from its start, and what is wrong there. */
export interface SourceFault {
  readonly offset: number;
  readonly message: string;
}

/** A text that was read, or why not. */
export type SourceText =
  | { readonly text: string; readonly fault?: undefined }
  | { readonly text: string; readonly fault: SourceFault };

/** Characters that YAML does not allow, apart from tabs and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/;

/** Reads a file of at most `maximum` bytes. Throws the errors of the file system. */
export function readLimited(
  path: string,
  maximum: number,
): { readonly bytes: Buffer; readonly isTooLarge: boolean } {
  const file = openSync(path, 'r');
  try {
    // Devices and pipes may never end.
    if (!fstatSync(file).isFile()) throw Object.assign(new Error('is not a file'), { code: 'NOT_A_FILE' });
    const buffer = Buffer.allocUnsafe(maximum + 1);
    let length = 0;
    while (length <= maximum) {
      const count = readSync(file, buffer, length, maximum + 1 - length, null);
      if (count === 0) break;
      length += count;
    }
    return { bytes: buffer.subarray(0, Math.min(length, maximum)), isTooLarge: length > maximum };
  } finally {
    closeSync(file);
  }
}

/** The text of a file in UTF-8. A fault where it is not UTF-8 or has control characters, with the text up to there. */
export function decodeText(bytes: Buffer): SourceText {
  if (!isUtf8(bytes)) {
    const text = bytes.subarray(0, validLength(bytes)).toString('utf8');
    return { text, fault: { offset: text.length, message: 'is not UTF-8; save the file as UTF-8' } };
  }
  const text = bytes.toString('utf8');
  const offset = text.search(controlCharacter);
  if (offset === -1) return { text };
  const code = text.charCodeAt(offset).toString(16).padStart(4, '0');
  return { text, fault: { offset, message: `has the control character U+${code}; expected text` } };
}

/** How many bytes at the start are valid UTF-8, found by halving. */
function validLength(bytes: Buffer): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    // A prefix may end within a character; then up to three bytes less are valid.
    const end = [0, 1, 2, 3].map((less) => middle - less).find((length) => isUtf8(bytes.subarray(0, length)));
    if (end === undefined || end <= valid) {
      if (end === undefined) invalid = middle;
      else break;
    } else {
      valid = end;
    }
  }
  return valid;
}
