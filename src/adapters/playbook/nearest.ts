import { nearestName } from '../../lib/text/nearest-name.ts';

/** The most characters of a name in an error. */
const MAX_LENGTH = 64;

/** `; did you mean "x"?` for the known name that is nearest to a wrong one, or an empty text where none is near. */
export function suggest(wrong: string, known: Iterable<string>): string {
  const nearest = nearestName(wrong, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

/** A name as an error shows it: quoted, at most 64 characters. */
export function show(name: string): string {
  return JSON.stringify(name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}…` : name);
}
