/**
 * How often `work` looks into maps, sets and single characters of strings: a measure of its steps that, unlike a
 * clock, is the same on every machine.
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
  if (original === undefined || typeof call !== 'function') throw new Error(`there is no ${String(name)}`);
  Object.defineProperty(owner, name, {
    ...original,
    value(this: unknown, ...parameters: unknown[]): unknown {
      onCall();
      return Reflect.apply(call, this, parameters);
    },
  });
  return () => Object.defineProperty(owner, name, original);
}
