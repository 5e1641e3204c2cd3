/** True in the long tests, which leave nothing out: `npm run test:extensive`. */
const isFull = process.env['TEST_EXTENT'] === 'full';

/**
 * The items that a test of many combinations takes: all of them in the long tests, and else one, another one for each
 * `index`. Use it where the same code handles every combination, and another test has all items once.
 */
export function sampleOf<T>(items: readonly T[], index: number): readonly T[] {
  if (isFull || items.length === 0) return items;
  const at = index % items.length;
  return items.slice(at, at + 1);
}

/** The number of tries of a property: `full` in the long tests. */
export function runsOf(quick: number, full: number): number {
  return isFull ? full : quick;
}
