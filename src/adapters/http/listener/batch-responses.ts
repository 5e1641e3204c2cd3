/** The maximum time for which a finished response is held, in milliseconds. */
const HOLD_MS = 1;

/**
 * Wraps an application so that responses that finish in one turn of the event loop are sent together, at the end of the
 * turn or after a millisecond. One wake-up of the client's process for many responses is cheaper than one for each
 * (benchmark `http`). Nothing is held when the last turn had at most one response.
 */
export function batchResponses<Args extends readonly unknown[], Result>(
  fetch: (...args: Args) => Result | Promise<Result>,
  now: () => number = () => performance.now(),
): (...args: Args) => Promise<Result> {
  let finished = 0;
  let isBusy = false;
  let heldSince = 0;
  let held: Promise<void> | undefined;
  let resolveHeld = (): void => {};

  function release(): void {
    held = undefined;
    resolveHeld();
  }

  function endTurn(): void {
    isBusy = finished > 1;
    finished = 0;
    release();
  }

  /** Resolves when the response may be sent. */
  function hold(): Promise<void> {
    if (held === undefined) {
      heldSince = now();
      held = new Promise((resolve) => {
        resolveHeld = resolve;
      });
    } else if (now() - heldSince >= HOLD_MS) {
      const batch = held;
      release();
      return batch;
    }
    return held;
  }

  return async (...args) => {
    const result = await fetch(...args);
    if (finished === 0) setImmediate(endTurn);
    finished += 1;
    if (isBusy) await hold();
    return result;
  };
}
