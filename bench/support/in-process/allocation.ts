import { median } from '../report/statistics.ts';

/**
 * Bytes that `work` allocates on the heap, garbage included: the median of `times` runs, so that runs with a garbage
 * collection do not count. One run must allocate much less than the young generation holds (some megabytes).
 */
export async function allocatedBytes(work: () => unknown, times: number): Promise<number> {
  const samples: number[] = [];
  for (let time = 0; time < times; time++) {
    const before = process.memoryUsage().heapUsed;
    await work();
    samples.push(process.memoryUsage().heapUsed - before);
  }
  return median(samples);
}
