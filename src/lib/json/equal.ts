/**
 * True for two values that are the same as JSON: objects whatever the order of their members, where one that is
 * undefined counts as absent. The time is linear in their size; no value may contain itself.
 */
export function equalJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => equalJson(item, other[index]));
  }
  const members = definedMembers(one);
  const others = definedMembers(other);
  if (members.size !== others.size) return false;
  for (const [key, value] of members) {
    if (!others.has(key) || !equalJson(value, others.get(key))) return false;
  }
  return true;
}

function definedMembers(object: object): Map<string, unknown> {
  return new Map(Object.entries(object).filter(([, value]) => value !== undefined));
}
