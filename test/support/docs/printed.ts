import type { JsonValue } from '../../../src/lib/json/json.ts';
import { differences, type Ids } from './replies.ts';

/** Stands for lines that a page leaves out. */
const ELLIPSIS = '…';

/**
 * Every difference between lines as a page shows them and those that a command printed. JSON at the end of a line is
 * compared as `differences` does. Empty lines do not count.
 */
export function printedDifferences(shown: string, printed: string, ids: Ids): string[] {
  const actual = linesOf(printed);
  const found: string[] = [];
  let next = 0;
  let mayMiss = false;
  for (const line of linesOf(shown)) {
    if (line === ELLIPSIS) {
      mayMiss = true;
      continue;
    }
    const at = mayMiss ? actual.findIndex((text, index) => index >= next && isLike(line, text, ids)) : next;
    if (at < 0) return [...found, `shown ${line}, not printed`];
    found.push(...lineDifferences(line, actual[at], ids));
    next = at + 1;
    mayMiss = false;
  }
  if (!mayMiss && next < actual.length) found.push(`not shown: ${actual[next]}`);
  return found;
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');

const isLike = (shown: string, actual: string, ids: Ids): boolean =>
  lineDifferences(shown, actual, new Map(ids)).length === 0;

function lineDifferences(shown: string, actual: string | undefined, ids: Ids): string[] {
  const jsonAt = shown.indexOf('{');
  const prefix = jsonAt < 0 ? shown : shown.slice(0, jsonAt);
  if (actual === undefined || !actual.startsWith(prefix)) return [`shown ${shown}, printed ${actual}`];
  const rest = actual.slice(prefix.length);
  if (jsonAt < 0) return rest === '' ? [] : [`shown ${shown}, printed ${actual}`];
  return differences(parse(shown.slice(jsonAt)), parse(rest), ids);
}

function parse(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}
