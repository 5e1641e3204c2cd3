/** A measured value and its target. */
export interface TargetResult {
  readonly name: string;
  readonly measured: string;
  /** The bound in words: `at least 0.5`. */
  readonly bound: string;
  readonly met: boolean;
}

/** A measured figure, with its target where it has one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: TargetResult;
}

/** Compares a value with a lower bound. `NaN` (not measured) does not meet it. */
export function atLeast(name: string, value: number, bound: number, unit = ''): TargetResult {
  return {
    name,
    measured: formatValue(value, unit),
    bound: `at least ${bound}${unit}`,
    met: value >= bound,
  };
}

/** Compares a value with an upper bound. `NaN` (not measured) does not meet it. */
export function atMost(name: string, value: number, bound: number, unit = ''): TargetResult {
  return {
    name,
    measured: formatValue(value, unit),
    bound: `at most ${bound}${unit}`,
    met: value <= bound,
  };
}

/** A target as a table cell; empty without one. */
export function targetCell(target: TargetResult | undefined): string {
  return target === undefined ? '' : `${target.bound}: ${targetStatus(target)}`;
}

/** `met`, or `not met` in bold. */
export function targetStatus({ met }: TargetResult): string {
  return met ? 'met' : '**not met**';
}

function formatValue(value: number, unit: string): string {
  if (Number.isNaN(value)) return 'not measured';
  return `${value.toFixed(value < 10 ? 2 : 0)}${unit}`;
}
