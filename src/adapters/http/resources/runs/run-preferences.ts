import { parsePrefer } from '../../parse-headers.ts';

/** How a run is to be answered, and which preferences of the request that follows. */
export interface RunPreferences {
  readonly background: boolean;
  /** Milliseconds to wait for the end of a run that does not begin in the background; undefined without a limit. */
  readonly waitMs: number | undefined;
  /** The value of `Preference-Applied`; empty when there is none. */
  readonly applied: string;
}

/**
 * Combines `background` of the body, which wins, with a Prefer header. `wait` with `respond-async` waits first, and
 * does not wait for a run that `background` asks for. `byDefault` stands for both when neither is given.
 */
export function runPreferences(
  background: boolean | undefined,
  prefer: string | undefined,
  byDefault = false,
): RunPreferences {
  const { respondAsync, waitSeconds } = parsePrefer(prefer);
  if (background !== true && waitSeconds !== undefined) {
    const waitMs = waitSeconds * 1_000;
    return { background: false, waitMs, applied: `wait=${waitSeconds}` };
  }
  const isAsync = background ?? (respondAsync || byDefault);
  return { background: isAsync, waitMs: undefined, applied: isAsync && respondAsync ? 'respond-async' : '' };
}
