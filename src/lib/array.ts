/**
 * The item at an index that must exist. Throws a `RangeError` where it does not, so that a wrong index is not hidden.
 */
export function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`there is no item at index ${index} of ${items.length}`);
  return item;
}
