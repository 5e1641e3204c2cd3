/** Something that is measured beside others in the same process. */
export interface Candidate {
  readonly name: string;
  /** Does the work once. */
  readonly work: () => unknown;
}

/** How long and how often {@link interleave} measures. */
export interface Interleaving {
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
export async function interleave(
  candidates: readonly Candidate[],
  { rounds, roundMs }: Interleaving,
): Promise<number[][]> {
  const figures = candidates.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, candidate] of candidates.entries()) {
      const figure = await timeOf(candidate, round === 0 ? Math.max(roundMs, WARM_UP_MS) : roundMs);
      if (round > 0) figures[index]?.push(figure);
    }
  }
  return figures;
}

async function timeOf({ work }: Candidate, roundMs: number): Promise<number> {
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
