/** A concept of a lexicon, by its position in the list of names: numbers are cheap to compare for every word. */
export type Concept = number;

/** The concepts of a lexicon by name. */
export type ConceptIds = ReadonlyMap<string, Concept>;

/** Replaces a concept that the customer refused in a clause, which then does not count; part of every lexicon. */
export const REFUSED = 'turnedDown';

/** Numbers the concepts of a lexicon in their order, {@link REFUSED} last. */
export function numberConcepts(names: readonly string[]): ConceptIds {
  return new Map([...names, REFUSED].map((name, number) => [name, number]));
}

/** The number of a concept. Throws for an unknown name. */
export function conceptId(concepts: ConceptIds, name: string): Concept {
  const number = concepts.get(name);
  if (number === undefined) throw new Error(`unknown concept ${name}`);
  return number;
}

/** Splits a table cell into its entries, which are separated by commas and may span lines. */
export function entriesOf(cell: string): readonly string[] {
  return cell.split(',').map((entry) => entry.trim().replace(/\s+/g, ' '));
}
