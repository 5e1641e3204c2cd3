import { hasEnded } from '../../../domain/run/run.ts';
import type { RunStore } from '../../../ports/run-store.ts';
import { StoreError, throwUnavailable, toUnavailable } from '../client/errors.ts';
import type { WriteBuffer } from '../write-buffer.ts';
import type { ActiveRuns } from './active-runs.ts';
import { applyChange, type EncodedChange, encodeChange } from './run-encoding.ts';
import type { SaveOutcome } from './run-scripts.ts';
import type { StoredRuns } from './stored-runs.ts';

/**
 * Creates the store of runs. `create` rejects unless the run is stored. Changes are written in the background, and wait
 * in the write buffer while the store is unavailable: a run continues without waiting for the writes of its layers, and
 * the save of its end resolves once all of its changes are written, or a write has failed.
 */
export function createRunStore(
  stored: StoredRuns,
  buffer: WriteBuffer<EncodedChange, SaveOutcome>,
  active: ActiveRuns,
  isAvailable: () => boolean,
): RunStore {
  return {
    async create(run) {
      const { runId, status } = run;
      const wasActive = active.has(runId);
      if (!wasActive) active.add(runId);
      let created = false;
      try {
        created = await stored.create(run);
      } catch (error) {
        throw toUnavailable(error);
      } finally {
        if (!wasActive && (!created || hasEnded(status))) active.delete(runId);
      }
    },
    async save(runId, change) {
      const entry = encodeChange(change);
      if (!isAvailable() && !buffer.hasRoomFor(runId, entry)) {
        throw toUnavailable(new StoreError('disconnected', 'FULL'));
      }
      buffer.add(runId, entry);
      const flushed = buffer.flush(runId);
      if (active.has(runId) && !hasEnded(change.status)) return !active.isEndedElsewhere(runId);
      return (await flushed) !== 'ended';
    },
    async get(runId) {
      const run = await stored.get(runId).catch(throwUnavailable);
      if (run === undefined || hasEnded(run.status)) return run;
      return buffer.pending(runId).reduce(applyChange, run);
    },
    async list(workflowId, page) {
      const listed = await stored.list(workflowId, page).catch(throwUnavailable);
      const items = listed.items.map((summary) => {
        const pending = buffer.pending(summary.runId).at(-1);
        return pending === undefined || hasEnded(summary.status) ? summary : { ...summary, ...pending.state };
      });
      return { ...listed, items };
    },
  };
}

/** Creates the `write` function of the buffer of changes, which also updates the set of active runs. */
export function createChangeWriter(
  stored: StoredRuns,
  replicaId: string,
  active: ActiveRuns,
): (runId: string, change: EncodedChange) => Promise<SaveOutcome> {
  return async (runId, change) => {
    const outcome = await stored.save(runId, change, replicaId);
    if (outcome === 'ended') active.setEndedElsewhere(runId);
    if (hasEnded(change.state.status)) active.delete(runId);
    return outcome;
  };
}
