import { hasEnded } from '../../../domain/run/run.ts';
import type { RunStore } from '../../../ports/run-store.ts';
import { StoreFault, toUnavailable } from '../client/errors.ts';
import type { Outbox } from '../write-buffer.ts';
import { applyChange, type EncodedChange, encodeChange } from './run-encoding.ts';
import type { SaveOutcome, StoredExecutions } from './stored-runs.ts';

/** The runs of this process that the store may hold as under way. */
export interface LiveRuns {
  readonly size: number;
  has(runId: string): boolean;
  /** Notes that the store has ended a run without this process. */
  lose(runId: string): void;
  isLost(runId: string): boolean;
  add(runId: string): void;
  remove(runId: string): void;
}

export function createLiveRuns(): LiveRuns {
  const lost = new Map<string, boolean>();
  return {
    get size() {
      return lost.size;
    },
    has: (id) => lost.has(id),
    isLost: (id) => lost.get(id) === true,
    lose(id) {
      if (lost.has(id)) lost.set(id, true);
    },
    add: (id) => void lost.set(id, false),
    remove: (id) => void lost.delete(id),
  };
}

/**
 * Executions in the store. A new one is refused unless the store has taken it, for nothing of it has happened yet.
 * What happens then is on its way to the store at once, and waits in the outbox while the store is away: a run goes
 * on without waiting for its layers to be written, and its end resolves once all of it was sent.
 */
export function createExecutionStore(
  stored: StoredExecutions,
  outbox: Outbox<EncodedChange, SaveOutcome>,
  live: LiveRuns,
  isAvailable: () => boolean,
): RunStore {
  return {
    async create(execution) {
      const { runId, status } = execution;
      const known = live.has(runId);
      if (!known) live.add(runId);
      let created = false;
      try {
        created = await stored.create(execution);
      } catch (error) {
        throw toUnavailable(error);
      } finally {
        if (!known && (!created || hasEnded(status))) live.remove(runId);
      }
    },
    async save(runId, change) {
      const parcel = encodeChange(change);
      if (!isAvailable() && !outbox.fits(runId, parcel)) {
        throw toUnavailable(new StoreFault('away', 'FULL'));
      }
      outbox.put(runId, parcel);
      const delivery = outbox.deliver(runId);
      if (live.has(runId) && !hasEnded(change.status)) return !live.isLost(runId);
      return (await delivery) !== 'ended';
    },
    async get(runId) {
      const execution = await stored.get(runId).catch(refuse);
      if (execution === undefined || hasEnded(execution.status)) return execution;
      return outbox.pending(runId).reduce(applyChange, execution);
    },
    async list(workflowId, page) {
      const listed = await stored.list(workflowId, page).catch(refuse);
      const items = listed.items.map((summary) => {
        const pending = outbox.pending(summary.runId).at(-1);
        return pending === undefined || hasEnded(summary.status) ? summary : { ...summary, ...pending.state };
      });
      return { ...listed, items };
    },
  };
}

/**
 * How the outbox of executions sends: it notes what the store says of runs that this process takes for its own, and
 * is done with them when their end is stored.
 */
export function createSendChange(
  stored: StoredExecutions,
  process: string,
  live: LiveRuns,
): (id: string, change: EncodedChange) => Promise<SaveOutcome> {
  return async (id, change) => {
    const outcome = await stored.save(id, change, process);
    if (outcome === 'ended') live.lose(id);
    if (hasEnded(change.state.status)) live.remove(id);
    return outcome;
  };
}

function refuse(error: unknown): never {
  throw toUnavailable(error);
}
