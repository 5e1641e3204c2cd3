/**
 * Lets something through at most once in `intervalMs` milliseconds. Each call returns how often it was called since it
 * last let something through, this time included, or undefined where this call is not let through. `now` is in
 * milliseconds and never goes back.
 */
export function createThrottle(intervalMs: number, now: () => number): () => number | undefined {
  let passedAt = Number.NEGATIVE_INFINITY;
  let times = 0;
  return () => {
    times++;
    const time = now();
    if (time - passedAt < intervalMs) return undefined;
    const passed = times;
    passedAt = time;
    times = 0;
    return passed;
  };
}
