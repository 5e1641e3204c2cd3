import type { RunListener, RunLog } from '../../../ports/storage/run-log.ts';

/** A log whose abandoned runs are held back. */
export interface HeldRecovery {
  /** The log, except that its listener is told of abandoned runs only after `start`. */
  readonly runs: RunLog;
  /** Tells the listener of those that were held back, and of all later ones at once. */
  start(): void;
}

/**
 * Holds back the runs that are to be continued. A log tells of them as soon as somebody listens, which may be before
 * the tools of their steps are registered. Signals come at once.
 */
export function holdRecovery(runs: RunLog): HeldRecovery {
  const started = Promise.withResolvers<void>();
  const held = (listener: RunListener): RunListener => ({
    onSignal: (runId, signal) => listener.onSignal(runId, signal),
    async onAbandoned(runId, signal) {
      await started.promise;
      await listener.onAbandoned(runId, signal);
    },
    onLost: (runId) => listener.onLost(runId),
  });
  return {
    runs: { ...runs, listen: (listener) => runs.listen(held(listener)) },
    start: started.resolve,
  };
}
