import { invalid, type OrchestrationError, unavailable } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { jsonByteLength } from '../../../lib/json/size.ts';
import type { Clock } from '../../../ports/clock.ts';

/** The most events of runs and calls of steps of one simulation, together. */
const MAX_WORK = 100_000;

/** The most bytes of JSON of the outputs of one simulation. */
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

/** The longest time of one simulation, in real milliseconds. */
const MAX_REAL_MS = 10_000;

/** The work that one simulation may take. */
export interface Budget {
  /** Takes so much of it. Returns false where nothing is left: then the simulation must not go on. */
  spend(work: number): boolean;
  /** The same for an output. */
  spendOutput(output: JsonObject): boolean;
  /** Stops the simulation. The first error counts. */
  stop(error: unknown): void;
  /** Why the simulation must not go on; undefined while it may. */
  issue(): unknown;
}

/** Creates a budget. `clock` tells real time; `signal` is aborted when the service shuts down. */
export function createBudget(clock: Clock, signal: AbortSignal): Budget {
  const startedMs = clock.monotonic();
  let work = 0;
  let bytes = 0;
  let stopped: unknown;

  function check(): boolean {
    if (work > MAX_WORK) stopped ??= tooLarge(`${MAX_WORK} events and calls`);
    if (bytes > MAX_OUTPUT_BYTES) stopped ??= tooLarge(`${MAX_OUTPUT_BYTES} bytes of outputs`);
    if (clock.monotonic() - startedMs > MAX_REAL_MS) stopped ??= tooLarge(`${MAX_REAL_MS / 1_000} seconds`);
    if (signal.aborted) stopped ??= unavailable('the service is shutting down');
    return stopped === undefined;
  }

  return {
    spend(units) {
      work += units;
      return check();
    },
    spendOutput(output) {
      bytes += jsonByteLength(output, MAX_OUTPUT_BYTES);
      return check();
    },
    stop(error) {
      stopped ??= error;
    },
    issue() {
      check();
      return stopped;
    },
  };
}

function tooLarge(limit: string): OrchestrationError {
  return invalid([`the simulation takes too much: it was stopped after ${limit}`]);
}
