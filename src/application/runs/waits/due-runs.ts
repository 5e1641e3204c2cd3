import { hasEnded } from '../../../domain/run/run.ts';
import { changeOf } from '../../../domain/run/state.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { ActiveRun } from '../active-run.ts';
import type { ChildRuns } from './child-runs.ts';
import { createWakes, type Wakes } from './wakes.ts';

/** The runs that nobody runs, and that somebody must look at. */
export interface DueRuns extends Omit<Wakes, 'add'> {
  /** Notes when somebody must look at a run that this process runs no more. */
  follow(run: ActiveRun): void;
}

/** Creates {@link DueRuns}. A run that waits goes on when its time has come; an ended child has a parent to tell. */
export function createDueRuns(
  ports: Pick<Ports, 'clock' | 'logger' | 'runs' | 'runQueue'>,
  children: Pick<ChildRuns, 'tellParent'>,
): DueRuns {
  const { logger, runs, runQueue } = ports;

  async function look(runId: string): Promise<void> {
    try {
      const summary = await runs.summary(runId);
      if (summary === undefined) return;
      if (hasEnded(summary.status)) await children.tellParent(summary);
      else await runQueue.wake(runId);
    } catch (error) {
      logger.warn('a workflow run that is due could not be looked at yet', {
        execution_id: runId,
        err: error,
      });
    }
  }

  const { start, add, close } = createWakes(ports, look);
  return {
    start,
    close,
    follow({ state }) {
      const { wakeAt } = changeOf(state);
      if (wakeAt !== null) add(state.head.runId, wakeAt);
    },
  };
}
