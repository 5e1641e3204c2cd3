import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The most bytes of a file that are looked at for its first line. */
const MAX_BYTES = 8_192;

/** The key of a file, and what is unsafe about the file. */
export interface KeyFile {
  readonly key: string;
  readonly warning: string | undefined;
}

/**
 * Reads the API key from the first line of a file, or of a pipe. Throws an error that says what is wrong with the file,
 * and nothing of its content.
 */
export function readKeyFile(path: string): KeyFile {
  const { text, mode } = read(path);
  const key = (text.split('\n', 1)[0] ?? '').trim();
  if (key === '') throw new Error('its first line is empty; it must be the API key');
  if (!/^[\x21-\x7e]{1,1024}$/.test(key)) {
    throw new Error('its first line must be the API key: at most 1,024 visible ASCII characters');
  }
  // Windows has no such bits.
  const isOpen = process.platform !== 'win32' && mode !== undefined && (mode & 0o077) !== 0;
  const warning = isOpen ? `other users of this machine may read ${path}: chmod 600 protects it` : undefined;
  return { key, warning };
}

/** The beginning of a file, and its permissions; those of a pipe do not matter. */
function read(path: string): { readonly text: string; readonly mode: number | undefined } {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const stat = fstatSync(file);
    const bytes = Buffer.alloc(MAX_BYTES);
    let length = 0;
    while (length < MAX_BYTES && !bytes.subarray(0, length).includes(0x0a)) {
      const count = readSync(file, bytes, length, MAX_BYTES - length, null);
      if (count === 0) break;
      length += count;
    }
    return { text: bytes.toString('utf8', 0, length), mode: stat.isFile() ? stat.mode : undefined };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new Error(`cannot be read (${code})`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
