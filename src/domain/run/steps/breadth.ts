import type { RunState } from '../state.ts';

/**
 * How many runs there can be at the depth of the children of a step, below the run that nobody started as a child: the
 * product of the numbers of children, along the way from there. `items` is how many the step has, 1 without `foreach`.
 * Where no way exceeds a number, no depth has more runs than that number.
 */
export function breadthBelow({ head, shape }: Pick<RunState, 'head' | 'shape'>, items: number): number {
  return head.breadth * shape.childSteps * items;
}

/** The error of a step whose children would be too many. */
export function tooBroadText(breadth: number, maxChildRuns: number): string {
  return `a run may have at most ${maxChildRuns} runs below it at each depth, and with this step there could be ${breadth}`;
}
