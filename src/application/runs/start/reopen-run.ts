import { conflict, notFound } from '../../../domain/errors.ts';
import { type RetriedBy, retried } from '../../../domain/run/control.ts';
import { evolve } from '../../../domain/run/evolve.ts';
import { changeOf, type RunState } from '../../../domain/run/state.ts';
import type { Ports } from '../../../ports/ports.ts';

/**
 * Opens an ended run again: its state at once, and its log by the function that is returned, which resolves to the
 * number of the event. That function rejects with `conflict` when somebody else does it at the same time, with
 * `not_found` for a deleted run, and with `unavailable`.
 */
export function reopenRun(
  state: RunState,
  by: RetriedBy,
  { clock, events, runs }: Pick<Ports, 'clock' | 'events' | 'runs'>,
): () => Promise<number> {
  const { runId, workflowId } = state.head;
  const event = retried(state, by, clock.now());
  const { seq } = state;
  evolve(state, event);

  /** An append to a deleted run changes nothing. Where the store is unavailable, the run counts as stored. */
  function isDeleted(): Promise<boolean> {
    return runs.summary(runId).then(
      (summary) => summary === undefined,
      () => false,
    );
  }

  return async () => {
    const outcome = await runs.append(runId, seq, [event], changeOf(state));
    if (outcome !== 'appended') throw conflict('the execution was changed by somebody else at the same time');
    if (await isDeleted()) throw notFound('execution', runId);
    events({ type: 'run.appended', runId, workflowId, events: [event] });
    return event.seq;
  };
}
