/**
 * Runs tasks, at most `perSecond` of them started in a second. Each owner, any object, has one task that waits at most:
 * a newer one takes its place.
 */
export interface Pace {
  run(owner: object, task: () => void): void;
  /** Removes the task of an owner that waits. */
  drop(owner: object): void;
}

/** Creates a pace. `now` is in milliseconds; `later` calls back after milliseconds. */
export function createPace(
  perSecond: number,
  now: () => number = () => performance.now(),
  later: (work: () => void, milliseconds: number) => void = (work, milliseconds) => {
    setTimeout(work, milliseconds);
  },
): Pace {
  const waiting = new Map<object, () => void>();
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
    for (const [owner, task] of waiting) {
      const [first = Number.NEGATIVE_INFINITY] = started.slice(-perSecond);
      const wait = started.length < perSecond ? 0 : first + 1_000 - now();
      if (wait > 0) {
        arm(wait);
        return;
      }
      waiting.delete(owner);
      started.push(now());
      if (started.length > perSecond) started.shift();
      task();
    }
  }

  return {
    run(owner, task) {
      waiting.set(owner, task);
      work();
    },
    drop: (owner) => void waiting.delete(owner),
  };
}

/** The pace of all that is read again: at most four requests a second. */
export const requests = createPace(4);
