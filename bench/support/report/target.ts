/** A figure beside what it is to reach. */
export interface TargetResult {
  readonly name: string;
  readonly measured: string;
  /** What is to be reached, in a few words: `at least 0.50`. */
  readonly target: string;
  readonly met: boolean;
}

/** Holds a figure to a lower bound. What could not be measured (`NaN`) is not met. */
export function atLeast(what: string, figure: number, bound: number, unit = ''): TargetResult {
  return {
    name: what,
    measured: formatValue(figure, unit),
    target: `at least ${bound}${unit}`,
    met: figure >= bound,
  };
}

/** Holds a figure to an upper bound. What could not be measured (`NaN`) is not met. */
export function atMost(what: string, figure: number, bound: number, unit = ''): TargetResult {
  return {
    name: what,
    measured: formatValue(figure, unit),
    target: `at most ${bound}${unit}`,
    met: figure <= bound,
  };
}

/** A verdict as the cell of a table; empty where there is none. */
export function targetCell(verdict: TargetResult | undefined): string {
  return verdict === undefined ? '' : `${verdict.target}: ${targetStatus(verdict)}`;
}

/** The word for it, in bold where it asks for attention. */
export function targetStatus({ met }: TargetResult): string {
  return met ? 'met' : '**not met**';
}

function formatValue(figure: number, unit: string): string {
  if (Number.isNaN(figure)) return 'not measured';
  return `${figure.toFixed(figure < 10 ? 2 : 0)}${unit}`;
}
