import { hasEnded } from '../../domain/execution.ts';
import type { ExecutionStore } from '../../ports/execution-store.ts';
import { StoreFault, toUnavailable } from './fault.ts';
import type { Outbox } from './outbox.ts';
import { applyChange, type EncodedChange, encodeChange } from './stored-execution.ts';
import type { SaveOutcome, StoredExecutions } from './stored-executions.ts';

/** The runs of this process that the store may hold as under way. */
export interface LiveRuns {
  readonly size: number;
  has(executionId: string): boolean;
  /** Notes that the store has ended a run without this process. */
  lose(executionId: string): void;
  isLost(executionId: string): boolean;
  add(executionId: string): void;
  remove(executionId: string): void;
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
): ExecutionStore {
  return {
    async create(execution) {
      const { executionId, status } = execution;
      const known = live.has(executionId);
      if (!known) live.add(executionId);
      let created = false;
      try {
        created = await stored.create(execution);
      } catch (error) {
        throw toUnavailable(error);
      } finally {
        if (!known && (!created || hasEnded(status))) live.remove(executionId);
      }
    },
    async save(executionId, change) {
      const parcel = encodeChange(change);
      if (!isAvailable() && !outbox.fits(executionId, parcel)) {
        throw toUnavailable(new StoreFault('away', 'FULL'));
      }
      outbox.put(executionId, parcel);
      const delivery = outbox.deliver(executionId);
      if (live.has(executionId) && !hasEnded(change.status)) return !live.isLost(executionId);
      return (await delivery) !== 'ended';
    },
    async get(executionId) {
      const execution = await stored.get(executionId).catch(refuse);
      if (execution === undefined || hasEnded(execution.status)) return execution;
      return outbox.pending(executionId).reduce(applyChange, execution);
    },
    async list(workflowId, page) {
      const listed = await stored.list(workflowId, page).catch(refuse);
      const items = listed.items.map((summary) => {
        const pending = outbox.pending(summary.executionId).at(-1);
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
