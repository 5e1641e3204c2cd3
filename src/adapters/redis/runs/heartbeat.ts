import type { Clock } from '../../../ports/clock.ts';
import type { Send } from '../client/connection.ts';
import { asList, asNumber } from '../client/replies.ts';
import { runScript, type ScriptRunner } from '../client/script-runner.ts';
import type { Keys } from '../keys.ts';
import { heartbeat, leave } from './process-scripts.ts';
import type { Recovery } from './recovery.ts';

/** The sign of life that a process gives in the store, which shows at once whether the store can be written to. */
export interface Heart {
  /** Gives one sign of life; throws where it cannot. `fresh` says that the connection is new. */
  beat(send: Send, fresh: boolean): Promise<void>;
  /** How many runs the store held as under way in this process, as of the last beat. */
  readonly heldRuns: number;
  /** Takes leave: what is left behind is for the other processes to end, at once. */
  stop(send: Send): Promise<void>;
}

/** Makes the heart of `process`, which tells the store's time to `scripts` and its own faults to `recovery`. */
export function createHeart(
  process: string,
  keys: Keys,
  scripts: Pick<ScriptRunner, 'observeTime'>,
  recovery: Pick<Recovery, 'unsettle'>,
  clock: Pick<Clock, 'monotonic'>,
): Heart {
  const scriptKeys = [keys.processes, keys.running + process];
  let heldRuns = 0;
  return {
    get heldRuns() {
      return heldRuns;
    },
    async beat(send, fresh) {
      if (fresh) recovery.unsettle();
      try {
        const reply = await runScript(send, heartbeat, scriptKeys, [process]);
        const [seconds, microseconds, held] = asList(reply);
        const storeMs = asNumber(seconds) * 1_000 + asNumber(microseconds) / 1_000;
        scripts.observeTime(storeMs, clock.monotonic());
        heldRuns = asNumber(held);
      } catch (error) {
        recovery.unsettle();
        throw error;
      }
    },
    async stop(send) {
      await runScript(send, leave, scriptKeys, [process]);
    },
  };
}
