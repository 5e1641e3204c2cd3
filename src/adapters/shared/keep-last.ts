/** Makes a value for a key once, and keeps those that were asked for last, at most `max`. What throws is not kept. */
export function keepLast<T>(max: number, make: (key: string) => T): (key: string) => T {
  const kept = new Map<string, { readonly value: T }>();
  return (key) => {
    const entry = kept.get(key) ?? { value: make(key) };
    kept.delete(key);
    kept.set(key, entry);
    if (kept.size > max) {
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    }
    return entry.value;
  };
}
