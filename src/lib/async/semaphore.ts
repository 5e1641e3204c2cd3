/** Permission to do one piece of work. */
export interface Permit {
  /** Returns the permit to its semaphore. Must be called once. */
  release(): void;
}

/** Limits how many pieces of work run at the same time. */
export interface Semaphore {
  /**
   * Waits for a permit, in the order of the calls. Resolves to undefined when too many callers wait already, or when
   * `signal` is aborted first.
   */
  acquire(signal: AbortSignal): Promise<Permit | undefined>;
}

/** Creates a semaphore of `size` permits, for which at most `maxWaiting` callers can wait. */
export function createSemaphore(size: number, maxWaiting: number): Semaphore {
  let acquired = 0;
  const waiting = new Set<() => void>();

  const permit: Permit = {
    release() {
      acquired -= 1;
      const [next] = waiting;
      if (next === undefined) return;
      waiting.delete(next);
      next();
    },
  };
  const grant = (): Permit => {
    acquired += 1;
    return permit;
  };

  return {
    async acquire(signal) {
      if (signal.aborted) return undefined;
      if (acquired < size) return grant();
      if (waiting.size >= maxWaiting) return undefined;
      return new Promise((resolve) => {
        const next = (): void => {
          signal.removeEventListener('abort', cancel);
          resolve(grant());
        };
        const cancel = (): void => {
          waiting.delete(next);
          resolve(undefined);
        };
        waiting.add(next);
        signal.addEventListener('abort', cancel, { once: true });
      });
    },
  };
}
