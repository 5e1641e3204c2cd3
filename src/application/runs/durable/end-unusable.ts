import { endUnusable } from '../../../domain/run/control.ts';
import type { EndedWait } from '../../../domain/run/waits.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { ClaimedRun } from '../../../ports/storage/run-log.ts';

/**
 * Ends a claimed run that cannot be continued, because of an error. Rejects with `unavailable`, and where that must be
 * tried again.
 */
export type EndUnusable = (claimed: ClaimedRun, error: unknown) => Promise<void>;

/** Creates {@link EndUnusable}. `endWait` ends what would have ended a wait of the run. */
export function createEndUnusable(
  { clock, logger, events, runs }: Pick<Ports, 'clock' | 'logger' | 'events' | 'runs'>,
  endWait: (wait: EndedWait) => Promise<void>,
): EndUnusable {
  return async ({ run, signals }, error) => {
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
  };
}
