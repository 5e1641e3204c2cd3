import type { Ports } from '../../../ports/ports.ts';

/** Finds the runs that somebody must look at although nobody runs them: see `RunSummary.wakeAt`. */
export interface Wakes {
  /** Looks at runs regularly from now on, also those that other processes have left. */
  start(): void;
  /** Notes when somebody must look at a run. Also without `start`, until it has been looked at. */
  add(runId: string, wakeAt: number): void;
  /** Looks at no more runs. */
  close(): void;
}

/** Runs are looked for so often, in milliseconds. A run that is due earlier gets a timer of its own. */
const SWEEP_MS = 5_000;

/** The most runs that one sweep finds. */
const MAX_FOUND = 500;

/** Where there are more, the next sweep follows so soon, in milliseconds. */
const NEXT_SWEEP_MS = 1_000;

type WakePorts = Pick<Ports, 'clock' | 'logger' | 'runs'>;

/** Creates {@link Wakes}. `look` is called for each run that is due; it may be called twice, and must not reject. */
export function createWakes(
  { clock, logger, runs }: WakePorts,
  look: (runId: string) => Promise<void>,
): Wakes {
  /** The timers of the runs that are due before the next sweep, with their times. */
  const timers = new Map<string, { readonly at: number; readonly cancel: () => void }>();
  let cancelSweep: (() => void) | undefined;
  let isStarted = false;
  let isClosed = false;

  /** Sets the timer of a run, unless it has one that is as early. */
  function lookAt(runId: string, at: number): void {
    const known = timers.get(runId);
    if (known !== undefined && known.at <= at) return;
    known?.cancel();
    const cancel = clock.after(Math.max(0, at - clock.now()), () => {
      timers.delete(runId);
      void look(runId);
    });
    timers.set(runId, { at, cancel });
  }

  /** Resolves to the milliseconds until the next sweep; undefined where none is needed. */
  async function find(): Promise<number | undefined> {
    try {
      const found = await runs.due(clock.now() + SWEEP_MS, MAX_FOUND);
      if (isClosed) return undefined;
      for (const { runId, wakeAt } of found) lookAt(runId, wakeAt);
      const [first] = found;
      if (first !== undefined && found.length === MAX_FOUND) {
        return Math.max(NEXT_SWEEP_MS, first.wakeAt - clock.now());
      }
      const goesOn =
        isStarted || first !== undefined || (await runs.due(Number.POSITIVE_INFINITY, 1)).length > 0;
      return goesOn ? SWEEP_MS : undefined;
    } catch (error) {
      logger.warn('the workflow runs that are due could not be read', { err: error });
      return SWEEP_MS;
    }
  }

  function sweepIn(ms: number): void {
    cancelSweep ??= clock.after(ms, () => {
      void find().then((nextMs) => {
        cancelSweep = undefined;
        if (nextMs !== undefined && !isClosed) sweepIn(nextMs);
      });
    });
  }

  return {
    start() {
      isStarted = true;
      if (!isClosed) sweepIn(0);
    },
    add(runId, wakeAt) {
      if (isClosed) return;
      if (wakeAt - clock.now() <= SWEEP_MS) lookAt(runId, wakeAt);
      else sweepIn(SWEEP_MS);
    },
    close() {
      isClosed = true;
      cancelSweep?.();
      for (const { cancel } of timers.values()) cancel();
      timers.clear();
    },
  };
}
