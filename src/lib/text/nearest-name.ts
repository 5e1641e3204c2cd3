/** Longer names are not compared. */
const MAX_LENGTH = 64;

/**
 * The known name that was probably meant by a wrong one: the one with the fewest edits, at most a third of its length;
 * undefined where none is near. Case does not count.
 */
export function nearestName(wrong: string, known: Iterable<string>): string | undefined {
  if (wrong.length > MAX_LENGTH) return undefined;
  const limit = Math.max(1, Math.floor(wrong.length / 3));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    if (Math.abs(name.length - wrong.length) > limit) continue;
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** The number of insertions, deletions, replacements and swaps of neighbours that make one text of another. */
export function editDistance(one: string, other: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] ?? row) + 1,
          (next[column - 1] ?? row) + 1,
          (last[column - 1] ?? row) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? row) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = last;
    last = next;
  }
  return last[other.length] ?? one.length;
}
