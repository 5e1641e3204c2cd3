import type { IssueList } from '../../../domain/workflow/issues.ts';
import { isPlainObject } from '../../../lib/json/json.ts';
import { nearestName } from '../../../lib/text/nearest-name.ts';
import { quote } from '../../../lib/text/quote.ts';

/**
 * Adds a warning for each member of an object in a request that is not `known`, with the name that was probably meant.
 * `prefix` is the path of the object with a point at its end, or empty; `owner` says what the object is.
 */
export function noteUnknown(
  object: unknown,
  known: readonly string[],
  { prefix, owner }: { readonly prefix: string; readonly owner: string },
  notes: IssueList,
): void {
  if (!isPlainObject(object)) return;
  for (const name of Object.keys(object)) {
    if (known.includes(name)) continue;
    notes.add(() => {
      const meant = nearestName(name, known);
      const hint = meant === undefined ? '' : `; did you mean ${quote(meant)}?`;
      return `${prefix.slice(0, -1) || 'body'}: ${owner} has no member ${quote(name)}${hint}`;
    });
  }
}
