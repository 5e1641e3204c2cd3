/** Runs tasks, at most `perSecond` of them started in a second. A task whose key waits already replaces the one that waits. */
export interface Pace {
  run(key: string, task: () => void): void;
  /** Removes a task that waits. */
  drop(key: string): void;
}

/** Creates a pace. `now` is in milliseconds; `later` calls back after milliseconds. */
export function createPace(
  perSecond: number,
  now: () => number = () => performance.now(),
  later: (work: () => void, milliseconds: number) => void = (work, milliseconds) => {
    setTimeout(work, milliseconds);
  },
): Pace {
  const waiting = new Map<string, () => void>();
  const started: number[] = [];
  let isArmed = false;

  function arm(milliseconds: number): void {
    if (isArmed) return;
    isArmed = true;
    later(() => {
      isArmed = false;
      work();
    }, milliseconds);
  }

  function work(): void {
    for (const [key, task] of waiting) {
      const [first = Number.NEGATIVE_INFINITY] = started.slice(-perSecond);
      const wait = started.length < perSecond ? 0 : first + 1_000 - now();
      if (wait > 0) {
        arm(wait);
        return;
      }
      waiting.delete(key);
      started.push(now());
      if (started.length > perSecond) started.shift();
      task();
    }
  }

  return {
    run(key, task) {
      waiting.set(key, task);
      work();
    },
    drop: (key) => void waiting.delete(key),
  };
}
