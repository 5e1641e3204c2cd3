type Members = Readonly<Record<string, unknown>>;

/** Whether two values are the same JSON. The order of members does not count, and one that is undefined counts as absent. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other)) return false;
  if (Array.isArray(one)) return Array.isArray(other) && hasEqualItems(one, other);
  return !Array.isArray(other) && hasEqualMembers(one, other);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function hasEqualItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => isEqualJson(item, other[index]));
}

/** Iterates over the keys, because lists of them are slow to make. */
function hasEqualMembers(one: Members, other: Members): boolean {
  let more = 0;
  for (const key in one) {
    const value = one[key];
    if (value === undefined) continue;
    more++;
    // Each object inherits a value of that name.
    if (key === '__proto__' && !Object.hasOwn(other, key)) return false;
    if (!isEqualJson(value, other[key])) return false;
  }
  for (const key in other) if (other[key] !== undefined) more--;
  return more === 0;
}
