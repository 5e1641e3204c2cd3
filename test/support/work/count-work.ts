/**
 * Counts the lookups of `work` in maps, sets and characters of strings. Unlike a time, the count is the same on every
 * machine, so that tests can check how work grows with its input.
 */
export function countWork(work: () => unknown): number {
  let count = 0;
  const undo = [
    tap(Map.prototype, 'get', () => count++),
    tap(Set.prototype, 'has', () => count++),
    tap(String.prototype, 'charCodeAt', () => count++),
    tap(String.prototype, 'charAt', () => count++),
  ];
  try {
    work();
  } finally {
    for (const restore of undo) restore();
  }
  return count;
}

function tap<Name extends PropertyKey>(owner: object, name: Name, onCall: () => void): () => void {
  const original = Object.getOwnPropertyDescriptor(owner, name);
  const call: unknown = original?.value;
  if (original === undefined || typeof call !== 'function') throw new Error(`no method ${String(name)}`);
  Object.defineProperty(owner, name, {
    ...original,
    value(this: unknown, ...parameters: unknown[]): unknown {
      onCall();
      return Reflect.apply(call, this, parameters);
    },
  });
  return () => Object.defineProperty(owner, name, original);
}
