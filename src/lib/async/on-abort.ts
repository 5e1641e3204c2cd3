interface Subscribers {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const subscribers = new WeakMap<AbortSignal, Subscribers>();

/**
 * Calls `callback` when `signal` is aborted, unless the returned function is called before. That function can be called
 * more than once. All callbacks of one signal share one listener, because the time to add or remove a listener grows
 * with their number (benchmark `routing`).
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = subscribersOf(signal);
  if (callbacks.size === 0) signal.addEventListener('abort', listener, { once: true });
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) signal.removeEventListener('abort', listener);
  };
}

function subscribersOf(signal: AbortSignal): Subscribers {
  const known = subscribers.get(signal);
  if (known !== undefined) return known;
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    for (const callback of callbacks) callback();
  };
  const created = { callbacks, listener };
  subscribers.set(signal, created);
  return created;
}
