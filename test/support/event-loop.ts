/** Keeps the processor busy for so many milliseconds. */
export function burnCpu(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Counts calls by turns of the event loop. */
export interface TurnCounter {
  count(): void;
  /** The most calls in one turn. */
  readonly most: number;
}

/** Creates a counter that starts anew with each turn of the event loop. */
export function createTurnCounter(): TurnCounter {
  let calls = 0;
  let most = 0;
  return {
    count() {
      if (calls === 0) {
        setImmediate(() => {
          calls = 0;
        });
      }
      calls += 1;
      most = Math.max(most, calls);
    },
    get most() {
      return most;
    },
  };
}
