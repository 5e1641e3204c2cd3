import { getOwn, isJsonArray, isJsonObject, type JsonValue } from './json.ts';

/** True for a JSON pointer (RFC 6901): empty, or keys that each begin with `/`. */
export function isPointer(text: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)*$/.test(text);
}

/** The keys of a JSON pointer (RFC 6901): `/lines/0/a~1b` has `lines`, `0` and `a/b`. */
export function pointerKeys(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The JSON pointer with one more key. */
export function joinPointer(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * The JSON pointer of a reference such as `#/$defs/a%20b`, spelled as {@link joinPointer} does. Undefined for other
 * references, such as those to other documents.
 */
export function fragmentPointer(ref: string): string | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
}

/** The part of a value that a pointer names; undefined where there is none. */
export function pick(value: JsonValue, pointer: string): JsonValue | undefined {
  return valueAt(value, pointerKeys(pointer));
}

/**
 * The part of a value at a path of keys; undefined where there is none. Follows own properties and array indexes in
 * plain decimal digits only, so that inherited properties (`constructor`, `__proto__`, `length`) are never read.
 */
export function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const key of path) {
    if (isJsonArray(found)) found = /^(?:0|[1-9]\d{0,8})$/.test(key) ? found[Number(key)] : undefined;
    else found = isJsonObject(found) ? getOwn(found, key) : undefined;
  }
  return found;
}
