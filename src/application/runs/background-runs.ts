import { unavailable } from '../../domain/errors.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { jsonByteLength } from '../../lib/json/size.ts';

/** The limits of background runs. */
export interface BackgroundLimits {
  /** Maximum number of runs at the same time. */
  readonly maxRunning: number;
  /** Number of slots in the queue of waiting runs. */
  readonly maxWaiting: number;
}

/** The admission of one background run, from its acceptance to its end. */
export interface RunPermit {
  /**
   * Waits until this run may start. Waiting runs start in the order of these calls, each when another one has ended.
   * Resolves to false when the service shuts down first.
   */
  acquire(): Promise<boolean>;
  /** Releases the permit. Must be called once, whether the run was started or not. */
  release(): void;
}

/** Limits how many background runs run, and how many wait. */
export interface BackgroundRuns {
  /**
   * Admits a run. Unless it can start at once it occupies `slots` slots of the queue. Throws `unavailable` when the
   * queue has fewer free slots. An admitted run is never dropped.
   */
  admit(slots: number): RunPermit;
  /**
   * Counts a run that has started already, over the limit where it must be: no waiting run starts instead until enough
   * have ended. Returns the function that ends it, to be called once.
   */
  adopt(): () => void;
  /** Ends the wait of all waiting runs; none may start any more. */
  close(): void;
}

/** Seconds after which a rejected run may be tried again. */
const RETRY_AFTER_SECONDS = 5;

/** Creates the admission of background runs. */
export function createBackgroundRuns({ maxRunning, maxWaiting }: BackgroundLimits): BackgroundRuns {
  let running = 0;
  /** Slots occupied by admitted runs that wait. */
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

  /** Ends a running run. The next one receives its permit directly, so that no other run can start first. */
  function endOne(): void {
    if (running > maxRunning || !startNext(true)) running--;
  }

  return {
    adopt() {
      running++;
      return endOne;
    },
    admit(requestedSlots) {
      let started = running < maxRunning;
      const slots = Math.max(1, Math.min(requestedSlots, maxWaiting));
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
          if (started) endOne();
          else usedSlots -= slots;
        },
      };
    },
    close() {
      closed = true;
      while (startNext(false));
    },
  };
}

/** A waiting run occupies one slot for so many steps or bytes of input, which limits the memory of waiting runs. */
const STEPS_PER_SLOT = 100;
const BYTES_PER_SLOT = 16_384;

/** The number of slots that a waiting run of this definition occupies, 1 or more. */
export function slotsFor({ steps }: WorkflowDefinition, input: JsonObject): number {
  const bytes = jsonByteLength(input);
  return Math.max(1, Math.ceil(steps.length / STEPS_PER_SLOT), Math.ceil(bytes / BYTES_PER_SLOT));
}
