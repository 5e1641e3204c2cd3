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

/** The middle of some figures; the mean of both where two are in the middle. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/**
 * Milliseconds that each candidate takes for its work: the medians over rounds in which all have their turn, so that
 * what disturbs the machine disturbs all of them. One more round comes first, to warm up.
 */
export async function interleave(
  candidates: readonly Candidate[],
  { rounds, roundMs }: Interleaving,
): Promise<number[]> {
  const figures = candidates.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, candidate] of candidates.entries()) {
      const figure = await timeOf(candidate, roundMs);
      if (round > 0) figures[index]?.push(figure);
    }
  }
  return figures.map(median);
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

/** A Markdown table; the first column is text, the others are figures and stand to the right. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
