/** The JSON pointer with one more key. */
export function joinPointer(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * The JSON pointer that a `$ref` such as `#/$defs/a%20b` names, spelled as {@link joinPointer} does. Undefined for
 * other references, such as those to other documents.
 */
export function localPointer(ref: string): string | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
}
