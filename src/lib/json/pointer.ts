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

/** The part of a value that a pointer names; undefined where there is none. */
export function pick(value: JsonValue, pointer: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const key of pointerKeys(pointer)) {
    if (isJsonArray(found)) found = /^(?:0|[1-9]\d{0,8})$/.test(key) ? found[Number(key)] : undefined;
    else found = isJsonObject(found) ? getOwn(found, key) : undefined;
  }
  return found;
}
