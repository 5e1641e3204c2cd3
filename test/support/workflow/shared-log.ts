import { unavailable } from '../../../src/domain/errors.ts';
import { hasEnded, type RunStatus } from '../../../src/domain/run/run.ts';
import type { RunListener, RunLog } from '../../../src/ports/storage/run-log.ts';
import { memoryRunLog } from '../memory.ts';

/** The log of one process, over the log that all share. */
export interface ProcessLog {
  readonly log: RunLog;
  /** Runs before each append of this process; an append that it rejects is not written. */
  beforeAppend: (runId: string) => Promise<void>;
  /** Ends the process: nothing that it does reaches the log any more, and its runs may be claimed. */
  kill(): void;
  /** Lets its runs be claimed as those of a process that is gone, though it lives: it was frozen. */
  freeze(): void;
  /** Tells it which runs it has lost. */
  thaw(): void;
}

/** A log that several simulated processes share, each with its own runs. */
export function createSharedLog() {
  const shared = memoryRunLog({ maxRows: 1_000 });
  const owners = new Map<string, object>();
  const crashed = new Set<string>();
  const listeners = new Map<object, RunListener>();
  let caller: object | undefined;
  shared.listen({
    onSignal(runId, signal) {
      const owner = owners.get(runId) ?? caller;
      if (owner !== undefined) listeners.get(owner)?.onSignal(runId, signal);
    },
    onAbandoned: () => Promise.resolve(),
    onLost: () => undefined,
  });

  function open(): ProcessLog {
    const self = {};
    let isDead = false;
    const lost: string[] = [];

    async function abandon(): Promise<void> {
      for (const [runId, owner] of owners) {
        if (owner !== self) continue;
        owners.delete(runId);
        crashed.add(runId);
        lost.push(runId);
        await shared.release(runId);
      }
    }

    async function hasRunEnded(runId: string): Promise<boolean> {
      const summary = await shared.summary(runId);
      return summary !== undefined && hasEnded(summary.status);
    }

    /** True for a state in which nobody runs a run. */
    const isLeft = (status: RunStatus | undefined): boolean =>
      status !== undefined && (hasEnded(status) || status === 'WAITING');

    const process: ProcessLog = {
      beforeAppend: () => Promise.resolve(),
      log: {
        ...shared,
        async create(run) {
          const isNew = await shared.create(run);
          if (isNew && run.isUnclaimed !== true) owners.set(run.summary.runId, self);
          return isNew;
        },
        async append(runId, expectedSeq, events, change) {
          await process.beforeAppend(runId);
          if (isDead) return new Promise(() => undefined);
          const hadEnded = await hasRunEnded(runId);
          if (!hadEnded && owners.get(runId) !== self) return 'conflict';
          if (hadEnded) owners.set(runId, self);
          const outcome = await shared.append(runId, expectedSeq, events, change);
          if (outcome === 'appended' && isLeft(change.status)) owners.delete(runId);
          return outcome;
        },
        async claim(runId) {
          if (isDead) throw unavailable('the process is gone', 1);
          if (owners.has(runId)) return undefined;
          owners.set(runId, self);
          const claimed = await shared.claim(runId);
          if (claimed === undefined) owners.delete(runId);
          return claimed && { ...claimed, crashed: crashed.delete(runId) };
        },
        async release(runId) {
          if (owners.get(runId) !== self) return;
          owners.delete(runId);
          await shared.release(runId);
        },
        async signal(runId, signal) {
          caller = self;
          return shared.signal(runId, signal);
        },
        listen(listener) {
          listeners.set(self, listener);
        },
      },
      kill() {
        isDead = true;
        void abandon();
      },
      freeze: () => void abandon(),
      thaw() {
        for (const runId of lost.splice(0)) listeners.get(self)?.onLost(runId);
      },
    };
    return process;
  }

  return { open, shared };
}
