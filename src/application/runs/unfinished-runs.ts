import { endAbandoned, endUnusable } from '../../domain/run/control.ts';
import type { CancelSignal, RunEvent } from '../../domain/run/events.ts';
import { evolve, replay } from '../../domain/run/evolve.ts';
import { hasEnded } from '../../domain/run/run.ts';
import { changeOf } from '../../domain/run/state.ts';
import type { EndedWait } from '../../domain/run/waits.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ClaimedRun } from '../../ports/storage/run-log.ts';

/** Ends runs that no process can continue. */
export interface UnfinishedRuns {
  /**
   * Records the end of a run whose process is gone: see `RunListener`. `unsaved` are events that are not in its log, as
   * far as this process knows; none when absent.
   */
  endAbandoned(runId: string, signal: CancelSignal | undefined, unsaved?: readonly RunEvent[]): Promise<void>;
  /**
   * Ends a claimed run that cannot be continued, because of an error. Rejects with `unavailable`, and where that must
   * be tried again.
   */
  endUnusable(claimed: ClaimedRun, error: unknown): Promise<void>;
}

/** Creates {@link UnfinishedRuns}. `endWait` ends the inbox item or the child run of a wait. */
export function createUnfinishedRuns(
  { clock, logger, events, runs }: Pick<Ports, 'clock' | 'logger' | 'events' | 'runs'>,
  endWait: (wait: EndedWait) => Promise<void>,
): UnfinishedRuns {
  return {
    async endAbandoned(runId, signal, unsaved = []) {
      const stored = await runs.get(runId);
      if (stored === undefined) return;
      const state = replay(stored);
      if (hasEnded(state.status)) return;
      const { seq } = state;
      const kept = beforeEnd(unsaved, seq);
      for (const event of kept) evolve(state, event);
      const ending = [...kept, ...endAbandoned(state, signal, clock.now())];
      const outcome = await runs.append(runId, seq, ending, changeOf(state));
      if (outcome !== 'appended') return;
      logger.warn('a run was recorded as interrupted, because its process is gone', { execution_id: runId });
      events({ type: 'run.appended', runId, workflowId: stored.workflowId, events: ending });
      try {
        for (const wait of state.waits?.values() ?? []) await endWait(wait);
      } catch (error) {
        // A later decision about one of them ends it.
        logger.warn('what a workflow run waited for could not be ended', { err: error });
      }
    },
    async endUnusable({ run, signals }, error) {
      const { runId, workflowId } = run;
      const summary = await runs.summary(runId);
      if (summary === undefined) return;
      logger.error('a workflow run cannot be continued, and is ended', { execution_id: runId, err: error });
      const seq = run.events.at(-1)?.seq ?? 0;
      const signal = signals.find((one) => one.type === 'cancel');
      const { events: ending, change } = endUnusable(summary, seq, signal, clock.now());
      const outcome = await runs.append(runId, seq, ending, change);
      // A request to cancel it has come meanwhile: the next claim has it.
      if (outcome === 'signalled') throw new Error('the run is being cancelled');
      if (outcome === 'conflict') return;
      events({ type: 'run.appended', runId, workflowId, events: ending });
      for (const wait of summary.waitingFor) await endWait({ ...wait, decision: null, output: null });
    },
  };
}

/** The events that continue a log after the event `seq`, up to those that end the run. */
function beforeEnd(unsaved: readonly RunEvent[], seq: number): readonly RunEvent[] {
  if (unsaved[0]?.seq !== seq + 1) return [];
  const end = unsaved.findIndex(
    ({ type }) =>
      type === 'step.skipped' ||
      type === 'execution.completed' ||
      type === 'execution.failed' ||
      type === 'execution.cancelled',
  );
  return end < 0 ? unsaved : unsaved.slice(0, end);
}
