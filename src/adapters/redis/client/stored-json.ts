import { isPlainObject } from '../../../lib/json/json.ts';

/**
 * Parses the JSON of a record that this service stored. Returns undefined where the text is no JSON object, lacks one
 * of the `lists`, or fails `isOwn`: another program wrote it, and the record counts as absent.
 */
export function parseStored<T>(
  text: string,
  lists: readonly (keyof T & string)[],
  isOwn: (value: T) => boolean,
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
  return isOwn(stored) ? stored : undefined;
}

/** Asserts the type of a stored record, which only this service writes. */
function trusted<T>(value: unknown): T {
  return value as T;
}
