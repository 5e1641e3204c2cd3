/** Blocks the event loop for `ms` milliseconds. */
export function burnCpu(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Counts calls in each turn of the event loop. */
export interface TurnCounter {
  count(): void;
  /** The highest number of calls in one turn. */
  readonly max: number;
}

/** Creates a counter of calls per turn of the event loop. */
export function createTurnCounter(): TurnCounter {
  let calls = 0;
  let max = 0;
  return {
    count() {
      if (calls === 0) {
        setImmediate(() => {
          calls = 0;
        });
      }
      calls += 1;
      max = Math.max(max, calls);
    },
    get max() {
      return max;
    },
  };
}

/** The result of a synchronous call, and the processor time that this thread took for it, in milliseconds. */
export function cpuTime<T>(call: () => T): { readonly result: T; readonly ms: number } {
  const before = process.threadCpuUsage();
  const result = call();
  const { user, system } = process.threadCpuUsage(before);
  return { result, ms: (user + system) / 1_000 };
}

/**
 * A limit of processor time in milliseconds, on this machine at this moment: `usualMs`, or more where its processor is
 * slow or shared. Then it is as long as the engine of the language takes for an object of 75,000 members that is read,
 * made again and written, and half as long again.
 */
export function limitOfTime(usualMs: number): number {
  const json = JSON.stringify(
    Object.fromEntries(Array.from({ length: 75_000 }, (_, index) => [`k${index}`, 1])),
  );
  const remake = (): string => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json))));
  const own = Array.from({ length: 3 }, () => cpuTime(remake).ms);
  return Math.max(usualMs, 1.5 * Math.min(...own));
}
