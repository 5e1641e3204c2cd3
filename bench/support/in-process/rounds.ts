/** Something that is measured beside others in the same process. */
export interface Workload {
  readonly name: string;
  /** Does the work once. */
  readonly run: () => unknown;
}

/** How long and how often {@link measureInRounds} measures. */
export interface RoundsPlan {
  readonly rounds: number;
  /** Milliseconds that each candidate works in each round, at least. */
  readonly roundMs: number;
}

/** Milliseconds that each candidate works beforehand, at least, for its code to be compiled. */
const WARM_UP_MS = 200;

/**
 * Milliseconds that each candidate takes for its work, one figure a round. All have their turn in every round, so
 * that what disturbs the machine disturbs all of them. One more round comes first, to warm up.
 */
export async function measureInRounds(
  candidates: readonly Workload[],
  { rounds, roundMs }: RoundsPlan,
): Promise<number[][]> {
  const figures = candidates.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, candidate] of candidates.entries()) {
      const figure = await sampleMs(candidate, round === 0 ? Math.max(roundMs, WARM_UP_MS) : roundMs);
      if (round > 0) figures[index]?.push(figure);
    }
  }
  return figures;
}

async function sampleMs({ run: work }: Workload, roundMs: number): Promise<number> {
  let times = 0;
  let took = 0;
  while (took < roundMs) {
    const begun = performance.now();
    await work();
    took += performance.now() - begun;
    times++;
    if (times % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return took / times;
}
