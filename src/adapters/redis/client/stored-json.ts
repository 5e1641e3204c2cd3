import { isPlainObject } from '../../../lib/json/json.ts';

/**
 * What this service has written under a key, read back. Undefined where the text is no JSON object, is not what
 * `is` takes for its own, or lacks one of the lists that readers walk through: such a record is as if absent.
 */
export function readStored<T>(
  text: string,
  lists: readonly (keyof T & string)[],
  is: (value: T) => boolean,
): T | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isPlainObject(value)) return undefined;
  if (!lists.every((list) => Array.isArray(value[list]))) return undefined;
  const stored = trusted<T>(value);
  return is(stored) ? stored : undefined;
}

/** The one place where a stored record's word for its type is taken. */
function trusted<T>(value: unknown): T {
  return value as T;
}
