import { unavailable } from '../../domain/errors.ts';

/** The limits of background runs. */
export interface BackgroundLimits {
  /** Runs that run at the same time. */
  readonly maxRunning: number;
  /** Slots of the queue of waiting runs. */
  readonly maxWaiting: number;
}

/** The admission of one background run, from its acceptance to its end. */
export interface RunPermit {
  /**
   * Waits until this run may start: in the order of these calls, as soon as another one has ended. Resolves to false
   * when it never may, because the service shuts down.
   */
  acquire(): Promise<boolean>;
  /** Releases the permit. Must be called once, whether the run was started or not. */
  release(): void;
}

/** Limits how many background runs run, and how many wait. */
export interface BackgroundRuns {
  /**
   * Admits a run. Unless it can start at once it takes `slots` of the queue. Throws `unavailable` when the queue has
   * fewer free slots. An admitted run is never dropped.
   */
  admit(slots: number): RunPermit;
  /** From now on no waiting run may start. */
  close(): void;
}

/** Seconds after which a rejected run may be tried again. */
const RETRY_AFTER_SECONDS = 5;

/** Creates the admission of background runs. */
export function createBackgroundRuns({ maxRunning, maxWaiting }: BackgroundLimits): BackgroundRuns {
  let running = 0;
  /** Slots of admitted runs that have to wait. */
  let usedSlots = 0;
  let closed = false;
  const queue = new Set<(mayStart: boolean) => void>();

  function startNext(mayStart: boolean): boolean {
    const [next] = queue;
    if (next === undefined) return false;
    queue.delete(next);
    next(mayStart);
    return true;
  }

  return {
    admit(wantedSlots) {
      let started = running < maxRunning;
      const slots = Math.max(1, Math.min(wantedSlots, maxWaiting));
      if (started) running++;
      else if (usedSlots + slots <= maxWaiting) usedSlots += slots;
      else throw unavailable('too many background runs are waiting', RETRY_AFTER_SECONDS);
      return {
        async acquire() {
          if (closed) return false;
          if (started) return true;
          if (running < maxRunning && queue.size === 0) running++;
          else if (!(await new Promise<boolean>((resolve) => queue.add(resolve)))) return false;
          started = true;
          usedSlots -= slots;
          return true;
        },
        release() {
          if (!started) usedSlots -= slots;
          // The next run takes over this permit, so that no other run can come between.
          else if (!startNext(true)) running--;
        },
      };
    },
    close() {
      closed = true;
      while (startNext(false));
    },
  };
}
