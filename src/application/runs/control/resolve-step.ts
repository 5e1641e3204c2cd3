import { conflict, invalid, notFound } from '../../../domain/errors.ts';
import type { Limits } from '../../../domain/limits.ts';
import type { ResolveSignal } from '../../../domain/run/events.ts';
import { replay } from '../../../domain/run/evolve.ts';
import type { Run } from '../../../domain/run/run.ts';
import { type RunState, recordOf } from '../../../domain/run/state.ts';
import { openWaitsOf, type StepWait } from '../../../domain/run/waits.ts';
import { indexOfStep } from '../../../domain/workflow/shape.ts';
import { itemAt } from '../../../lib/array.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { EndedItems } from '../waits/ended-items.ts';
import { copyInput } from './copy-input.ts';
import type { ResolveRequest } from './run-control.ts';

/** What {@link createResolveStep} works with. */
export interface ResolveStepDeps {
  readonly ports: Pick<Ports, 'clock' | 'logger' | 'runs'>;
  /** Undefined where no run waits. */
  readonly items: Pick<EndedItems, 'end'> | undefined;
  readonly limits: Pick<Limits, 'maxOutputBytes'>;
}

/** Milliseconds that a caller waits for the process which runs the run. The decision counts also after that. */
const WAIT_MS = 10_000;

/**
 * Creates the function that decides about a step: see `RunControl.resolve`. The store takes the first decision about a
 * wait, and the process that runs or claims the run writes it to the log.
 */
export function createResolveStep({ ports, items, limits }: ResolveStepDeps) {
  const { clock, logger, runs } = ports;

  async function load(runId: string): Promise<RunState> {
    const stored = await runs.get(runId);
    if (stored === undefined) throw notFound('execution', runId);
    return replay(stored);
  }

  /** The run once a wait has ended, or as it is after some time. Many may wait: the log is read once for each. */
  async function untilEnded(runId: string, itemId: string): Promise<RunState> {
    const timeout = new AbortController();
    const cancel = clock.after(WAIT_MS, () => timeout.abort());
    try {
      for (;;) {
        const lastSeq = (await runs.read(runId, 0, 1))?.lastSeq ?? 0;
        const summary = await runs.summary(runId);
        const isOpen = summary?.waitingFor.some((wait) => wait.itemId === itemId) === true;
        if (!isOpen || timeout.signal.aborted) return await load(runId);
        await runs.changed(runId, lastSeq, timeout.signal);
      }
    } finally {
      cancel();
    }
  }

  /** The process that has written the end of the wait does it too, unless it stops before. */
  async function endItem(wait: StepWait): Promise<void> {
    try {
      await items?.end(wait);
    } catch (error) {
      logger.warn('an inbox item of a workflow run could not be ended yet', { err: error });
    }
  }

  /** The wait that the request is about. Where it has ended, its item is ended too: it may have been left behind. */
  async function waitFor(state: RunState, stepId: string, itemId: string | undefined): Promise<StepWait> {
    const { shape, results, head, waits } = state;
    if (!shape.indexes.has(stepId)) throw notFound('step', stepId);
    // Without an item the question is whether the step has happened.
    const wait = openWaitsOf(state, stepId).find((open) =>
      itemId === undefined ? open.kind === 'recovery' : open.itemId === itemId,
    );
    if (wait !== undefined) return wait;
    const ended = waits?.get(itemId ?? '');
    if (ended !== undefined) await endItem(ended);
    const { status } = itemAt(results, indexOfStep(shape.indexes, stepId));
    const isAsked = openWaitsOf(state, stepId).some(({ kind }) => kind === 'approval');
    const hint = isAsked ? '; an approval is answered in the inbox' : '';
    throw conflict(
      `step ${quote(stepId)} of execution ${quote(head.runId)} is ${status}: only a step whose outcome is unknown can be resolved${hint}`,
    );
  }

  return async (runId: string, stepId: string, request: ResolveRequest): Promise<Run> => {
    const { outcome, output, data, by, note = null, itemId } = request;
    if (output !== undefined && outcome !== 'completed') {
      throw invalid(['output: is only for the outcome completed']);
    }
    const own = output === undefined ? null : copyInput(output, limits.maxOutputBytes, 'output');
    const wait = await waitFor(await load(runId), stepId, itemId);
    const signal: ResolveSignal = {
      type: 'resolve',
      itemId: wait.itemId,
      outcome,
      by,
      note,
      output: outcome === 'completed' ? (own ?? {}) : null,
      ...(data === undefined ? {} : { data }),
    };
    const sent = await runs.signal(runId, signal);
    if (sent === undefined) throw notFound('execution', runId);
    if (sent !== 'sent') throw conflict(`somebody has decided about step ${quote(stepId)} already`);
    const state = await untilEnded(runId, wait.itemId);
    const after = state.waits?.get(wait.itemId);
    if (after === undefined || after.isOpen) return recordOf(state);
    await endItem(after);
    // A run that is cancelled at the same time waits no more.
    if (after.decision === null)
      throw conflict(`step ${quote(stepId)} waits no more: the execution has ended`);
    if (after.decision.isExpired) throw conflict(`step ${quote(stepId)} waits no more: the time is over`);
    return recordOf(state);
  };
}
