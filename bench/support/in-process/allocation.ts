import { median } from '../report/statistics.ts';

/**
 * Bytes that one piece of work allocates on the heap, what it keeps and what it throws away alike: the median over
 * many, so that those which the garbage collector cut short do not count. One piece must fit well into the young
 * generation (some megabytes).
 */
export async function allocatedBytes(work: () => unknown, times: number): Promise<number> {
  const figures: number[] = [];
  for (let time = 0; time < times; time++) {
    const before = process.memoryUsage().heapUsed;
    await work();
    figures.push(process.memoryUsage().heapUsed - before);
  }
  return median(figures);
}
