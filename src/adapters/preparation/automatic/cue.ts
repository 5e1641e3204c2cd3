/**
 * A wording that machines use, with its weight: {@link ENOUGH} together make a message automatic. Patterns are matched
 * on folded texts; gaps in them are bounded, so that time is linear.
 */
export type Cue = readonly [weight: number, pattern: RegExp];

/** A cue whose pattern is put together. */
export function cue(weight: number, pattern: string): Cue {
  return [weight, new RegExp(pattern)];
}

/** The weight at which a message counts as automatic. */
export const ENOUGH = 3;

/** The weights of the cues that a text has, at most `most`. */
export function weigh(text: string, cues: readonly Cue[], most: number): number {
  let sum = 0;
  for (const [weight, pattern] of cues) {
    if (pattern.test(text)) sum += weight;
    if (sum >= most) return most;
  }
  return sum;
}
