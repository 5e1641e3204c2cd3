/** A concept of a lexicon, by its place in the list of their names: what is met at every word is best a number. */
export type Concept = number;

/** The concepts of a lexicon by their names. */
export type Concepts = ReadonlyMap<string, Concept>;

/** The concept of a clause in which something was turned down that does not count then; in every lexicon. */
export const TURNED_DOWN = 'turnedDown';

/** Numbers the concepts of a lexicon in their order, {@link TURNED_DOWN} last. */
export function numberConcepts(names: readonly string[]): Concepts {
  return new Map([...names, TURNED_DOWN].map((name, number) => [name, number]));
}
