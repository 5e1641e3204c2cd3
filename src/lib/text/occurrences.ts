/**
 * Finds a text in others: where its occurrences begin, from a position on, also those that overlap. The search of
 * Knuth, Morris and Pratt reads each character about once; that of JavaScript may compare all of a long text at each
 * position. `wanted` is not empty.
 */
export function occurrencesOf(wanted: string): (text: string, from?: number) => Generator<number> {
  /** For each length of a part that was found: the length of the longest part that its end may be the beginning of. */
  const shorter = new Int32Array(wanted.length + 1);
  const advance = (found: number, unit: number): number => {
    let length = found;
    while (length > 0 && wanted.charCodeAt(length) !== unit) length = shorter[length] ?? 0;
    return wanted.charCodeAt(length) === unit ? length + 1 : length;
  };
  for (let index = 1; index < wanted.length; index++) {
    shorter[index + 1] = advance(shorter[index] ?? 0, wanted.charCodeAt(index));
  }
  return function* find(text, from = 0) {
    let length = 0;
    for (let index = from; index < text.length; index++) {
      length = advance(length, text.charCodeAt(index));
      if (length === wanted.length) yield index + 1 - length;
    }
  };
}
