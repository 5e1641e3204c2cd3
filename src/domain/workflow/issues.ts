/** The most issues of one list that are kept; the rest is counted. */
const MAX_ISSUES = 100;

/** Issues or warnings as they are found, up to a number that a person can read. */
export interface IssueList {
  /** How many were added, whether kept or not. */
  readonly count: number;
  /** Adds an issue. `makeText` is not called once the list is full. */
  add(makeText: () => string): void;
  /** The texts in the order in which they were added, each once, and how many more there were. */
  texts(): string[];
}

/** Creates an empty list. `noun` names the issues that are counted only: `and 3 more warnings`. */
export function createIssueList(noun: string): IssueList {
  const kept = new Set<string>();
  let more = 0;
  return {
    get count() {
      return kept.size + more;
    },
    add(makeText) {
      if (kept.size < MAX_ISSUES) kept.add(makeText());
      else more++;
    },
    texts: () => (more === 0 ? [...kept] : [...kept, `and ${more} more ${noun}`]),
  };
}
