import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Bytes of this thread's heap that are still reachable. */
export function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/**
 * Bytes that one piece of work allocates, what it keeps and what it throws away alike: the median of many, so that
 * those which a collection cut short do not count. One piece has to fit into the young generation several times.
 */
export async function allocatedBytes(work: () => unknown): Promise<number> {
  const figures: number[] = [];
  for (let time = 0; time < 31; time++) {
    const before = process.memoryUsage().heapUsed;
    await work();
    figures.push(process.memoryUsage().heapUsed - before);
  }
  return figures.sort((one, other) => one - other)[15] ?? 0;
}
