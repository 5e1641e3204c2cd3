import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json/json.ts';

/** Stands for members, items or text that a page leaves out. */
const ELLIPSIS = '…';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Members whose numbers differ from run to run, or with each training of the model. */
const varying = /(?:_(?:ms|seconds)|\.confidence)$/;

/** Ids that a page shows, with those that they stand for in this run. */
export type Ids = Map<string, string>;

/**
 * Every difference between a reply as a page shows it and the reply of the service. Ids, times, durations and
 * confidences may differ in their values. Each shown id is added to `ids`, and must stand for the same id everywhere.
 */
export function differences(shown: JsonValue, actual: JsonValue | undefined, ids: Ids, at = ''): string[] {
  if (shown === ELLIPSIS && actual !== undefined) return [];
  if (isJsonObject(shown) && isJsonObject(actual)) return objectDifferences(shown, actual, ids, at);
  if (Array.isArray(shown) && Array.isArray(actual)) return listDifferences(shown, actual, ids, at);
  if (typeof shown === 'string' && typeof actual === 'string' && sameText(shown, actual, ids)) return [];
  if (varying.test(at) && typeof shown === 'number' && typeof actual === 'number') return [];
  return shown === actual ? [] : [`${at}: shown ${JSON.stringify(shown)}, replied ${JSON.stringify(actual)}`];
}

function objectDifferences(shown: JsonObject, actual: JsonObject, ids: Ids, at: string): string[] {
  const hidden = Object.keys(actual).filter((key) => !Object.hasOwn(shown, key));
  const missing = Object.hasOwn(shown, ELLIPSIS) ? [] : hidden.map((key) => `${at}.${key}: not shown`);
  const found = Object.entries(shown)
    .filter(([key]) => key !== ELLIPSIS)
    .flatMap(([key, value]) => differences(value, actual[key], ids, `${at}.${key}`));
  return [...missing, ...found];
}

function listDifferences(
  shown: readonly JsonValue[],
  actual: readonly JsonValue[],
  ids: Ids,
  at: string,
): string[] {
  const isTruncated = shown.at(-1) === ELLIPSIS;
  const items = isTruncated ? shown.slice(0, -1) : shown;
  if (isTruncated ? actual.length < items.length : actual.length !== items.length) {
    return [`${at}: shown ${items.length} items, replied ${actual.length}`];
  }
  return items.flatMap((item, index) => differences(item, actual[index], ids, `${at}.${index}`));
}

function sameText(shown: string, actual: string, ids: Ids): boolean {
  if (uuid.test(shown) && uuid.test(actual)) {
    const known = ids.get(shown);
    ids.set(shown, known ?? actual);
    return known === undefined || known === actual;
  }
  if (time.test(shown)) return time.test(actual);
  if (shown.endsWith(ELLIPSIS)) return actual.startsWith(shown.slice(0, -ELLIPSIS.length));
  return shown === actual;
}
