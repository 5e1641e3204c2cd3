/** How much a cue weighs. A hint alone stays below the verifier's threshold, a fair one passes it barely. */
export const weights = { decisive: 5, strong: 3.8, fair: 2.6, hint: 1.2 } as const;

export type Strength = keyof typeof weights;

export const strengths = ['decisive', 'strong', 'fair', 'hint'] as const satisfies readonly Strength[];

/**
 * What speaks for each topic: cues parted by commas, each a list of concepts that one clause must hold, in any
 * order; one behind `!` must be absent. The first concept of a cue is the one that it is looked up by.
 */
export type CueTable<Topic extends string> = Readonly<
  Record<Topic, Readonly<Partial<Record<Strength, string>>>>
>;

/** The entries of a table's cell, which are parted by commas and may run over lines. */
export function entriesOf(cell: string): readonly string[] {
  return cell.split(',').map((entry) => entry.trim().replace(/\s+/g, ' '));
}
