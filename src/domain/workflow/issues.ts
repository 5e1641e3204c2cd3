/** Maximum number of issues whose text is stored; further ones are only counted. */
const MAX_ISSUES = 100;

/** A list of issues or warnings, limited to a number that a person can read. */
export interface IssueList {
  /** How many were added, including those that are only counted. */
  readonly count: number;
  /** Adds an issue. `makeText` is not called once the list is full. */
  add(makeText: () => string): void;
  /** The texts in the order in which they were added, each once, and how many more there were. */
  texts(): string[];
}

/** Creates an empty list. `noun` names the issues that are counted only: `and 3 more warnings`. */
export function createIssueList(noun: string): IssueList {
  const texts = new Set<string>();
  let more = 0;
  return {
    get count() {
      return texts.size + more;
    },
    add(makeText) {
      if (texts.size < MAX_ISSUES) texts.add(makeText());
      else more++;
    },
    texts: () => (more === 0 ? [...texts] : [...texts, `and ${more} more ${noun}`]),
  };
}
