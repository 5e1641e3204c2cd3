/** Work that is compared with other work in the same process. */
export interface Workload {
  readonly name: string;
  /** Runs one operation. */
  readonly run: () => unknown;
}

/** Length and number of the rounds of {@link measureInRounds}. */
export interface RoundsPlan {
  readonly rounds: number;
  /** Milliseconds that each workload runs in each round, at least. */
  readonly roundMs: number;
}

/** Milliseconds of warm-up for each workload, at least, so that its code is compiled. */
const WARM_UP_MS = 200;

/**
 * Milliseconds per operation: for each workload, one sample per round. Every round runs all workloads, so that other
 * load on the machine affects all of them. A warm-up round comes first.
 */
export async function measureInRounds(
  workloads: readonly Workload[],
  { rounds, roundMs }: RoundsPlan,
): Promise<number[][]> {
  const samples = workloads.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, workload] of workloads.entries()) {
      const sample = await sampleMs(workload, round === 0 ? Math.max(roundMs, WARM_UP_MS) : roundMs);
      if (round > 0) samples[index]?.push(sample);
    }
  }
  return samples;
}

async function sampleMs({ run: work }: Workload, roundMs: number): Promise<number> {
  let operations = 0;
  let tookMs = 0;
  while (tookMs < roundMs) {
    const startedAt = performance.now();
    await work();
    tookMs += performance.now() - startedAt;
    operations += 1;
    if (operations % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return tookMs / operations;
}
