import type { Clock } from '../../../ports/clock.ts';
import type { Connection, Send } from './connection.ts';
import { StoreFault, toFault } from './errors.ts';
import { type Script, STALE } from './scripts.ts';

/** How many observations of the store's time are remembered: the clocks may drift, or be set. */
const OBSERVATIONS = 10;

/** Runs scripts over a connection. Rejects with a `StoreFault`. */
export interface ScriptRunner {
  /** Runs a script and returns its reply. */
  run(
    script: Script,
    keys: readonly string[],
    values: readonly string[],
    timeoutMs?: number,
  ): Promise<unknown>;
  /**
   * Runs a script whose first value is its deadline, given here: once the caller is told of a time-out, the write
   * is not carried out any more, even where the store was frozen and the command had reached it.
   */
  write(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  /** Notes the store's time, in milliseconds, as it was at the latest at a moment of this process's monotonic clock. */
  observeTime(storeMs: number, receivedAt: number): void;
}

export function createScriptRunner(
  connection: Pick<Connection, 'send' | 'recheck'>,
  clock: Pick<Clock, 'monotonic'>,
  timeoutMs: number,
): ScriptRunner {
  const ahead: number[] = [];

  const run: ScriptRunner['run'] = (script, keys, values, ms) =>
    runScript(connection.send, script, keys, values, ms);

  /**
   * In microseconds of the store's time; 0, which is none, where that was never learnt. Every observation is a lower
   * bound of how far the store's clock is ahead, for its answer was under way: so the highest is the best, and the
   * deadline is never later than the moment at which the caller is told of a time-out.
   */
  function deadline(): string {
    if (ahead.length === 0) return '0';
    return String(Math.floor((clock.monotonic() + Math.max(...ahead) + timeoutMs) * 1_000));
  }

  return {
    run,
    async write(script, keys, values) {
      const reply = await run(script, keys, [deadline(), ...values]);
      if (reply !== STALE) return reply;
      // Either the store took its time, or its clock was put forward: its time has to be learnt anew.
      await connection.recheck();
      const second = await run(script, keys, [deadline(), ...values]);
      if (second === STALE) throw new StoreFault('timeout', STALE);
      return second;
    },
    observeTime(storeMs, receivedAt) {
      ahead.push(storeMs - receivedAt);
      if (ahead.length > OBSERVATIONS) ahead.shift();
    },
  };
}

/** Runs a script by its name, or where the store does not know it yet, by its text. */
export async function runScript(
  send: Send,
  script: Script,
  keys: readonly string[],
  values: readonly string[],
  ms?: number,
): Promise<unknown> {
  const operands = [String(keys.length), ...keys, ...values];
  try {
    return await send(['EVALSHA', script.sha, ...operands], ms);
  } catch (error) {
    if (toFault(error).reason !== 'NOSCRIPT') throw error;
    return send(['EVAL', script.text, ...operands], ms);
  }
}
