import { unavailable } from '../../domain/errors.ts';

/** What bounds the background runs. */
export interface BackgroundBounds {
  /** Runs under way at the same time. */
  readonly maxRunning: number;
  /** Places for runs that wait. */
  readonly maxWaiting: number;
}

/** The place of one background run, from its acceptance to its end. */
export interface Place {
  /**
   * Waits until this run may begin: in the order of these calls, as soon as another has ended. False when it never
   * may, because the service shuts down. A promise of its own, so that what follows keeps its caller's context.
   */
  turn(): Promise<boolean>;
  /** Gives the place back; to be called once, whether the run was begun or not. */
  leave(): void;
}

/** Which background runs are under way, and which wait. */
export interface BackgroundRuns {
  /**
   * A place for a run, which takes `size` of the places of those that wait unless it can begin at once. Throws
   * `unavailable` when there are not that many left: what was accepted is never dropped.
   */
  take(size: number): Place;
  /** Tells everybody who waits, and whoever comes to wait later, that they may not begin. */
  refuse(): void;
}

/** Seconds after which a refused run may be tried again. */
const RETRY_AFTER_SECONDS = 5;

interface Waiting {
  readonly begin: (mayBegin: boolean) => void;
  next: Waiting | undefined;
}

/** No background runs yet. */
export function createBackgroundRuns({ maxRunning, maxWaiting }: BackgroundBounds): BackgroundRuns {
  let running = 0;
  /** Places of runs that were accepted and have to wait. */
  let taken = 0;
  let refused = false;
  let first: Waiting | undefined;
  let last: Waiting | undefined;

  function wait(): Promise<boolean> {
    return new Promise((begin) => {
      const waiting: Waiting = { begin, next: undefined };
      if (last === undefined) first = waiting;
      else last.next = waiting;
      last = waiting;
    });
  }

  function wakeFirst(mayBegin: boolean): boolean {
    if (first === undefined) return false;
    const { begin, next } = first;
    first = next;
    if (next === undefined) last = undefined;
    begin(mayBegin);
    return true;
  }

  return {
    take(size) {
      let begun = running < maxRunning;
      const places = Math.max(1, Math.min(size, maxWaiting));
      if (begun) running++;
      else if (taken + places <= maxWaiting) taken += places;
      else throw unavailable('too many background runs are waiting', RETRY_AFTER_SECONDS);
      return {
        async turn() {
          if (refused) return false;
          if (begun) return true;
          if (running < maxRunning && first === undefined) running++;
          else if (!(await wait())) return false;
          begun = true;
          taken -= places;
          return true;
        },
        leave() {
          if (!begun) taken -= places;
          // Whoever is woken takes over the place of this run, so that nobody can come between.
          else if (!wakeFirst(true)) running--;
        },
      };
    },
    refuse() {
      refused = true;
      while (wakeFirst(false));
    },
  };
}
