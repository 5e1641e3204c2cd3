import { interruptRun, type Run } from '../../../domain/run/run.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Connection } from '../client/connection.ts';
import { toFault } from '../client/errors.ts';
import { asList, asText } from '../client/replies.ts';
import type { ScriptRunner } from '../client/script-runner.ts';
import type { Keys } from '../keys.ts';
import { findAbandoned } from './process-scripts.ts';
import { encodeChange } from './run-encoding.ts';
import type { LiveRuns } from './run-store.ts';
import type { StoredExecutions } from './stored-runs.ts';

/** When a process counts as dead; milliseconds throughout. */
export interface RecoveryTimes {
  /** Without a sign of life for so long, a process is dead. */
  readonly deadAfterMs: number;
  /**
   * Only a process that has itself seen the store available for so long may take another for dead: when the store
   * comes back, all signs of life are old.
   */
  readonly steadyForMs: number;
  /** How often the dead are looked for. */
  readonly everyMs: number;
}

export const defaultRecoveryTimes: RecoveryTimes = {
  deadAfterMs: 20_000,
  steadyForMs: 15_000,
  everyMs: 5_000,
};

/** Ends the runs whose process is gone: they are recorded as interrupted, and never executed again. */
export interface Recovery {
  /** The store does not serve, or may have been away: being steady begins anew. */
  unsettle(): void;
  /** Called at every sign of life, with how many runs the store holds as under way in this process. */
  beat(heldRuns: number): void;
}

export interface RecoveryOptions {
  /** How this process is called in the store. */
  readonly process: string;
  readonly times: RecoveryTimes;
  readonly keys: Keys;
  readonly connection: Pick<Connection, 'send'>;
  readonly scripts: ScriptRunner;
  readonly stored: StoredExecutions;
  readonly live: LiveRuns;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createRecovery(options: RecoveryOptions): Recovery {
  const { process, times, keys, connection, scripts, stored, live, clock, logger } = options;
  let steadySince: number | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let working = false;

  async function interrupt(id: string, runner: string): Promise<void> {
    const execution: Run | undefined = await stored.get(id);
    if (execution === undefined) {
      await connection.send(['SREM', keys.running + runner, id]);
      return;
    }
    const at = new Date(clock.now()).toISOString();
    const outcome = await stored.save(id, encodeChange(interruptRun(execution, at)).item, runner);
    if (outcome === 'saved') {
      logger.warn('the run of a process that is gone was recorded as interrupted', { execution_id: id });
    }
  }

  async function interruptAbandoned(): Promise<void> {
    const values = [String(times.deadAfterMs), keys.running];
    for (;;) {
      const abandoned = asList(await scripts.run(findAbandoned, [keys.processes], values));
      if (abandoned.length === 0) return;
      for (const entry of abandoned) {
        const [runner, ids] = asList(entry);
        for (const id of asList(ids)) await interrupt(asText(id), asText(runner));
      }
    }
  }

  /** What the store holds as under way here and is not: its creation was answered too late, and given up. */
  async function interruptUnknown(): Promise<void> {
    const ids = asList(await connection.send(['SMEMBERS', keys.running + process])).map(asText);
    for (const id of ids) if (!live.has(id)) await interrupt(id, process);
  }

  async function work(task: () => Promise<void>): Promise<void> {
    if (working) return;
    working = true;
    try {
      await task();
    } catch (error) {
      logger.warn('interrupted runs could not be recorded yet', { reason: toFault(error).reason });
    } finally {
      working = false;
    }
  }

  return {
    unsettle() {
      steadySince = undefined;
    },
    beat(heldRuns) {
      const now = clock.monotonic();
      steadySince ??= now;
      if (heldRuns > live.size) {
        void work(interruptUnknown);
        return;
      }
      if (now - steadySince < times.steadyForMs || now - lookedAt < times.everyMs) return;
      lookedAt = now;
      void work(interruptAbandoned);
    },
  };
}
