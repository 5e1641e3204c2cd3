/** A figure beside what it is to reach. */
export interface Verdict {
  readonly what: string;
  readonly figure: string;
  /** What is to be reached, in a few words: `at least 0.50`. */
  readonly target: string;
  readonly met: boolean;
}

/** Holds a figure to a lower bound. What could not be measured (`NaN`) is not met. */
export function atLeast(what: string, figure: number, bound: number, unit = ''): Verdict {
  return { what, figure: show(figure, unit), target: `at least ${bound}${unit}`, met: figure >= bound };
}

/** Holds a figure to an upper bound. What could not be measured (`NaN`) is not met. */
export function atMost(what: string, figure: number, bound: number, unit = ''): Verdict {
  return { what, figure: show(figure, unit), target: `at most ${bound}${unit}`, met: figure <= bound };
}

/** A verdict as the cell of a table; empty where there is none. */
export function verdictCell(verdict: Verdict | undefined): string {
  return verdict === undefined ? '' : `${verdict.target}: ${metOrNot(verdict)}`;
}

/** The word for it, in bold where it asks for attention. */
export function metOrNot({ met }: Verdict): string {
  return met ? 'met' : '**not met**';
}

function show(figure: number, unit: string): string {
  if (Number.isNaN(figure)) return 'not measured';
  return `${figure.toFixed(figure < 10 ? 2 : 0)}${unit}`;
}
