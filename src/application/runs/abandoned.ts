import { endAbandoned } from '../../domain/run/control.ts';
import type { CancelSignal, RunEvent } from '../../domain/run/events.ts';
import { evolve, replay } from '../../domain/run/evolve.ts';
import { hasEnded } from '../../domain/run/run.ts';
import { changeOf, type RunState } from '../../domain/run/state.ts';
import type { EndedWait } from '../../domain/run/waits.ts';
import type { Ports } from '../../ports/ports.ts';

type AbandonedPorts = Pick<Ports, 'clock' | 'logger' | 'events' | 'runs'>;

/**
 * Records the end of a run that nobody runs any more: see `RunListener`. `unsaved` are events that are not in its log,
 * as far as this process knows; none when absent.
 */
export type RecordAbandoned = (
  runId: string,
  signal: CancelSignal | undefined,
  unsaved?: readonly RunEvent[],
) => Promise<void>;

/** Creates that function. `endWait` ends what would have ended a wait of the run. */
export function createRecordAbandoned(
  { clock, logger, events, runs }: AbandonedPorts,
  endWait: (wait: EndedWait) => Promise<void>,
): RecordAbandoned {
  /** Where that fails, whoever decides about one of them ends it. */
  async function endWaits({ waits }: RunState): Promise<void> {
    try {
      for (const wait of waits?.values() ?? []) await endWait(wait);
    } catch (error) {
      logger.warn('what a workflow run waited for could not be ended', { err: error });
    }
  }

  return async (runId, signal, unsaved = []) => {
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
    await endWaits(state);
  };
}

/** The events that continue a log after the event `seq`, up to those that end the run. */
function beforeEnd(unsaved: readonly RunEvent[], seq: number): readonly RunEvent[] {
  if (unsaved[0]?.seq !== seq + 1) return [];
  const end = unsaved.findIndex(({ type }) => type === 'step.skipped' || isEnd(type));
  return end < 0 ? unsaved : unsaved.slice(0, end);
}

function isEnd(type: RunEvent['type']): boolean {
  return type === 'execution.completed' || type === 'execution.failed' || type === 'execution.cancelled';
}
