/** A broken promise: how often, and one example. */
export interface Violation {
  count: number;
  readonly example: string;
}

/** The counts of a fault run, and the promises that it found broken. */
export interface Findings {
  /** Counts and largest values by name, in the order in which they were first named. */
  readonly figures: ReadonlyMap<string, number>;
  readonly violations: ReadonlyMap<string, Violation>;
  add(figure: string, count?: number): void;
  max(figure: string, value: number): void;
  violate(kind: string, example: unknown): void;
  /** A violation unless the figure is at least `least`, so that a run in which nothing happens cannot pass. */
  atLeast(figure: string, least: number): void;
}

const MAX_EXAMPLE = 2_000;

/** Creates empty findings. The figures named in `names` begin with 0. */
export function createFindings(names: readonly string[] = []): Findings {
  const figures = new Map<string, number>(names.map((name) => [name, 0]));
  const violations = new Map<string, Violation>();
  function violate(kind: string, example: unknown): void {
    const known = violations.get(kind);
    if (known !== undefined) known.count++;
    else violations.set(kind, { count: 1, example: JSON.stringify(example).slice(0, MAX_EXAMPLE) });
  }
  return {
    figures,
    violations,
    add: (figure, count = 1) => void figures.set(figure, (figures.get(figure) ?? 0) + count),
    max: (figure, value) => void figures.set(figure, Math.max(figures.get(figure) ?? 0, value)),
    violate,
    atLeast(figure, least) {
      const value = figures.get(figure) ?? 0;
      if (value < least) violate(`too little was tested: ${figure}`, { value, least });
    },
  };
}
