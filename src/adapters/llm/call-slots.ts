/** Places for calls that are under way at the same time. */
export interface CallSlots {
  /**
   * Waits for a free place and returns the function that frees it again, to be called once; undefined when too many
   * wait already, or when `signal` is aborted first.
   */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** `size` places, for which at most `maxWaiting` calls wait, first come first served. */
export function createCallSlots(size: number, maxWaiting: number): CallSlots {
  let taken = 0;
  const waiting = new Set<() => void>();

  const free = (): void => {
    taken -= 1;
    for (const next of waiting) {
      waiting.delete(next);
      next();
      return;
    }
  };
  const occupy = (): (() => void) => {
    taken += 1;
    return free;
  };

  return {
    take(signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      if (taken < size) return Promise.resolve(occupy());
      if (waiting.size >= maxWaiting) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const next = (): void => {
          signal.removeEventListener('abort', leave);
          resolve(occupy());
        };
        const leave = (): void => {
          waiting.delete(next);
          resolve(undefined);
        };
        waiting.add(next);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
